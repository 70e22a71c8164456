import NIOConcurrencyHelpers
import NIOCore

/// The connections that were closed because of a bound: counted by it, and told of once a minute for each.
final class ConnectionRefusals: Sendable {
    /// The bound, by the name that the metrics give it.
    enum Reason: String, CaseIterable {
        case connections
        case address
        case memory

        var text: String {
            switch self {
            case .connections: "connections are closed: there are as many as --connections allows"
            case .address:
                """
                connections are closed: their address has as many as --connections-per-address allows, which for users \
                behind one proxy or NAT is all of theirs together
                """
            case .memory: "HTTP/1.1 connections are closed: what --connection-memory allows is used up"
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
