import NIOConcurrencyHelpers
import NIOCore

/// The connections that were closed because of a bound, or came to no handshake: counted by that, and told of once a minute
/// for each.
final class ConnectionRefusals: Sendable {
    /// The bound, by the name that the metrics give it.
    enum Reason: String, CaseIterable {
        case connections
        case address
        case memory
        case handshakes
        case tls

        var text: String {
            switch self {
            case .connections: "connections are closed: there are as many as --connections allows"
            case .address:
                """
                connections are closed: their address has as many as --connections-per-address allows, which for users \
                behind one proxy or NAT is all of theirs together
                """
            case .memory: "connections are closed: what --connection-memory allows is used up"
            case .handshakes:
                """
                connections are closed: a quarter of those that --connections, or --connections-per-address, allows have \
                not completed their TLS handshakes
                """
            case .tls:
                """
                connections come to no TLS handshake: their peers speak plain text, know no version from 1.2 on, do not \
                believe the certificate, show one of an authority that is not known, or take too long
                """
            }
        }
    }

    private struct Entry {
        var count = 0
        var told: NIODeadline?
    }

    private static let tellInterval: TimeAmount = .minutes(1)

    private let entries = NIOLockedValueBox<[Reason: Entry]>([:])
    private let tell: @Sendable (Reason) -> Void

    init(tell: @escaping @Sendable (Reason) -> Void) {
        self.tell = tell
    }

    func count(_ reason: Reason, now: NIODeadline = .now()) {
        let isNews = self.entries.withLockedValue { entries in
            entries[reason, default: Entry()].count += 1
            if let told = entries[reason]?.told, now - told < Self.tellInterval { return false }
            entries[reason]?.told = now
            return true
        }
        if isNews { self.tell(reason) }
    }

    subscript(reason: Reason) -> Int { self.entries.withLockedValue { $0[reason]?.count ?? 0 } }
}
