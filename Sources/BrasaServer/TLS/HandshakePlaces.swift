import NIOConcurrencyHelpers

/// Handshakes that are under way, in all and from one address: what has not said who it is takes a part of the connections
/// only, however slowly it goes on.
final class HandshakePlaces: Sendable {
    private struct Table {
        var count = 0
        var counts: [PeerAddress: Int] = [:]
    }

    private let table = NIOLockedValueBox(Table())
    private let countMax: Int
    private let countPerAddressMax: Int

    /// A quarter of the connections that there may be.
    convenience init(connectionsMax: Int, connectionsPerAddressMax: Int) {
        self.init(countMax: max(1, connectionsMax / 4), countPerAddressMax: max(1, connectionsPerAddressMax / 4))
    }

    init(countMax: Int, countPerAddressMax: Int) {
        self.countMax = countMax
        self.countPerAddressMax = countPerAddressMax
    }

    func take(_ address: PeerAddress) -> Bool {
        self.table.withLockedValue { table in
            guard table.count < self.countMax, table.counts[address, default: 0] < self.countPerAddressMax else {
                return false
            }
            table.count += 1
            table.counts[address, default: 0] += 1
            return true
        }
    }

    func giveBack(_ address: PeerAddress) {
        self.table.withLockedValue { table in
            table.count -= 1
            let rest = table.counts[address, default: 0] - 1
            table.counts[address] = rest > 0 ? rest : nil
        }
    }
}
