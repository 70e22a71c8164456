import NIOConcurrencyHelpers

/// Handshakes that are under way, in all and from one address: what has not said who it is takes a part of the connections
/// only, however slowly it goes on.
final class HandshakePlaces: Sendable {
    private struct Table {
        var count = 0
        var counts: [PeerAddress: Int] = [:]
        var countMax: Int
        var countPerAddressMax: Int
    }

    private let table: NIOLockedValueBox<Table>

    convenience init(connectionsMax: Int, connectionsPerAddressMax: Int) {
        self.init(
            countMax: Self.part(of: connectionsMax),
            countPerAddressMax: Self.part(of: connectionsPerAddressMax)
        )
    }

    init(countMax: Int, countPerAddressMax: Int) {
        self.table = NIOLockedValueBox(Table(countMax: countMax, countPerAddressMax: countPerAddressMax))
    }

    /// A quarter of the connections that there may be.
    private static func part(of connectionsMax: Int) -> Int { max(1, connectionsMax / 4) }

    func setBounds(connectionsMax: Int, connectionsPerAddressMax: Int) {
        self.table.withLockedValue { table in
            table.countMax = Self.part(of: connectionsMax)
            table.countPerAddressMax = Self.part(of: connectionsPerAddressMax)
        }
    }

    func take(_ address: PeerAddress) -> Bool {
        self.table.withLockedValue { table in
            guard table.count < table.countMax, table.counts[address, default: 0] < table.countPerAddressMax else {
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
