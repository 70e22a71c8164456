import BrasaHTTP
import BrasaHTTP2
import BrasaTreeSocket
import NIOConcurrencyHelpers
import NIOCore

/// The open connections, so that a drain reaches each of them, and their bounds: in all, and from one address.
final class ConnectionRegistry: Sendable {
    /// The connections of one address.
    private struct Address {
        var count = 0
        let budget: ByteBudget
    }

    private struct Table {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var addresses: [PeerAddress: Address] = [:]
        var isDraining = false
        var countMax: Int
        var countPerAddressMax: Int
    }

    private let table: NIOLockedValueBox<Table>

    let refusals: ConnectionRefusals
    private let count: ConnectionCount
    /// Of all connections.
    private let budget: ByteBudget

    /// Connections past the bounds are closed as soon as they are accepted.
    init(
        countMax: Int,
        countPerAddressMax: Int,
        budget: ByteBudget,
        refusals: ConnectionRefusals,
        count: ConnectionCount = ConnectionCount()
    ) {
        self.budget = budget
        self.refusals = refusals
        self.count = count
        self.table = NIOLockedValueBox(Table(countMax: countMax, countPerAddressMax: countPerAddressMax))
    }

    /// Those that are open stay, also where there may be fewer.
    func setBounds(countMax: Int, countPerAddressMax: Int) {
        self.table.withLockedValue { table in
            table.countMax = countMax
            table.countPerAddressMax = countPerAddressMax
        }
    }

    /// What the connection draws from. Nil when the server is full, for all or for this peer, or draining; the caller closes
    /// the channel.
    func add(_ channel: any Channel) -> ByteBudget? {
        let address = PeerAddress(channel.remoteAddress)
        let (budget, reason): (ByteBudget?, ConnectionRefusals.Reason?) = self.table.withLockedValue { table in
            if table.isDraining { return (nil, nil) }
            if table.channels.count >= table.countMax { return (nil, .connections) }
            var entry = table.addresses[address] ?? Address(budget: ByteBudget(ofAddressIn: self.budget))
            if entry.count >= table.countPerAddressMax { return (nil, .address) }
            entry.count += 1
            table.channels[ObjectIdentifier(channel)] = channel
            table.addresses[address] = entry
            return (entry.budget, nil)
        }
        if let reason { self.refusals.count(reason) }
        guard let budget else { return nil }
        self.count.connectionOpened()
        channel.closeFuture.whenComplete { _ in
            self.count.connectionClosed()
            self.table.withLockedValue { table in
                table.channels[ObjectIdentifier(channel)] = nil
                guard var entry = table.addresses[address] else { return }
                entry.count -= 1
                table.addresses[address] = entry.count > 0 ? entry : nil
            }
        }
        return budget
    }

    /// Asks every connection to finish what is in flight; the rest is cut off after `grace`. Returns when all are closed.
    func drain(grace: TimeAmount) async {
        let channels = self.table.withLockedValue { table in
            table.isDraining = true
            return Array(table.channels.values)
        }
        for channel in channels {
            channel.eventLoop.execute {
                if let connection = try? channel.pipeline.syncOperations.handler(type: HTTP2Connection.self) {
                    connection.drain(grace: grace)
                } else if (try? channel.pipeline.syncOperations.handler(type: TreeSocketHandler.self)) != nil {
                    channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
                } else if let requests = try? channel.pipeline.syncOperations.handler(type: HTTP1RequestHandler.self) {
                    // The HTTP/1.1 pipeline closes after the answer in progress, if there is one.
                    channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
                    requests.drain(channel)
                    channel.eventLoop.scheduleTask(in: grace) { channel.close(promise: nil) }
                } else {
                    // Nothing is in flight before the protocol is known.
                    channel.close(promise: nil)
                }
            }
        }
        for channel in channels {
            try? await channel.closeFuture.get()
        }
    }
}
