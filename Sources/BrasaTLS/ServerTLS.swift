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
        /// Of which reading this is.
        var reading: UInt64
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
    private let readings = Atomic<UInt64>(0)

    /// - Throws: what is wrong with which file.
    package init(_ files: TLSFiles, disk: any Disk) throws(TLSFileError) {
        self.files = files
        self.disk = disk
        let material = try TLSMaterial(files, disk: disk)
        let (context, certificate) = try material.context(files)
        self.state = Mutex(State(context: context, certificate: certificate, reading: 0, seen: .material(material)))
    }

    package var certificate: ServerCertificate { self.state.withLock { $0.certificate } }

    /// Of clients, who need not have one. One that is shown and not of the authorities ends the handshake.
    package var asksForCertificates: Bool { self.files.clientAuthorities != nil }

    /// What the next connection begins with.
    package var context: NIOSSLContext { self.state.withLock { $0.context } }

    /// Reads the files again. Every few seconds, and whenever an operator says so; not on an event loop.
    ///
    /// A renewal that replaces one file after the other may be met half done: that fails, and the next reading finds the rest.
    /// Of two readings at once the one that began later has the last word, whichever ends first.
    package func reload() -> Reload {
        let number = self.readings.add(1, ordering: .acquiringAndReleasing).newValue
        let seen: Seen
        do throws(TLSFileError) {
            seen = .material(try TLSMaterial(self.files, disk: self.disk))
        } catch {
            seen = .error(error)
        }
        let isUnchanged = self.state.withLock { state in
            guard state.reading < number else { return true }
            guard state.seen == seen else { return false }
            state.reading = number
            return true
        }
        if isUnchanged { return .unchanged }
        do throws(TLSFileError) {
            switch seen {
            case .error(let error): throw error
            case .material(let material):
                let (context, certificate) = try material.context(self.files)
                let isLatest = self.state.withLock { state in
                    guard state.reading < number else { return false }
                    state = State(context: context, certificate: certificate, reading: number, seen: seen)
                    return true
                }
                return isLatest ? .changed(certificate) : .unchanged
            }
        } catch {
            let isLatest = self.state.withLock { state in
                guard state.reading < number else { return false }
                (state.reading, state.seen) = (number, seen)
                return true
            }
            return isLatest ? .failed(error) : .unchanged
        }
    }
}
