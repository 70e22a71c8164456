import BrasaDocuments
import BrasaStatus
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

/// A server that is away: who asks is answered soon, and when it is back it is found soon.
@Suite struct OutageTests {
    private func delay(_ test: TestClient, _ timer: SyncTimer) -> Duration? {
        test.scheduler.timers.first { $0.timer == timer }.map { $0.due - test.scheduler.uptime }
    }

    private func read(_ test: TestClient, _ source: ReadSource) throws {
        test.client.getDocument(try path("c/a"), source: source) { result in
            switch result {
            case .success: test.log.append("read")
            case .failure(let error): test.log.append("error \(error.code)")
            }
        }
        test.settle()
    }

    private func breakWatch(_ test: TestClient, _ error: SyncError = SyncError(.unavailable)) {
        test.transport.breakWatch(error)
        test.settle()
    }

    /// A client that waits for almost a minute before it tries again.
    private func worn(_ test: TestClient) throws {
        for _ in 0..<12 {
            self.breakWatch(test)
            test.scheduler.fire(.watchStreamBackoff)
            test.settle()
        }
        self.breakWatch(test)
        #expect(self.delay(test, .watchStreamBackoff) == .seconds(60))
    }

    @Test func `Each read during an outage is answered when the next attempt fails, a second after the last`() throws {
        let test = try TestClient()
        try self.read(test, .default)
        self.breakWatch(test)
        #expect(test.log == ["error unavailable"])
        for count in 2..<20 {
            try self.read(test, .default)
            #expect(test.log.count == count - 1)
            #expect(try #require(self.delay(test, .watchStreamBackoff)) <= .seconds(1))
            #expect(self.delay(test, .onlineState) == .seconds(10))
            test.scheduler.fire(.watchStreamBackoff)
            test.settle()
            self.breakWatch(test)
            #expect(test.log.count == count)
        }
    }

    @Test func `A read from the server asks it at once, whatever was known of it before`() throws {
        let test = try TestClient()
        test.listen(try collection("d"))
        try self.worn(test)
        test.log = []
        try self.read(test, .server)
        #expect(test.transport.questions.count == 1)
        #expect(self.delay(test, .watchStreamBackoff) == .seconds(60))
        let found = try document("c/a", 1, [:])
        test.transport.answerRead(.success(ServerAnswer(documents: [found], readTime: Timestamp(microseconds: 10))))
        test.settle()
        #expect(test.log == ["read"])
    }

    @Test func `Who has found the server tells the others, who do not wait any longer`() throws {
        let test = try TestClient()
        test.listen(try collection("d"))
        try self.worn(test)
        test.client.serverReachable()
        #expect(self.delay(test, .watchStreamBackoff) == .seconds(1))
        test.scheduler.fire(.watchStreamBackoff)
        test.settle()
        let stream = try #require(test.transport.watch)
        test.client.serverReachable()
        test.settle()
        #expect(test.transport.watch === stream)
    }

    @Test func `A new write is not left waiting for long`() throws {
        let test = try TestClient()
        test.write(try set("c/a", [:]))
        for _ in 0..<12 {
            test.transport.breakWrites(SyncError(.unavailable))
            test.settle()
            test.scheduler.fire(.writeStreamBackoff)
            test.settle()
        }
        test.transport.breakWrites(SyncError(.unavailable))
        test.settle()
        #expect(self.delay(test, .writeStreamBackoff) == .seconds(60))
        test.write(try set("c/b", [:]))
        #expect(self.delay(test, .writeStreamBackoff) == .seconds(1))
    }

    @Test func `A server that has too much to do is left in peace`() throws {
        let test = try TestClient()
        test.listen(try collection("d"))
        self.breakWatch(test, SyncError(.resourceExhausted))
        let delay = try #require(self.delay(test, .watchStreamBackoff))
        #expect(delay > .seconds(30))
        test.client.serverReachable()
        try self.read(test, .server)
        #expect(self.delay(test, .watchStreamBackoff) == delay)
    }
}
