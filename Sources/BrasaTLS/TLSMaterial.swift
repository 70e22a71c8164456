import BrasaPlatform
import NIOSSL

/// What the files held at one reading.
struct TLSMaterial: Equatable {
    static let fileBytesMax = 1 << 20

    private let certificateChain: [UInt8]
    private let privateKey: [UInt8]
    private let clientAuthorities: [UInt8]?

    init(_ files: TLSFiles, disk: any Disk) throws(TLSFileError) {
        self.certificateChain = try Self.bytes(files.certificateChain, disk)
        self.privateKey = try Self.bytes(files.privateKey, disk)
        if let path = files.clientAuthorities {
            self.clientAuthorities = try Self.bytes(path, disk)
        } else {
            self.clientAuthorities = nil
        }
    }

    private static func bytes(_ path: String, _ disk: any Disk) throws(TLSFileError) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(DiskError) {
            bytes = try disk.contents(of: path, bytesMax: Self.fileBytesMax)
        } catch {
            throw .unreadable(error)
        }
        guard let bytes else { throw .tooLong(path: path) }
        return bytes
    }

    /// - Parameter files: where this was read, for the message.
    func context(_ files: TLSFiles) throws(TLSFileError) -> (context: NIOSSLContext, certificate: ServerCertificate) {
        let chain = try Self.certificates(self.certificateChain, path: files.certificateChain)
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(bytes: self.privateKey, format: .pem)
        } catch {
            throw .noPrivateKey(path: files.privateKey)
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["h2", "http/1.1"]
        if let path = files.clientAuthorities, let authorities = self.clientAuthorities {
            // Who shows none may still bring a token.
            configuration.certificateVerification = .optionalVerification
            configuration.trustRoots = .certificates(try Self.certificates(authorities, path: path))
            configuration.sendCANameList = true
        }
        do {
            let context = try NIOSSLContext(configuration: configuration)
            return (context, ServerCertificate(expiresSeconds: Int64(chain[0].notValidAfter)))
        } catch {
            throw .unfit(certificateChain: files.certificateChain, privateKey: files.privateKey)
        }
    }

    /// One or more.
    private static func certificates(_ bytes: [UInt8], path: String) throws(TLSFileError) -> [NIOSSLCertificate] {
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(bytes), !certificates.isEmpty else {
            throw .noCertificate(path: path)
        }
        return certificates
    }
}
