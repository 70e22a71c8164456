import BrasaStatus
import BrasaSync
import Dispatch
import Foundation
import Testing

@testable import BrasaFirestore

@Suite("After the end of a client")
struct TerminationTests {
    private func code(_ call: () async throws -> Void) async -> FirestoreErrorCode.Code? {
        do {
            try await call()
            return nil
        } catch {
            return FirestoreErrorCode(error)?.code
        }
    }

    private func told(_ call: (@escaping ((any Error)?) -> Void) -> Void) async -> FirestoreErrorCode.Code? {
        await withCheckedContinuation { continuation in
            call { error in continuation.resume(returning: error.flatMap { FirestoreErrorCode($0)?.code }) }
        }
    }

    @Test("Every call fails at once and stops nothing, also those that cannot throw")
    func calls() async throws {
        let database = try await Databases.offline()
        let reference = database.document("c/n")
        let query = database.collection("c")
        try await database.terminate()
        for code in [
            await self.told { reference.setData(["n": 1], completion: $0) },
            await self.told { done in reference.getDocument { done($1) } },
            await self.told { done in query.getDocuments { done($1) } },
            await self.told { done in query.count.getAggregation(source: .server) { done($1) } },
            await self.told { done in reference.addSnapshotListener { done($1) } },
            await self.told { done in database.runTransaction({ _, _ in nil }, completion: { done($1) }) },
            await self.told { done in database.loadBundle(Data(), completion: { done($1) }) },
            await self.told { database.waitForPendingWrites(completion: $0) },
            await self.told { database.enableNetwork(completion: $0) },
            await self.told { database.batch().deleteDocument(reference).commit(completion: $0) },
            await self.code { try await reference.setData(["n": 1]) },
            await self.code { for try await _ in query.stream() {} },
            await self.code { _ = try await database.runTransaction { _ in 1 } },
            await self.code { try await database.bulkWriter().deleteDocument(reference) },
            await self.code { try await database.recursiveDelete(query) },
        ] {
            #expect(code == .failedPrecondition)
        }
        reference.queueSet(["n": 1])
        #expect(await database.getQuery(named: "q") == nil)
        try await database.terminate()
    }

    @Test("A transaction that has read commits nothing and is not run again")
    func transactions() async throws {
        for isAsynchronous in [true, false] {
            let server = FakeDatastore()
            let database = try await Databases.offline(calls: server)
            let runs = Count()
            let code = await self.code {
                _ = try await database.runTransaction { transaction in
                    runs.add()
                    _ = try await transaction.getDocument(database.document("c/a"))
                    if isAsynchronous { try await database.terminate() } else { database.terminate(completion: nil) }
                    transaction.setData(["n": 1], forDocument: database.document("c/a"))
                }
            }
            #expect(code == .failedPrecondition)
            #expect(runs.value == 1)
            #expect(server.commits == 0)
        }
    }

    @Test("A transaction against a server knows that its commit was not sent")
    func transactionsOfServers() async throws {
        let server = try await LocalServer()
        let database = server.client()
        let runs = Count()
        let code = await self.code {
            _ = try await database.runTransaction { transaction in
                runs.add()
                _ = try await transaction.getDocument(database.document("c/a"))
                try await database.terminate()
                transaction.setData(["n": 1], forDocument: database.document("c/a"))
            }
        }
        #expect(code == .failedPrecondition)
        #expect(runs.value == 1)
        try await server.stop()
    }

    @Test("A transaction that waits for its next attempt ends")
    func waitingTransactions() async throws {
        let server = FakeDatastore { _ in .refuse(.unavailable) }
        let database = try await Databases.offline(calls: server)
        let (waits, runner) = try database.runnerThatWaits()
        let transaction = Task {
            try await runner.run { transaction in
                _ = transaction.setData(["n": 1], forDocument: database.document("c/a"))
            }
        }
        _ = try await Loop(waits).next()
        try await database.terminate()
        #expect(await self.code { try await transaction.value } == .failedPrecondition)
        #expect(server.commits == 1)
    }

    @Test("A bulk writer tries nothing again, and its writes fail")
    func bulkWriters() async throws {
        let server = FakeDatastore { _ in .refuse(.unavailable) }
        let database = try await Databases.offline(calls: server)
        var options = BulkWriterOptions()
        options.shouldRetry = { failure in
            if failure.attempts == 2 { database.terminate(completion: nil) }
            return failure.attempts < 4
        }
        let writer = database.bulkWriter(options: options)
        let reference = database.document("c/a")
        let receipts = [try await writer.deleteDocument(reference), try await writer.deleteDocument(reference)]
        for receipt in receipts {
            #expect(await self.code { try await receipt.updateTime() } == .failedPrecondition)
        }
        #expect(server.commits == 2)
        await writer.close()
    }

    @Test("A bulk write that was sent before the end, and may have been applied, does not say that it was not sent")
    func doubtfulBulkWrites() async throws {
        for (mishap, code) in [
            (FakeDatastore.Mishap.loseAnswer, FirestoreErrorCode.Code.unavailable), (.loseRequest, .unavailable),
            (.answerWrites(.internal, areApplied: true), .internal), (.refuse(.unavailable), .failedPrecondition),
        ] {
            let server = FakeDatastore()
            server.plan(mishap)
            let database = try await Databases.offline(calls: server)
            var options = BulkWriterOptions()
            let gate = try database.core().gate
            options.shouldRetry = { _ in
                // The next attempt waits in front of it.
                gate.close()
                return true
            }
            let receipt = try await database.bulkWriter(options: options).deleteDocument(database.document("c/a"))
            while server.commits == 0 || gate.waitingCount == 0 { await Task.yield() }
            try await database.terminate()
            #expect(await self.code { try await receipt.updateTime() } == code)
            #expect(server.commits == 1)
        }
    }

    @Test("While the network is disabled, a bulk writer and a recursive delete wait")
    func disabledNetwork() async throws {
        let enablings = Count()
        let early = Count()
        let server = FakeDatastore { _ in
            if enablings.value == 0 { early.add() }
            return nil
        }
        let database = try await Databases.offline(calls: server)
        for path in ["c/a", "c/b", "d/a"] {
            try server.write(WriteReader(name: database.document(path).name).set(["n": 1]))
        }
        try await database.disableNetwork()
        let gate = try database.core().gate
        let writer = database.bulkWriter()
        let receipt = try await writer.setData(["n": 2], forDocument: database.document("d/a"))
        let deletion = Task { try await database.recursiveDelete(database.collection("c")) }
        let cancelled = Task { try await database.recursiveDelete(database.collection("d")) }
        while gate.waitingCount < 3 { await Task.yield() }
        cancelled.cancel()
        #expect(await self.code { try await cancelled.value } == .cancelled)
        enablings.add()
        try await database.enableNetwork()
        try await receipt.updateTime()
        try await deletion.value
        #expect(early.value == 0)
        #expect(try server.fields("c/a") == nil && server.fields("c/b") == nil && server.fields("d/a") != nil)
    }

    @Test("A call that has waited for the network is stopped by the client's end only")
    func passedCalls() async throws {
        let database = try await Databases.offline(calls: FakeDatastore())
        let core = try database.core()
        try await core.gate.passing()
        core.gate.close()
        let write = WriteReader(name: try database.document("c/a").name).delete()
        #expect(try await core.passedCalls.batchWrite([write]).count == 1)
        await #expect(throws: CallFailure.self) { try await core.calls.batchWrite([write]) }
        try await database.terminate()
        let failure = await #expect(throws: CallFailure.self) { try await core.passedCalls.batchWrite([write]) }
        #expect(failure?.error.code == .failedPrecondition)
    }

    @Test("What waits for the network to be enabled ends with the client")
    func disabledUntilTheEnd() async throws {
        let server = FakeDatastore()
        let database = try await Databases.offline(calls: server)
        try await database.disableNetwork()
        let gate = try database.core().gate
        let receipt = try await database.bulkWriter().deleteDocument(database.document("c/a"))
        let deletion = Task { try await database.recursiveDelete(database.collection("c")) }
        while gate.waitingCount < 2 { await Task.yield() }
        try await database.terminate()
        #expect(await self.code { try await receipt.updateTime() } == .failedPrecondition)
        #expect(await self.code { try await deletion.value } == .failedPrecondition)
        #expect(server.commits == 0)
    }
}
