package import BrasaPlatform
package import NIOSSL
import Synchronization

/// The certificate that is shown.
package struct ServerCertificate: Hashable, Sendable {
    /// Since the Unix epoch; clients refuse it from then on.
    package let expiresSeconds: Int64
}

/// TLS as a server speaks it: version 1.2 at least, for HTTP/2 and HTTP/1.1 (ALPN), by certificates that are read again
/// while it runs. Connections keep what they began with.
package final class ServerTLS: Sendable {
    package enum Reload: Hashable, Sendable {
        case unchanged
        case changed(ServerCertificate)
        /// New connections go on with the certificate of before. Said once for what the files hold.
        case failed(TLSFileError)
    }

    private struct State {
        var context: NIOSSLContext
        var certificate: ServerCertificate
        /// What was read last, good or not.
        var seen: Seen
    }

    private enum Seen: Equatable {
        case material(TLSMaterial)
        case error(TLSFileError)
    }

    private let files: TLSFiles
    private let disk: any Disk
    private let state: Mutex<State>

    /// - Throws: what is wrong with which file.
    package init(_ files: TLSFiles, disk: any Disk) throws(TLSFileError) {
        self.files = files
        self.disk = disk
        let material = try TLSMaterial(files, disk: disk)
        let (context, certificate) = try material.context(files)
        self.state = Mutex(State(context: context, certificate: certificate, seen: .material(material)))
    }

    package var certificate: ServerCertificate { self.state.withLock { $0.certificate } }

    /// What the next connection begins with.
    package var context: NIOSSLContext { self.state.withLock { $0.context } }

    /// Reads the files again. Every few seconds, and whenever an operator says so; not on an event loop.
    ///
    /// A renewal that replaces one file after the other may be met half done: that fails, and the next reading finds the rest.
    package func reload() -> Reload {
        let seen: Seen
        do throws(TLSFileError) {
            seen = .material(try TLSMaterial(self.files, disk: self.disk))
        } catch {
            seen = .error(error)
        }
        guard self.state.withLock({ $0.seen != seen }) else { return .unchanged }
        do throws(TLSFileError) {
            switch seen {
            case .error(let error): throw error
            case .material(let material):
                let (context, certificate) = try material.context(self.files)
                self.state.withLock { $0 = State(context: context, certificate: certificate, seen: seen) }
                return .changed(certificate)
            }
        } catch {
            self.state.withLock { $0.seen = seen }
            return .failed(error)
        }
    }
}
