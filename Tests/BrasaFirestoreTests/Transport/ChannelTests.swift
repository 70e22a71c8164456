import BrasaBackoff
import BrasaClientNetwork
import BrasaGRPC
import BrasaHTTP2
import BrasaMessages
import BrasaStatus
import BrasaSync
import BrasaWire
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import BrasaFirestore

@Suite struct ChannelTests {
    @Test(arguments: [
        ("localhost:8080", "localhost", 8080), ("localhost", "localhost", 443), ("10.0.0.1:1", "10.0.0.1", 1),
        ("[::1]:65535", "::1", 65535), ("::1", "::1", 443), ("[fe80::1]", "fe80::1", 443),
    ])
    func `Addresses are read with and without a port`(_ text: String, host: String, port: Int) {
        #expect(ServerAddress(text, defaultPort: 443) == ServerAddress(host: host, port: port))
    }

    @Test(arguments: ["", ":1", "a:", "a:0", "a:65536", "a:-1", "a:+1", "[::1", "[::1]x", "http://a", "a:b"])
    func `What is no address is refused`(_ text: String) {
        #expect(ServerAddress(text, defaultPort: 443) == nil)
    }

    @Test func `A backoff begins with no wait, grows to its bound, and starts over`() {
        var settings = BackoffDelays.Settings()
        settings.jitter = 0.5
        var backoff = BackoffDelays(settings)
        let middle = (0..<16).map { _ in backoff.next(spent: .zero, chance: 0.5) }
        #expect(middle.prefix(4) == [.zero, .seconds(1), .milliseconds(1500), .milliseconds(2250)])
        #expect(middle.last == .seconds(60))
        backoff.reset()
        #expect(backoff.next(spent: .zero, chance: 1) == .zero)
        #expect(backoff.next(spent: .zero, chance: 1) == .milliseconds(1500))
        #expect(backoff.next(spent: .zero, chance: 0) == .milliseconds(750))
        // Time that has passed anyway counts.
        #expect(backoff.next(spent: .seconds(1), chance: 0.5) == .milliseconds(1250))
        #expect(backoff.next(spent: .seconds(100), chance: 0.5) == .zero)
        backoff.resetToLongest()
        #expect(backoff.next(spent: .zero, chance: 0.5) == .seconds(60))
    }

    private static let answering: ScriptedServer.Unary = { call, _, _ in call.respond(ByteBuffer()) }

    /// A server for each counter, which counts its commits.
    private static func countingServers(_ counters: [Counter]) async throws -> [ScriptedServer] {
        var servers: [ScriptedServer] = []
        for counter in counters {
            let counting: ScriptedServer.Unary = { call, _, _ in
                counter.increment()
                call.respond(ByteBuffer())
            }
            servers.append(try await ScriptedServer([.init(FirestoreMethods.commit, counting)]))
        }
        return servers
    }

    @Test func `Calls take turns over all addresses of the server`() async throws {
        let counters = [Counter(), Counter(), Counter()]
        let servers = try await Self.countingServers(counters)
        let addresses = try servers.map { try #require($0.channel.localAddress) }
        let client = try TransportClient(port: 1, resolver: FixedResolver(addresses: addresses))
        // Until all connections stand.
        while counters.contains(where: { $0.value == 0 }) { try await client.commitNothing() }
        let before = counters.map(\.value)
        for _ in 0..<30 { try await client.commitNothing() }
        #expect(zip(counters, before).map { $0.value - $1 } == [10, 10, 10])
        await client.channel.close()
        for server in servers { try await server.stop() }
    }

    @Test func `Names are looked up again when a connection is lost, also while others do the work`() async throws {
        let counters = (0..<3).map { _ in Counter() }
        let servers = try await Self.countingServers(counters)
        let addresses = try servers.map { try #require($0.channel.localAddress) }
        let resolver = ChangingResolver([addresses[0], addresses[1]])
        let client = try TransportClient(
            port: servers[0].port,
            resolver: resolver,
            change: { $0.resolutionAgeMin = .zero }
        )
        // Until both have a connection; no call is needed for the third one's.
        for _ in 0..<10_000 where counters[0].value == 0 || counters[1].value == 0 { try await client.commitNothing() }
        resolver.change(to: [addresses[1], addresses[2]])
        try await servers[0].stop()
        for _ in 0..<10_000 where counters[2].value == 0 { try? await client.commitNothing() }
        #expect(counters[2].value > 0)
        await client.channel.close()
        for server in servers { try? await server.stop() }
    }

    @Test func `An address that nobody listens on does not disturb calls`() async throws {
        let server = try await ScriptedServer([.init(FirestoreMethods.commit, Self.answering)])
        let unused = try await ScriptedServer([])
        let dead = try #require(unused.channel.localAddress)
        try await unused.stop()
        let addresses = [dead, try #require(server.channel.localAddress)]
        let client = try TransportClient(port: 1, resolver: FixedResolver(addresses: addresses))
        for _ in 0..<50 { try await client.commitNothing() }
        await client.channel.close()
        try await server.stop()
    }

    /// Ends its connections with GOAWAY after every few requests.
    @Test func `GOAWAY fails no call, and none is done twice`() async throws {
        let done = Counter()
        let server = try await ScriptedServer([
            .init(
                FirestoreMethods.commit,
                { call, _, channel in
                    if done.increment() % 7 == 0 {
                        let http2 = try? channel.pipeline.syncOperations.handler(type: HTTP2Connection.self)
                        http2?.drain(grace: .seconds(60))
                    }
                    // Some while the connection is ending.
                    call.eventLoop.execute { call.respond(ByteBuffer()) }
                }
            )
        ])
        let client = try TransportClient(port: server.port)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { for _ in 0..<20 { try await client.commitNothing() } }
            }
            try await group.waitForAll()
        }
        #expect(done.value == 400)
        #expect(server.connections.all.count > 1)
        await client.channel.close()
        try await server.stop()
    }

    @Test func `Reads survive connections that break, commits say that they may have been applied`() async throws {
        let reads = Counter()
        let commits = Counter()
        let server = try await ScriptedServer([
            .init(
                FirestoreMethods.listCollectionIds,
                { call, _, channel in
                    if reads.increment() < 4 { return channel.close(promise: nil) }
                    call.respond(ByteBuffer())
                }
            ),
            .init(
                FirestoreMethods.commit,
                { _, _, channel in
                    commits.increment()
                    channel.close(promise: nil)
                }
            ),
        ])
        let client = try TransportClient(port: server.port)
        try await client.listCollections()
        #expect(reads.value == 4)
        do {
            try await client.commitNothing()
            Issue.record("the commit was answered")
        } catch let error as CallError {
            #expect(error.status.code == .unavailable)
            #expect(error.mayHaveBeenApplied)
        }
        #expect(commits.value == 1)
        await client.channel.close()
        try await server.stop()
    }

    @Test(arguments: [
        (code: StatusCode.resourceExhausted, count: 3), (.unavailable, 1), (.aborted, 1), (.invalidArgument, 1),
    ])
    func `A commit is repeated when the server itself has refused it for now`(
        _ answer: (code: StatusCode, count: Int)
    ) async throws {
        let commits = Counter()
        let server = try await ScriptedServer([
            .init(
                FirestoreMethods.commit,
                { call, _, _ in
                    if commits.increment() < 3 { return call.finish(GRPCStatus(answer.code, "no")) }
                    call.respond(ByteBuffer())
                }
            )
        ])
        let client = try TransportClient(port: server.port)
        do {
            try await client.commitNothing()
            #expect(answer.count == 3)
        } catch let error as CallError {
            #expect(error.status.code == answer.code)
            #expect(error.mayHaveBeenApplied == (answer.code == .unavailable))
        }
        #expect(commits.value == answer.count)
        await client.channel.close()
        try await server.stop()
    }

    @Test func `Deadlines travel with calls, and end calls that nobody answers`() async throws {
        let deadlines = Mutex<[Bool]>([])
        let server = try await ScriptedServer([
            .init(FirestoreMethods.commit, { call, _, _ in deadlines.withLock { $0.append(call.deadline != nil) } })
        ])
        var policies = TransportClient.quickPolicies
        policies[.commit].timeout = .milliseconds(100)
        let client = try TransportClient(port: server.port, policies: policies)
        // Until one of them gets as far as to the server.
        for _ in 0..<100 where deadlines.withLock({ $0.isEmpty }) {
            do {
                try await client.commitNothing()
                Issue.record("the commit was answered")
            } catch let error as CallError {
                #expect(error.status.code == .deadlineExceeded)
            }
        }
        #expect(deadlines.withLock { !$0.isEmpty && $0.allSatisfy { $0 } })
        await client.channel.close()
        try await server.stop()
    }

    @Test func `A server that is not there is UNAVAILABLE, and nothing was applied`() async throws {
        let server = try await ScriptedServer([])
        let port = server.port
        try await server.stop()
        var policies = TransportClient.quickPolicies
        policies[.commit].retry.attemptsMax = 3
        let client = try TransportClient(port: port, policies: policies)
        do {
            try await client.commitNothing()
            Issue.record("nobody should answer")
        } catch let error as CallError {
            #expect(error.status.code == .unavailable)
            #expect(!error.mayHaveBeenApplied)
        }
        await client.channel.close()
    }

    @Test func `A cancelled task ends its call, and the server hears of it`() async throws {
        let (cancellations, cancelled) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        let server = try await ScriptedServer([
            .init(
                FirestoreMethods.commit,
                { call, _, _ in
                    call.onCancel { cancelled.yield() }
                    arrived.yield()
                }
            )
        ])
        let client = try TransportClient(port: server.port)
        let task = Task { try await client.commitNothing() }
        for await _ in arrivals { break }
        task.cancel()
        let result = await task.result
        #expect(throws: CallError.self) { try result.get() }
        for await _ in cancellations { break }
        await client.channel.close()
        try await server.stop()
    }

    @Test(arguments: [1, 2, 5]) func `Calls beyond the server's streams wait for their turn`(_ streams: Int)
        async throws
    {
        let open = Mutex((now: 0, most: 0))
        let server = try await ScriptedServer(
            [
                .init(
                    FirestoreMethods.commit,
                    { call, _, _ in
                        open.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                        call.eventLoop.execute {
                            open.withLock { $0.now -= 1 }
                            call.respond(ByteBuffer())
                        }
                    }
                )
            ],
            streamsMax: streams
        )
        let client = try TransportClient(port: server.port)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { try await client.commitNothing() } }
            try await group.waitForAll()
        }
        #expect(open.withLock { $0.most } <= streams)
        await client.channel.close()
        try await server.stop()
    }

    @Test func `A call that is given up makes room for those that wait`() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
        let calls = Counter()
        let server = try await ScriptedServer(
            [
                .init(
                    FirestoreMethods.commit,
                    { call, _, _ in
                        if calls.increment() > 1 { return call.respond(ByteBuffer()) }
                        arrived.yield()
                    }
                )
            ],
            streamsMax: 1
        )
        let client = try TransportClient(port: server.port)
        let first = Task { try await client.commitNothing() }
        for await _ in arrivals { break }
        async let second: Void = client.commitNothing()
        // It has nothing but the queue to go to; the cancellation comes after it on the same loop.
        try await client.channel.eventLoop.submit {}.get()
        first.cancel()
        try await second
        await client.channel.close()
        try await server.stop()
    }

    @Test func `Calls that were given up leave no places behind one that goes on waiting`() async throws {
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let server = try await ScriptedServer(
            [.init(FirestoreMethods.commit, { _, _, _ in arrived.yield() })],
            streamsMax: 1
        )
        let client = try TransportClient(port: server.port)
        let channel = client.channel
        // Takes the only stream.
        let busy = Task { try await client.commitNothing() }
        for await _ in arrivals { break }
        let places = try await channel.eventLoop.submit {
            let first = channel.acquire(isUrgent: false) { _ in }
            var most = 0
            for _ in 0..<1_000 {
                channel.acquire(isUrgent: false) { _ in }?.cancel()
                most = max(most, channel.waiterPlaces)
            }
            #expect(first != nil)
            first?.cancel()
            return most
        }.get()
        #expect(places < 100)
        busy.cancel()
        await channel.close()
        try await server.stop()
    }

    @Test func `A closed channel refuses calls`() async throws {
        let server = try await ScriptedServer([.init(FirestoreMethods.commit, Self.answering)])
        let client = try TransportClient(port: server.port)
        try await client.commitNothing()
        await client.channel.close()
        await #expect(throws: CallError.self) { try await client.commitNothing() }
        try await server.stop()
    }
}
