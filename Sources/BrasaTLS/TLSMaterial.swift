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
        do {
            let file = try disk.open(path, .readOnly)
            defer { file.close() }
            let size = try file.size()
            guard size <= Self.fileBytesMax else { throw TLSFileError.tooLong(path: path) }
            var bytes = [UInt8](repeating: 0, count: size)
            let count = try bytes.withUnsafeMutableBytes { try file.readFully(into: $0, at: 0) }
            return Array(bytes.prefix(count))
        } catch let error as DiskError {
            throw .unreadable(error)
        } catch {
            throw .tooLong(path: path)
        }
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
