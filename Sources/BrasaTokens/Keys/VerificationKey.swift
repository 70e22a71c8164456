import BrasaIdentity
import JWTKit

/// How tokens may be signed. There is no third, and no `none`.
package enum SigningAlgorithm: String, Sendable {
    case rs256 = "RS256"
    case es256 = "ES256"
}

/// A public key that cannot be used.
package enum VerificationKeyError: Error, Hashable, Sendable {
    case malformed
    /// RSA below 2048 bits can be broken; above 8192 one look costs too much.
    case wrongSize
}

/// A public key and the one algorithm that it verifies.
package struct VerificationKey: Sendable {
    static let rsaBytes = 256...1024

    package let algorithm: SigningAlgorithm
    private let implementation: any JWTAlgorithm

    private init(_ algorithm: SigningAlgorithm, _ keys: JWTKeyCollection) async throws(VerificationKeyError) {
        do {
            self.implementation = try await keys.getKey()
        } catch {
            throw .malformed
        }
        self.algorithm = algorithm
    }

    /// An RSA key as a PEM file has it, for RS256.
    package static func rsa(pem: String) async throws(VerificationKeyError) -> VerificationKey {
        do {
            return try await Self.rsa(Insecure.RSA.PublicKey(pem: pem))
        } catch let error as VerificationKeyError {
            throw error
        } catch {
            throw .malformed
        }
    }

    /// An RSA key as a JWK has it, for RS256.
    static func rsa(modulus: String, exponent: String) async throws(VerificationKeyError) -> VerificationKey {
        guard modulus.utf8.count <= Self.rsaBytes.upperBound * 2, exponent.utf8.count <= 16 else { throw .wrongSize }
        let key: Insecure.RSA.PublicKey
        do {
            key = try Insecure.RSA.PublicKey(modulus: modulus, exponent: exponent)
        } catch {
            throw .malformed
        }
        return try await Self.rsa(key)
    }

    private static func rsa(_ key: Insecure.RSA.PublicKey) async throws(VerificationKeyError) -> VerificationKey {
        guard let (modulus, _) = try? key.getKeyPrimitives() else { throw .malformed }
        guard Self.rsaBytes.contains(modulus.count) else { throw .wrongSize }
        return try await VerificationKey(.rs256, JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha256))
    }

    /// A key on the curve P-256 as a JWK has it, for ES256.
    static func p256(x: String, y: String) async throws(VerificationKeyError) -> VerificationKey {
        guard x.utf8.count <= 64, y.utf8.count <= 64 else { throw .wrongSize }
        let key: ES256PublicKey
        do {
            key = try ES256PublicKey(parameters: (x, y))
        } catch {
            throw .malformed
        }
        return try await VerificationKey(.es256, JWTKeyCollection().add(ecdsa: key))
    }

    /// Whether the private half of this key has signed those bytes.
    func made(_ signature: [UInt8], of bytes: ArraySlice<UInt8>) -> Bool {
        // An error is a signature of a form that no key of this kind makes.
        (try? self.implementation.verify(signature, signs: bytes)) ?? false
    }
}
