package import BrasaPlatform

/// A file that TLS cannot be served with.
package enum TLSFileError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable(DiskError)
    case tooLong(path: String)
    case noCertificate(path: String)
    case noPrivateKey(path: String)
    /// The key is of another certificate, or of a kind that cannot serve.
    case unfit(certificateChain: String, privateKey: String)

    package var description: String {
        switch self {
        case .unreadable(let error): error.description
        case .tooLong(let path): "\(path) is longer than \(TLSMaterial.fileBytesMax) bytes"
        case .noCertificate(let path): "\(path) holds no certificates in PEM form, or one that is damaged"
        case .noPrivateKey(let path): "\(path) holds no private key in PEM form that has no passphrase"
        case .unfit(let chain, let key): "the key in \(key) is not that of the first certificate in \(chain)"
        }
    }
}
