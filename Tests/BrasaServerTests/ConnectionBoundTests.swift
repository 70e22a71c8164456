import BrasaHTTP2
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaServer

@Suite struct ConnectionBoundTests {
    private let budget = ByteBudget(bytesMax: 1 << 20)

    private func channel(from address: String, port: Int = 1000) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: address, port: port)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        channel.remoteAddress = try SocketAddress(ipAddress: address, port: port)
        return channel
    }

    @Test func `Connections are bounded in all and from one address, and places are given back`() throws {
        let refusals = ConnectionRefusals { _ in }
        let registry = ConnectionRegistry(countMax: 4, countPerAddressMax: 2, budget: self.budget, refusals: refusals)
        let first = try self.channel(from: "10.0.0.1")
        #expect(nil != registry.add(first))
        #expect(nil != registry.add(try self.channel(from: "10.0.0.1", port: 2)))
        #expect(nil == registry.add(try self.channel(from: "10.0.0.1", port: 3)))
        #expect(nil != registry.add(try self.channel(from: "10.0.0.2")))
        #expect(nil != registry.add(try self.channel(from: "10.0.0.3")))
        #expect(nil == registry.add(try self.channel(from: "10.0.0.4")))
        _ = try first.finish()
        #expect(nil != registry.add(try self.channel(from: "10.0.0.1", port: 4)))
        #expect(nil == registry.add(try self.channel(from: "10.0.0.4")))
        #expect(refusals[.address] == 1 && refusals[.connections] == 2 && refusals[.memory] == 0)
    }

    @Test func `Connections of one address draw together, and leave others a quarter`() throws {
        let registry = ConnectionRegistry(
            countMax: 100,
            countPerAddressMax: 100,
            budget: self.budget,
            refusals: ConnectionRefusals { _ in }
        )
        let channels = try (0..<50).map { try self.channel(from: "10.0.0.1", port: $0 + 1) }
        for channel in channels {
            let budget = try #require(registry.add(channel))
            while budget.draw(1 << 10, holding: 0) {}
        }
        #expect(self.budget.drawnBytes == self.budget.bytesMax / 4 * 3)
        let other = try #require(registry.add(try self.channel(from: "10.0.0.2")))
        #expect(other.draw(self.budget.bytesMax / 8, holding: 0))
        // The next connection of the first address still finds what the others hold.
        #expect(try #require(registry.add(try self.channel(from: "10.0.0.1"))).draw(1, holding: 0) == false)
    }

    @Test func `Bounds that change hold for connections that begin, and end none`() throws {
        let registry = ConnectionRegistry(
            countMax: 2,
            countPerAddressMax: 2,
            budget: self.budget,
            refusals: ConnectionRefusals { _ in }
        )
        let first = try self.channel(from: "10.0.0.1")
        #expect(nil != registry.add(first))
        #expect(nil != registry.add(try self.channel(from: "10.0.0.2")))
        registry.setBounds(countMax: 3, countPerAddressMax: 1)
        #expect(nil == registry.add(try self.channel(from: "10.0.0.1", port: 2)))
        #expect(nil != registry.add(try self.channel(from: "10.0.0.3")))
        registry.setBounds(countMax: 1, countPerAddressMax: 1)
        #expect(first.isActive)
        #expect(nil == registry.add(try self.channel(from: "10.0.0.4")))
    }

    @Test func `Each bound is told of once a minute, and every connection that it closes is counted`() {
        let told = Recorded<ConnectionRefusals.Reason>()
        let refusals = ConnectionRefusals { told.append($0) }
        let start = NIODeadline.now()
        for seconds: Int64 in [0, 1, 59] {
            refusals.count(.address, now: start + .seconds(seconds))
            refusals.count(.connections, now: start + .seconds(seconds))
        }
        #expect(told.list == [.address, .connections])
        refusals.count(.address, now: start + .seconds(60))
        #expect(told.list == [.address, .connections, .address])
        #expect(refusals[.address] == 4 && refusals[.connections] == 3)
    }

    @Test(arguments: [
        (nil, 744, 744), (nil, 50_000, 10_000), (20_000, 50_000, 20_000), (20_000, 15_000, 15_000), (5, 744, 5),
    ])
    func `What is asked for is bounded by file descriptors alone, and what is not, by 10,000`(
        _ asked: Int?,
        _ allowed: Int,
        _ expected: Int
    ) {
        let warnings = Recorded<String>()
        let logger = Logger(label: "test", factory: { _ in RecordingLogHandler(warnings) })
        let configuration = RunningServer.configuration { $0.connectionsMax = asked }
        #expect(BrasaServer.connectionsMax(configuration, allowed: allowed, logger: logger) == expected)
        let isCut = asked.map { $0 > expected } ?? false
        #expect(warnings.list.count == (isCut ? 1 : 0))
        #expect(warnings.list.allSatisfy { $0.contains("--connections") })
    }

    @Test(arguments: [
        ("10.0.0.1", "10.0.0.1", true), ("10.0.0.1", "10.0.0.2", false), ("::ffff:10.0.0.1", "10.0.0.1", true),
        ("::ffff:10.0.0.1", "::ffff:10.0.0.2", false), ("2001:db8::1", "2001:db8::ffff:1", true),
        ("2001:db8::1", "2001:db8:0:1::1", false), ("::1", "10.0.0.1", false),
    ])
    func `A peer is an IPv4 address or a network of IPv6`(_ one: String, _ other: String, isSame: Bool) throws {
        let one = PeerAddress(try SocketAddress(ipAddress: one, port: 1))
        let other = PeerAddress(try SocketAddress(ipAddress: other, port: 2))
        #expect((one == other) == isSame)
    }
}
