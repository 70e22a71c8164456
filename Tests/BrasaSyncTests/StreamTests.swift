import BrasaDocuments
import BrasaStatus
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

@Suite struct StreamTests {
    private let unavailable = SyncError(.unavailable)

    private func delay(_ test: TestClient, _ timer: SyncTimer) -> Duration? {
        test.scheduler.timers.first { $0.timer == timer }.map { $0.due - test.scheduler.uptime }
    }

    /// Breaks the watch stream and gives how long the client then waits.
    private func breakWatch(_ test: TestClient, _ error: SyncError? = SyncError(.unavailable)) -> Duration? {
        test.transport.breakWatch(error)
        test.settle()
        let delay = self.delay(test, .watchStreamBackoff)
        test.scheduler.fire(.watchStreamBackoff)
        test.settle()
        return delay
    }

    @Test func `A stream that fails is opened again at once, then ever later, up to a minute`() throws {
        let test = try TestClient()
        test.listen(try collection("c"))
        var delays: [Duration?] = []
        for _ in 0..<4 { delays.append(self.breakWatch(test)) }
        #expect(delays == [.zero, .seconds(1), .seconds(1.5), .seconds(2.25)])
        for _ in 0..<10 { _ = self.breakWatch(test) }
        #expect(self.breakWatch(test) == .seconds(60))
    }

    @Test func `The delay is spread by half to both sides`() throws {
        for (dice, delay) in [(0.0, 0.5), (0.75, 1.25)] {
            let test = try TestClient()
            test.scheduler.dice = dice
            test.listen(try collection("c"))
            _ = self.breakWatch(test)
            #expect(self.breakWatch(test) == .seconds(delay))
        }
    }

    @Test func `A snapshot makes the next delay the shortest, and a stream that lasts makes it none`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query)
        for _ in 0..<5 { _ = self.breakWatch(test) }
        test.bring([], to: query, at: 10)
        #expect(self.breakWatch(test) == .seconds(1))
        #expect(self.breakWatch(test) == .seconds(1.5))
        test.scheduler.fire(.watchStreamHealth)
        #expect(self.breakWatch(test) == .zero)
    }

    @Test func `Messages that come to nothing do not make the client hurry back`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query)
        var delays: [Duration?] = []
        for _ in 0..<3 {
            test.say(.target(.init(.add, targets: [test.wireID(of: query)])))
            delays.append(self.breakWatch(test, SyncError(.internal)))
        }
        #expect(delays == [.zero, .seconds(1), .seconds(1.5)])
    }

    @Test func `Snapshots that are followed by what breaks the stream do not make a loop without a pause`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query)
        var delays: [Duration?] = []
        for version in 1...4 as ClosedRange<Int64> {
            test.bring([], to: query, at: version)
            delays.append(self.breakWatch(test, SyncError(.internal)))
        }
        #expect(delays == [.zero, .seconds(1), .seconds(1), .seconds(1)])
    }

    @Test func `Exhausted resources make the client wait the longest, an end without error is a failure`() throws {
        let test = try TestClient()
        test.listen(try collection("c"))
        #expect(self.breakWatch(test, nil) == .zero)
        #expect(self.breakWatch(test, SyncError(.resourceExhausted)) == .seconds(60))
    }

    @Test func `A write handshake alone does not shorten the delay`() throws {
        let test = try TestClient()
        test.write(try set("c/a", [:]))
        var delays: [Duration?] = []
        for _ in 0..<3 {
            test.transport.breakWrites(self.unavailable)
            test.settle()
            delays.append(self.delay(test, .writeStreamBackoff))
            test.scheduler.fire(.writeStreamBackoff)
            test.settle()
        }
        #expect(delays == [.zero, .seconds(1), .seconds(1.5)])
        #expect(test.transport.writes?.pending.count == 1)
    }

    @Test func `A failed handshake rejects no write, whatever the error`() throws {
        let test = try TestClient()
        test.client.write([try set("c/a", [:])]) { _ in test.log.append("answered") }
        // Not settled: the stream has not been opened.
        test.transport.breakWrites(SyncError(.permissionDenied))
        test.settle()
        #expect(test.log == [])
        #expect(self.delay(test, .writeStreamBackoff) == .zero)
    }

    @Test func `Refused credentials are fetched anew, but not when the stream had worked for long`() throws {
        let test = try TestClient()
        test.listen(try collection("c"))
        _ = self.breakWatch(test, SyncError(.unauthenticated))
        #expect(test.transport.invalidations == 1)
        test.scheduler.fire(.watchStreamHealth)
        _ = self.breakWatch(test, SyncError(.unauthenticated))
        #expect(test.transport.invalidations == 1)
    }

    @Test func `A stream without use is closed after a minute, and opened when there is use again`() throws {
        let test = try TestClient()
        let query = try collection("c")
        let token = test.listen(query)
        test.client.unlisten(token)
        test.settle()
        #expect(self.delay(test, .watchStreamIdle) == .seconds(60))
        test.listen(query)
        #expect(self.delay(test, .watchStreamIdle) == nil)
        for view in test.engine.views.all { test.engine.unlisten(view.query) }
        test.scheduler.fire(.watchStreamIdle)
        test.settle()
        #expect(test.transport.watch == nil)
    }

    @Test func `A write stream says goodbye with its last token when it is idle`() throws {
        let test = try TestClient()
        test.write(try set("c/a", [:]))
        test.acknowledge(5)
        #expect(test.transport.writeRequests == 2)
        test.scheduler.fire(.writeStreamIdle)
        test.settle()
        #expect(test.transport.writes == nil)
        #expect(test.transport.writeRequests == 3)
    }

    @Test func `An answer that does not fit the write breaks the stream, ever more rarely, and the write stays`() throws
    {
        let test = try TestClient()
        test.write(try set("c/a", [:]))
        var delays: [Duration?] = []
        for _ in 0..<3 {
            test.transport.answer(
                WriteMessage(streamToken: [2], commitTime: Timestamp(microseconds: 5), results: [])
            )
            test.settle()
            delays.append(self.delay(test, .writeStreamBackoff))
            test.scheduler.fire(.writeStreamBackoff)
            test.settle()
        }
        #expect(test.log == [])
        #expect(delays == [.zero, .seconds(1), .seconds(1.5)])
        #expect(test.transport.writes?.pending.count == 1)
    }

    @Test func `What an old connection says is not heard`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query)
        let old = try #require(test.transport.watch)
        _ = self.breakWatch(test)
        let id = test.wireID(of: query)
        old.delegate.watchStreamReceived(.target(.init(.add, targets: [id])))
        old.delegate.watchStreamReceived(.target(.init(.current, targets: [id], resumeToken: [1])))
        old.delegate.watchStreamReceived(
            .target(.init(.noChange, targets: [], readTime: Timestamp(microseconds: 5)))
        )
        old.delegate.watchStreamClosed(self.unavailable)
        test.settle()
        #expect(test.transport.watch != nil)
        #expect(test.last?.isFromCache != false)
    }

    @Test func `A resumed target says how many documents it has`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let query = try collection("c")
        let token = test.listen(query)
        #expect(test.transport.watch?.active.values.first?.expectedCount == nil)
        let documents = try (0..<3).map { try document("c/\($0)", 1, [:]) }
        test.bring(documents, to: query, at: 10)
        test.client.unlisten(token)
        test.write(try set("c/new", [:]))
        test.listen(query)
        let request = test.transport.watch?.active.values.first
        #expect(request?.resumption == .token(Array("t10".utf8)))
        #expect(request?.expectedCount == 3)
    }

    @Test func `Each time that a target is listened to it has a new id on the wire`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let query = try collection("c")
        let token = test.listen(query)
        let (first, target) = (test.wireID(of: query), test.engine.targetID(of: query))
        test.client.unlisten(token)
        test.listen(query)
        #expect(test.engine.targetID(of: query) == target)
        #expect(test.wireID(of: query) != first)
        // The server's refusal of the first is no refusal of the second.
        test.say(.target(.init(.remove, targets: [first], cause: SyncError(.permissionDenied))))
        #expect(test.log == [])
    }
}
