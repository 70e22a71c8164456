import BrasaIdentity

/// A JSON Web Token in its compact form (RFC 7515, RFC 7519) taken apart. Nothing in it is verified yet.
///
/// Of the header only the algorithm and the key's name are taken. Keys that a token brings along, or says where to find,
/// are of no interest.
struct SignedToken {
    /// Identity providers stay below 2 KiB; more is refused unread.
    static let bytesMax = 8 << 10
    static let headerBytesMax = 1 << 10
    static let keyNameBytesMax = 256
    /// What one key signs as something else (a logout token, a request) is none (RFC 8725, 3.11).
    private static let types: Set<String> = ["jwt", "at+jwt"]
    static let unsigned = "none"

    let algorithm: String
    let keyID: String?
    let claims: [ClaimName: Claim]
    let signature: [UInt8]
    /// What the signature is over: the text up to the last dot.
    let signedBytes: ArraySlice<UInt8>

    /// - Parameter mayBeUnsigned: the algorithm may be `none`. Of one that nobody here verifies the claims are not read.
    init(parsing token: ArraySlice<UInt8>, mayBeUnsigned: Bool = false) throws(TokenRefusal) {
        guard token.count <= Self.bytesMax else { throw .tooLong }
        let parts = token.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= Self.headerBytesMax * 4 / 3 else { throw .malformed }
        let header = try Self.object(parts[0])
        // RFC 7515, 4.1.11: what a token marks as critical has to be understood, and nothing of it is here.
        guard header["crit"] == nil else { throw .unsupportedExtension }
        switch header["typ"] {
        case nil: break
        case .text(let type) where Self.types.contains(type.lowercased()): break
        default: throw .wrongType
        }
        guard case .text(let algorithm) = header["alg"] else { throw .malformed }
        guard SigningAlgorithm(rawValue: algorithm) != nil || (mayBeUnsigned && algorithm == Self.unsigned) else {
            throw .unsupportedAlgorithm
        }
        self.algorithm = algorithm
        switch header["kid"] {
        case nil: self.keyID = nil
        case .text(let name) where name.utf8.count <= Self.keyNameBytesMax: self.keyID = name
        default: throw .malformed
        }
        self.claims = try Self.object(parts[1])
        guard let signature = Base64URL.decode(parts[2]) else { throw .malformed }
        self.signature = signature
        self.signedBytes = token[parts[0].startIndex..<parts[1].endIndex]
    }

    private static func object(_ text: ArraySlice<UInt8>) throws(TokenRefusal) -> [ClaimName: Claim] {
        guard let bytes = Base64URL.decode(text) else { throw .malformed }
        do {
            return try JSONReader.object(bytes)
        } catch {
            throw error == .duplicateMember ? .duplicateMember : .malformed
        }
    }

    func text(_ claim: ClaimName) throws(TokenRefusal) -> String {
        guard case .text(let text) = self.claims[claim], !text.isEmpty else { throw .missingClaim }
        return text
    }

    /// The audience, which is one or a list (RFC 7519, 4.1.3).
    private var audiences: [String] {
        switch self.claims["aud"] {
        case .text(let audience): [audience]
        case .list(let audiences):
            audiences.compactMap { if case .text(let audience) = $0 { audience } else { nil } }
        default: []
        }
    }

    /// Go's libraries write an empty text for none.
    var namesAudience: Bool {
        switch self.claims["aud"] {
        case nil: false
        case .text(let audience): !audience.isEmpty
        default: true
        }
    }

    /// Whether it names one of these, letter by letter: sets take for one what only looks the same.
    func isFor(_ audiences: Set<String>) -> Bool {
        self.audiences.contains { named in audiences.contains { $0.utf8.elementsEqual(named.utf8) } }
    }

    /// - Throws: unless the key has made the signature, by the algorithm that it is for. A key is for one only, so that
    ///   what a token names cannot turn a public key into a secret.
    func verify(by key: VerificationKey) throws(TokenRefusal) {
        guard SigningAlgorithm(rawValue: self.algorithm) != nil else { throw .unsupportedAlgorithm }
        guard self.algorithm == key.algorithm.rawValue else { throw .wrongAlgorithm }
        guard key.made(self.signature, of: self.signedBytes) else { throw .wrongSignature }
    }
}
