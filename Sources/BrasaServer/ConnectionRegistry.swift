import BrasaHTTP
import BrasaHTTP2
import NIOConcurrencyHelpers
import NIOCore

/// The open connections, so that a drain reaches each of them, and their bounds: in all, and from one address.
final class ConnectionRegistry: Sendable {
    private struct Table {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var counts: [PeerAddress: Int] = [:]
        var isDraining = false
        var countMax: Int
        var countPerAddressMax: Int
    }

    private let table: NIOLockedValueBox<Table>

    let refusals: ConnectionRefusals
    private let count: ConnectionCount

    /// Connections past the bounds are closed as soon as they are accepted.
    init(
        countMax: Int,
        countPerAddressMax: Int,
        refusals: ConnectionRefusals,
        count: ConnectionCount = ConnectionCount()
    ) {
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

    /// False when the server is full, for all or for this peer, or draining; the caller closes the channel.
    func add(_ channel: any Channel) -> Bool {
        let address = PeerAddress(channel.remoteAddress)
        let (isAdded, reason): (Bool, ConnectionRefusals.Reason?) = self.table.withLockedValue { table in
            if table.isDraining { return (false, nil) }
            if table.channels.count >= table.countMax { return (false, .connections) }
            if table.counts[address, default: 0] >= table.countPerAddressMax { return (false, .address) }
            table.channels[ObjectIdentifier(channel)] = channel
            table.counts[address, default: 0] += 1
            return (true, nil)
        }
        if let reason { self.refusals.count(reason) }
        guard isAdded else { return false }
        self.count.connectionOpened()
        channel.closeFuture.whenComplete { _ in
            self.count.connectionClosed()
            self.table.withLockedValue { table in
                table.channels[ObjectIdentifier(channel)] = nil
                let rest = table.counts[address, default: 0] - 1
                table.counts[address] = rest > 0 ? rest : nil
            }
        }
        return true
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
                } else if (try? channel.pipeline.syncOperations.handler(type: HTTP1RequestHandler.self)) != nil {
                    // The HTTP/1.1 pipeline closes after the answer in progress, if there is one.
                    channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
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
