import BrasaStatus
import Foundation
import Synchronization
import Testing

@testable import BrasaFirestore
@testable import BrasaSync

@Suite("Tasks that stop waiting")
struct CancellationTests {
    private func expectCancelled(_ task: Task<Void, any Error>) async {
        let error = await #expect(throws: NSError.self) { try await task.value }
        #expect(error?.domain == FirestoreErrorDomain)
        #expect(error?.code == FirestoreErrorCode.cancelled.rawValue)
        // What tells it from what a server calls so.
        #expect(error?.userInfo[NSUnderlyingErrorKey] is CancellationError)
    }

    @Test("One clause catches the cancellation of a task, whatever it was waiting for")
    func oneClause() async throws {
        let task = Task {
            do {
                withUnsafeCurrentTask { $0?.cancel() }
                try await Task.sleep(for: .seconds(60))
                return "slept"
            } catch FirestoreErrorCode.cancelled {
                return "cancelled"
            }
        }
        #expect(try await task.value == "cancelled")
        #expect(FirestoreErrorCode(CancellationError()) == nil)
        #expect(!(FirestoreErrorCode.Code.unavailable ~= CancellationError()))
    }

    @Test("A cancelled read ends, before or after it has begun", arguments: 0..<20)
    func reads(_ turns: Int) async throws {
        let database = try await Databases.offline()
        // There is a network, and nobody who answers.
        try await database.enableNetwork()
        let reference = database.document("c/n")
        let query = database.collection("c")
        for read in [
            { _ = try await reference.getDocument() },
            { _ = try await reference.getDocument(source: .server) },
            { _ = try await query.getDocuments() },
            { _ = try await query.getDocuments(source: .server) },
        ] as [@Sendable () async throws -> Void] {
            let task = Task { try await read() }
            for _ in 0..<turns { await Task.yield() }
            task.cancel()
            await self.expectCancelled(task)
        }
        // The engine has let go of all of them.
        let count = try await database.core().wait { client, done in
            done(.success(client.reads.count))
            return nil
        }
        #expect(count == 0)
    }

    @Test("A write that nobody waits for any more stays queued")
    func writes() async throws {
        let database = try await Databases.offline()
        let reference = database.document("c/n")
        let loop = Loop(reference.snapshots)
        _ = try await loop.next()
        let write = Task { try await reference.setData(["n": 1]) }
        // It has begun once it is seen.
        #expect(try await loop.next()?["n"] as? Int == 1)
        let wait = Task { try await database.waitForPendingWrites() }
        for task in [write, wait] {
            task.cancel()
            await self.expectCancelled(task)
        }
        let snapshot = try await reference.getDocument(source: .cache)
        #expect(snapshot.metadata.hasPendingWrites)
    }

    @Test("The error says whether a write is queued, whenever its task is cancelled")
    func queuedOrNot() async throws {
        var outcomes: Set<Bool> = []
        for turns in 0..<40 { outcomes.formUnion(try await self.outcomes(turns)) }
        outcomes.formUnion(try await self.outcomes(nil))
        #expect(outcomes == [true, false])
    }

    /// Whether writes are queued whose tasks were cancelled after so many turns; nil: once they are.
    private func outcomes(_ turns: Int?) async throws -> Set<Bool> {
        let database = try await Databases.offline()
        let references = [database.document("c/set"), database.document("c/batch"), database.document("c/added")]
        let writes =
            ([
                { try await references[0].setData(["n": 1]) },
                { try await database.batch().setData(["n": 1], forDocument: references[1]).commit() },
                {
                    // Before it has begun.
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await references[2].setData(["n": 1])
                },
            ] as [@Sendable () async throws -> Void]).map { write in Task { try await write() } }
        if let turns {
            for _ in 0..<turns { await Task.yield() }
        } else {
            while try await database.collection("c").getDocuments(source: .cache).count < 2 {}
        }
        for write in writes { write.cancel() }
        var outcomes: Set<Bool> = []
        for (write, reference) in zip(writes, references) {
            let error = try #require(await #expect(throws: NSError.self) { try await write.value })
            #expect(FirestoreErrorCode(error)?.code == .cancelled)
            let snapshot = try? await reference.getDocument(source: .cache)
            let isQueued = FirestoreErrorCode.isWriteQueued(error)
            #expect(isQueued == (snapshot?.exists ?? false))
            outcomes.insert(isQueued)
        }
        #expect(try await database.collection("c").whereField("n", isEqualTo: 1).getDocuments().count <= 2)
        return outcomes
    }

    @Test("A write that waits when the client is terminated says that it is queued")
    func terminated() async throws {
        let database = try await Databases.offline()
        let reference = database.document("c/n")
        let loop = Loop(reference.snapshots)
        _ = try await loop.next()
        let write = Task { try await reference.setData(["n": 1]) }
        #expect(try await loop.next()?["n"] as? Int == 1)
        try await database.terminate()
        let error = try #require(await #expect(throws: NSError.self) { try await write.value })
        #expect(FirestoreErrorCode(error)?.code == .cancelled && FirestoreErrorCode.isWriteQueued(error))
        let late = try #require(await #expect(throws: NSError.self) { try await reference.setData(["n": 1]) })
        #expect(FirestoreErrorCode(late)?.code == .failedPrecondition && !FirestoreErrorCode.isWriteQueued(late))
    }

    @Test("A transaction that waits for its next attempt is cancelled like every other call")
    func transactions() async throws {
        let server = FakeDatastore { _ in .refuse(.unavailable) }
        let database = try await Databases.offline(calls: server)
        let (waits, runner) = try database.runnerThatWaits()
        let transaction = Task {
            try await runner.run { transaction in
                _ = transaction.setData(["n": 1], forDocument: database.document("c/a"))
            }
        }
        _ = try await Loop(waits).next()
        transaction.cancel()
        await self.expectCancelled(transaction)
        #expect(server.commits == 1)
    }

    @Test("A transaction that is cancelled before its commit writes nothing, and one after it ends as the commit does")
    func commits() async throws {
        let server = FakeDatastore()
        let database = try await Databases.offline(calls: server)
        let early = Task {
            _ = try await database.runTransaction { transaction in
                transaction.setData(["n": 1], forDocument: database.document("c/a"))
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await self.expectCancelled(early)
        #expect(server.commits == 0)
        let task = Mutex<Task<Void, any Error>?>(nil)
        let late = FakeDatastore { _ in
            task.withLock { $0?.cancel() }
            return nil
        }
        let other = try await Databases.offline(calls: late)
        let (starts, start) = AsyncStream<Void>.makeStream()
        let running = Task {
            _ = try await Loop(starts).next()
            _ = try await other.runTransaction { $0.setData(["n": 1], forDocument: other.document("c/a")) }
        }
        task.withLock { $0 = running }
        start.yield()
        try await running.value
        #expect(try late.fields("c/a") != nil)
    }

    @Test("A transaction whose commit waits to be sent is cancelled at once, and commits nothing later")
    func unsentCommits() async throws {
        for turns in [0, 10, 1_000] {
            for hold in [FakeDatastore.holdBeginnings, FakeDatastore.holdCommits] {
                let server = FakeDatastore()
                let pause = Pause()
                hold(server)(pause)
                let database = try await Databases.offline(calls: server)
                let task = Task {
                    _ = try await database.runTransaction { transaction in
                        transaction.setData(["n": 1], forDocument: database.document("c/a"))
                    }
                }
                while server.holdCount == 0 { await Task.yield() }
                for _ in 0..<turns { await Task.yield() }
                task.cancel()
                await self.expectCancelled(task)
                pause.end()
                // What was begun is rolled back, which nobody waits for.
                while server.questionTimes.isEmpty { await Task.yield() }
                #expect(server.commits == 0 && server.openTransactions == 0)
            }
        }
    }

    @Test("Whoever waits for a bulk writer can stop waiting")
    func bulkWriters() async throws {
        let database = try await Databases.offline()
        // Nothing is answered.
        try await database.disableNetwork()
        let writer = database.bulkWriter()
        let reference = database.document("c/n")
        let receipt = try await writer.deleteDocument(reference)
        let wait = Task { _ = try await receipt.updateTime() }
        for n in 1..<BulkSender.unfinishedMax { try await writer.deleteDocument(database.document("c/\(n)")) }
        let add = Task { _ = try await writer.deleteDocument(reference) }
        while await writer.sender.waitingForRoomCount == 0 || receipt.waitingCount == 0 { await Task.yield() }
        for task in [wait, add] {
            task.cancel()
            await self.expectCancelled(task)
        }
        let error = try #require(await #expect(throws: NSError.self) { try await wait.value })
        #expect(
            FirestoreErrorCode.isWriteQueued(error) && error.localizedDescription.contains("The bulk writer goes on")
        )
        try await database.terminate()
    }
}
