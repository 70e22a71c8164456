import BrasaGRPC
import BrasaHTTP2
import BrasaMessages
import BrasaStatus
import BrasaWire
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import BrasaFirestore

/// Where calls get their tokens from, and what the wait for one costs them.
@Suite struct TokenTests {
    @Test func `Tokens go with calls and are fetched again when the server refuses them`() async throws {
        let seen = Mutex<[String?]>([])
        let server = try await ScriptedServer([
            .init(
                FirestoreMethods.commit,
                { call, _, _ in
                    let token = call.metadata.string(.authorization)
                    seen.withLock { $0.append(token) }
                    guard token != "Bearer 1" else { return call.finish(GRPCStatus(.unauthenticated, "old")) }
                    call.respond(ByteBuffer())
                }
            )
        ])
        let refreshes = Mutex<[Bool]>([])
        let client = try TransportClient(
            port: server.port,
            token: { isRefresh in
                refreshes.withLock {
                    $0.append(isRefresh)
                    return "\($0.count)"
                }
            }
        )
        try await client.commitNothing()
        try await client.commitNothing()
        #expect(seen.withLock { $0 } == ["Bearer 1", "Bearer 2", "Bearer 2"])
        #expect(refreshes.withLock { $0 } == [false, true])
        await client.channel.close()
        try await server.stop()
    }

    @Test func `A token that is refused again is the caller's to know`() async throws {
        let calls = Counter()
        let server = try await ScriptedServer([
            .init(
                FirestoreMethods.commit,
                { call, _, _ in
                    calls.increment()
                    call.finish(GRPCStatus(.unauthenticated, "never"))
                }
            )
        ])
        let client = try TransportClient(port: server.port, token: { _ in "t" })
        do {
            try await client.commitNothing()
            Issue.record("it was let in")
        } catch let error as CallError {
            #expect(error.status.code == .unauthenticated)
            #expect(!error.mayHaveBeenApplied)
        }
        #expect(calls.value == 2)
        await client.channel.close()
        try await server.stop()
    }

    @Test func `A provider's failure fails the call, and the next one asks again`() async throws {
        struct NoToken: Error {}
        let server = try await ScriptedServer([
            .init(FirestoreMethods.commit, { call, _, _ in call.respond(ByteBuffer()) })
        ])
        let asked = Counter()
        let client = try TransportClient(
            port: server.port,
            token: { _ in
                if asked.increment() == 1 { throw NoToken() }
                return "t"
            }
        )
        await #expect(throws: CallError.self) { try await client.commitNothing() }
        try await client.commitNothing()
        #expect(asked.value == 2)
        await client.channel.close()
        try await server.stop()
    }

    @Test(arguments: ["", "read from a file\n", "a\u{1}", "sécret", "a "])
    func `A token that no header can carry fails the call, which says so`(token: String) async throws {
        let server = try await ScriptedServer([
            .init(FirestoreMethods.commit, { call, _, _ in call.respond(ByteBuffer()) })
        ])
        let client = try TransportClient(port: server.port, token: { _ in token })
        do {
            try await client.commitNothing()
            Issue.record("it was sent")
        } catch let error as CallError {
            #expect(error.status.code == .unauthenticated)
            #expect(error.status.message.contains("the token"))
        }
        await client.channel.close()
        try await server.stop()
    }

    @Test func `Calls that end do not wait for a token any longer`() async throws {
        let (released, release) = AsyncStream<Void>.makeStream()
        var policies = TransportClient.quickPolicies
        policies[.commit].timeout = .milliseconds(50)
        let client = try TransportClient(
            port: 1,
            token: { _ in
                for await _ in released { break }
                return "t"
            },
            policies: policies
        )
        let credentials = client.caller.credentials
        for _ in 0..<3 {
            do {
                try await client.commitNothing()
                Issue.record("the commit was answered")
            } catch let error as CallError {
                #expect(error.status.code == .deadlineExceeded)
                #expect(error.status.message.contains("token"))
            }
        }
        let waiting = try await client.channel.eventLoop.submit { credentials.waitingCount }.get()
        #expect(waiting == 0)
        release.finish()
        await client.channel.close()
    }

    @Test func `A provider that takes too long fails the calls that wait, and the next one asks again`() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let asked = Counter()
        let credentials = Credentials(
            { _ in
                guard asked.increment() == 1 else { return "t" }
                for await _ in AsyncStream<Void>.makeStream().stream {}
                // Cancelled, and too late.
                return "late"
            },
            eventLoop: eventLoop,
            timeout: .milliseconds(100)
        )
        func token() async throws -> String? {
            try await eventLoop.flatSubmit {
                let promise = eventLoop.makePromise(of: String?.self)
                _ = credentials.withToken { result in
                    promise.completeWith(result.map(\.text).mapError { $0.status })
                }
                return promise.futureResult
            }.get()
        }
        await #expect(throws: GRPCStatus.self) { try await token() }
        // The machine may be slow as well.
        for _ in 0..<100 where (try? await token()) != "t" {}
        let count = asked.value
        #expect(try await token() == "t")
        #expect(asked.value == count)
    }

    @Test func `Calls past the bound do not wait for a token`() async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let (released, release) = AsyncStream<Void>.makeStream()
        let credentials = Credentials(
            { _ in
                for await _ in released { break }
                return "t"
            },
            eventLoop: eventLoop,
            timeout: .hours(1)
        )
        let codes = Mutex<[StatusCode]>([])
        try await eventLoop.submit {
            for _ in 0..<Credentials.waitingMax + 2 {
                _ = credentials.withToken { result in
                    guard case .failure(let failure) = result else { return }
                    codes.withLock { $0.append(failure.status.code) }
                }
            }
        }.get()
        #expect(codes.withLock { $0 } == [.resourceExhausted, .resourceExhausted])
        release.finish()
    }

    @Test func `An attempt gets what is left of the call's time`() async throws {
        let (told, seen) = AsyncStream<TimeAmount>.makeStream()
        let attempts = Counter()
        let server = try await ScriptedServer([
            .init(
                FirestoreMethods.commit,
                { call, _, _ in
                    seen.yield((call.deadline ?? .distantFuture) - .now())
                    if attempts.increment() == 1 {
                        call.finish(GRPCStatus(.unauthenticated, "another token, please"))
                    } else {
                        call.respond(ByteBuffer())
                    }
                }
            )
        ])
        let waited = Mutex<[TimeAmount]>([])
        let allowed = TimeAmount.minutes(30)
        var policies = TransportClient.quickPolicies
        policies[.commit].timeout = allowed
        let client = try TransportClient(
            port: server.port,
            token: { _ in
                let begin = NIODeadline.now()
                while .now() - begin < .milliseconds(200) { try await Task.sleep(for: .milliseconds(50)) }
                waited.withLock { $0.append(.now() - begin) }
                return "t"
            },
            policies: policies
        )
        try await client.commitNothing()
        var iterator = told.makeAsyncIterator()
        let times = [try #require(await iterator.next()), try #require(await iterator.next())]
        let waits = waited.withLock { $0 }
        // But for what headers are rounded to.
        let timeout = allowed + .milliseconds(5)
        #expect(times[0] <= timeout - waits[0])
        #expect(times[1] <= timeout - waits[0] - waits[1])
        await client.channel.close()
        try await server.stop()
    }
}
