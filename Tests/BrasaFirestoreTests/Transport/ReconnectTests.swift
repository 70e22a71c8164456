import BrasaBackoff
import BrasaClientNetwork
import BrasaGRPC
import BrasaHTTP2
import BrasaMessages
import BrasaStatus
import BrasaSync
import BrasaWire
import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import BrasaFirestore

/// What becomes of calls when servers move, fall silent and come back.
@Suite struct ReconnectTests {
    private static let answering: ScriptedServer.Unary = { call, _, _ in call.respond(ByteBuffer()) }

    /// Answers with what it was last told.
    private final class MovingResolver: AddressResolver {
        private let addresses: Mutex<[SocketAddress]>

        init(_ address: SocketAddress) { self.addresses = Mutex([address]) }

        func move(to address: SocketAddress) { self.addresses.withLock { $0 = [address] } }

        func resolve(_ server: ServerAddress, on eventLoop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
            eventLoop.makeSucceededFuture(self.addresses.withLock { $0 })
        }
    }

    @Test func `A server that has moved is found by its name`() async throws {
        let first = try await ScriptedServer([.init(FirestoreMethods.listCollectionIds, Self.answering)])
        let second = try await ScriptedServer([.init(FirestoreMethods.listCollectionIds, Self.answering)])
        let resolver = MovingResolver(try #require(first.channel.localAddress))
        let client = try TransportClient(port: 1, resolver: resolver, change: { $0.resolutionAgeMin = .zero })
        try await client.listCollections()
        resolver.move(to: try #require(second.channel.localAddress))
        try await first.stop()
        try await client.listCollections()
        #expect(second.connections.all.count == 1)
        await client.channel.close()
        try await second.stop()
    }

    /// Waits until the port is free: a connection of another test's, or the client's attempt itself, can have been given it.
    private static func server(at port: Int) async throws -> ScriptedServer {
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            do {
                return try await ScriptedServer([.init(FirestoreMethods.listCollectionIds, Self.answering)], port: port)
            } catch let error as IOError where error.errnoCode == EADDRINUSE && ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    @Test func `A server that comes back is used again`() async throws {
        var server = try await ScriptedServer([.init(FirestoreMethods.listCollectionIds, Self.answering)])
        let port = server.port
        let client = try TransportClient(port: port)
        for _ in 0..<3 {
            try await client.listCollections()
            try await server.stop()
            // Waits through the backoff for the server to be there.
            async let answered: Void = client.listCollections()
            server = try await Self.server(at: port)
            try await answered
        }
        await client.channel.close()
        try await server.stop()
    }

    @Test func `A connection that falls silent is given up, and its reads are asked again elsewhere`() async throws {
        let reads = Counter()
        let server = try await ScriptedServer([
            .init(
                FirestoreMethods.listCollectionIds,
                { call, _, channel in
                    // The first connection hears and says nothing any more.
                    guard reads.increment() > 1 else {
                        return channel.setOption(.autoRead, value: false).whenComplete { _ in }
                    }
                    call.respond(ByteBuffer())
                }
            )
        ])
        let client = try TransportClient(
            port: server.port,
            change: { $0.keepalive = HTTP2Keepalive(interval: .milliseconds(20), timeout: .milliseconds(200)) }
        )
        try await client.listCollections()
        #expect(reads.value >= 2 && server.connections.all.count >= 2)
        await client.channel.close()
        try await server.stop()
    }

    @Test(arguments: [TimeAmount.seconds(20), .hours(100_000)])
    func `The kernel gives up a connection when what was sent is not acknowledged in the keepalive's timeout`(
        _ timeout: TimeAmount
    ) async throws {
        let server = try await ScriptedServer([])
        let address = try #require(server.channel.localAddress)
        var configuration = ChannelConfiguration(
            server: ServerAddress(host: "127.0.0.1", port: server.port),
            security: .plaintext
        )
        configuration.keepalive?.timeout = timeout
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let channel = try await eventLoop.flatSubmit { [configuration] in
            let promise = eventLoop.makePromise(of: (any Channel).self)
            do {
                let connector = try Connector(configuration, eventLoop: eventLoop)
                _ = connector.connect(to: address, keepalive: configuration.keepalive) { result in
                    promise.completeWith(result.map(\.channel).mapError { $0 as any Error })
                }
            } catch {
                promise.fail(error)
            }
            return promise.futureResult
        }.get()
        let value = try await channel.getOption(AcknowledgementTimeout.option).get()
        #expect(value == AcknowledgementTimeout(timeout).value && value > 0)
        #expect(AcknowledgementTimeout(.nanoseconds(1)).value == 1)
        try await channel.close()
        try await server.stop()
    }

    @Test func `A server that takes connections and says nothing is not taken for one`() async throws {
        let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        var policies = TransportClient.quickPolicies
        policies[.commit].retry.attemptsMax = 1
        let client = try TransportClient(port: silent.localAddress?.port ?? 0, policies: policies) {
            $0.connectTimeout = .milliseconds(50)
        }
        do {
            try await client.commitNothing()
            Issue.record("nobody should answer")
        } catch let error as CallError {
            #expect(error.status.code == .unavailable && !error.mayHaveBeenApplied)
        }
        await client.channel.close()
        try await silent.close()
    }

    @Test func `A server that cannot be reached is said to be so, however long each attempt takes`() async throws {
        var policies = TransportClient.quickPolicies
        policies[.commit].retry.attemptsMax = 1
        // Each attempt takes longer than the wait for the next.
        let client = try TransportClient(port: 1, policies: policies) {
            $0.backoff.initial = .nanoseconds(1)
            $0.backoff.max = .nanoseconds(1)
        }
        let error = await #expect(throws: CallError.self) { try await client.commitNothing() }
        #expect(error?.status.code == .unavailable)
        await client.channel.close()
    }

    @Test func `Too many waiting calls are refused`() async throws {
        let silent = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        var policies = TransportClient.quickPolicies
        policies[.commit].retry.attemptsMax = 1
        let client = try TransportClient(port: silent.localAddress?.port ?? 0, policies: policies) {
            $0.waitingCallsMax = 5
        }
        let statuses = await withTaskGroup(of: StatusCode?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    do { try await client.commitNothing() } catch { return (error as? CallError)?.status.code }
                    return nil
                }
            }
            var statuses: [StatusCode?] = []
            for await status in group {
                statuses.append(status)
                // The others wait for a server that will not answer.
                if statuses.count == 3 { group.cancelAll() }
            }
            return statuses
        }
        #expect(statuses.prefix(3).allSatisfy { $0 == .resourceExhausted })
        #expect(statuses.dropFirst(3).allSatisfy { $0 == .cancelled })
        await client.channel.close()
        try await silent.close()
    }
}
