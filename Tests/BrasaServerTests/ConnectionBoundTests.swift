import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaServer

@Suite struct ConnectionBoundTests {
    private func channel(from address: String, port: Int = 1000) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: address, port: port)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        channel.remoteAddress = try SocketAddress(ipAddress: address, port: port)
        return channel
    }

    @Test func `Connections are bounded in all and from one address, and places are given back`() throws {
        let registry = ConnectionRegistry(countMax: 4, countPerAddressMax: 2)
        let first = try self.channel(from: "10.0.0.1")
        #expect(registry.add(first))
        #expect(registry.add(try self.channel(from: "10.0.0.1", port: 2)))
        #expect(!registry.add(try self.channel(from: "10.0.0.1", port: 3)))
        #expect(registry.add(try self.channel(from: "10.0.0.2")))
        #expect(registry.add(try self.channel(from: "10.0.0.3")))
        #expect(!registry.add(try self.channel(from: "10.0.0.4")))
        _ = try first.finish()
        #expect(registry.add(try self.channel(from: "10.0.0.1", port: 4)))
        #expect(!registry.add(try self.channel(from: "10.0.0.4")))
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
