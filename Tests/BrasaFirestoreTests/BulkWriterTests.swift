import BrasaDocuments
import BrasaStatus
import BrasaSync
import Foundation
import Synchronization
import Testing

@testable import BrasaFirestore

@Suite("Bulk writing")
struct BulkWriterTests {
    let server = FakeDatastore()

    private func operation(_ number: Int, _ path: String, _ database: Firestore) -> BulkOperation {
        BulkOperation(
            number: number,
            write: WriteReader(name: sound(try database.document(path).name)).delete(),
            receipt: BulkWriteReceipt()
        )
    }

    @Test("Batches hold each document once, in the order of its writes")
    func batches() {
        let database = Databases.new()
        var queue = BulkQueue()
        for (number, path) in ["c/a", "c/b", "c/a", "c/c", "c/a", "c/b"].enumerated() {
            queue.append(self.operation(number, path, database))
        }
        let first = queue.nextBatch()
        #expect(first.map(\.number) == [0, 1, 3])
        let blocked = queue.nextBatch()
        #expect(blocked.isEmpty)
        for operation in first { queue.release(operation.path) }
        let second = queue.nextBatch()
        #expect(second.map(\.number) == [2, 5])
        // The write that is tried again goes before the later one of its document.
        queue.append(second[0])
        for operation in second { queue.release(operation.path) }
        let third = queue.nextBatch()
        #expect(third.map(\.number) == [2])
        queue.release(third[0].path)
        let last = queue.nextBatch()
        #expect(last.map(\.number) == [4])
    }

    @Test("A batch has twenty writes at most")
    func batchSize() {
        let database = Databases.new()
        var queue = BulkQueue()
        for number in 0..<45 { queue.append(self.operation(number, "c/\(number)", database)) }
        let counts = (0..<4).map { _ in queue.nextBatch().count }
        #expect(counts == [20, 20, 5, 0])
    }

    @Test("The rate grows by half every five minutes, and what is taken comes back in time")
    func rate() {
        let start = ContinuousClock().now
        var rate = BulkRate(initial: 100, now: start)
        #expect(rate.perSecond(at: start) == 100)
        #expect(rate.perSecond(at: start + .seconds(299)) == 100)
        #expect(rate.perSecond(at: start + .seconds(300)) == 150)
        #expect(rate.perSecond(at: start + .seconds(601)) == 225)
        var taken = 0
        while rate.take(20, now: start) == nil { taken += 20 }
        #expect(taken == 100)
        let wait = rate.take(20, now: start)
        #expect(wait == .milliseconds(200))
        let later = rate.take(20, now: start + .milliseconds(200))
        #expect(later == nil)
    }

    @Test("Every write has its own result")
    func results() async throws {
        let database = try await Databases.offline(calls: self.server)
        let writer = database.bulkWriter()
        let reference = database.document("c/a")
        let created = try await writer.create(["n": 1], forDocument: reference)
        let again = try await writer.create(["n": 2], forDocument: reference)
        let missing = try await writer.updateData(["n": 3], forDocument: database.document("c/none"))
        let changed = try await writer.updateData(["n": FieldValue.increment(5)], forDocument: reference)
        let deleted = try await writer.deleteDocument(database.document("c/other"))
        await writer.close()
        #expect(try await created.updateTime() != nil)
        #expect(try await changed.updateTime() != nil)
        #expect(try await deleted.updateTime() == nil)
        for (receipt, code) in [(again, FirestoreErrorCode.alreadyExists), (missing, .notFound)] {
            let error = await #expect(throws: NSError.self) { try await receipt.updateTime() }
            #expect(error?.code == code.rawValue)
        }
        #expect(try self.server.fields("c/a")?.value(at: FieldPath(["n"]).stored) == .integer(6))
        let error = await #expect(throws: NSError.self) { try await writer.deleteDocument(reference) }
        #expect(error?.code == FirestoreErrorCode.failedPrecondition.rawValue)
    }

    @Test("Temporary failures are tried again; what may have been applied only when twice is the same as once")
    func retries() async throws {
        let database = try await Databases.offline(calls: self.server)
        let writer = database.bulkWriter()
        self.server.plan(.refuse(.unavailable))
        try await writer.setData(["n": 1], forDocument: database.document("c/a")).updateTime()
        self.server.plan(.loseAnswer)
        try await writer.setData(["n": 2], forDocument: database.document("c/a")).updateTime()
        self.server.plan(.loseAnswer)
        let receipt = try await writer.updateData(["n": FieldValue.increment(1)], forDocument: database.document("c/a"))
        await #expect(throws: NSError.self) { try await receipt.updateTime() }
        #expect(try self.server.fields("c/a")?.value(at: FieldPath(["n"]).stored) == .integer(3))
        #expect(self.server.commits == 5)
    }

    @Test("A write's own answer that leaves open whether it was applied is no reason to do it twice")
    func uncertainAnswers() async throws {
        let database = try await Databases.offline(calls: self.server)
        let writer = database.bulkWriter()
        let reference = database.document("c/a")
        try await writer.setData(["n": 0], forDocument: reference).updateTime()
        for code in [StatusCode.unavailable, .internal, .unknown, .deadlineExceeded] {
            self.server.plan(.answerWrites(code, areApplied: true))
            let receipt = try await writer.updateData(["n": FieldValue.increment(1)], forDocument: reference)
            let error = await #expect(throws: NSError.self) { try await receipt.updateTime() }
            #expect(error?.code == code.rawValue)
        }
        self.server.plan(.answerWrites(.unavailable, areApplied: true))
        let created = try await writer.create(["n": 1], forDocument: database.document("c/b"))
        let error = await #expect(throws: NSError.self) { try await created.updateTime() }
        #expect(error?.code == FirestoreErrorCode.unavailable.rawValue)
        // What is the same when it is done twice, and what was surely not done.
        self.server.plan(.answerWrites(.unavailable, areApplied: true))
        try await writer.setData(["n": 10], forDocument: reference).updateTime()
        self.server.plan(.answerWrites(.aborted, areApplied: false))
        try await writer.updateData(["n": FieldValue.increment(1)], forDocument: reference).updateTime()
        await writer.close()
        #expect(try self.server.fields("c/a")?.value(at: FieldPath(["n"]).stored) == .integer(11))
    }

    @Test("Users decide what is tried again")
    func decision() async throws {
        let server = FakeDatastore { _ in .refuse(.unavailable) }
        let database = try await Databases.offline(calls: server)
        let asked = Mutex<[Int]>([])
        var options = BulkWriterOptions()
        options.shouldRetry = { failure in
            asked.withLock { $0.append(failure.attempts) }
            return failure.attempts < 2 && failure.code == .unavailable && failure.document.path == "c/a"
        }
        let receipt = try await database.bulkWriter(options: options).deleteDocument(database.document("c/a"))
        await #expect(throws: NSError.self) { try await receipt.updateTime() }
        #expect(asked.withLock { $0 } == [1, 2])
    }

    @Test("All who wait for room hear that a writer takes no more, be it closed or its client terminated")
    func noRoom() async throws {
        for isClosed in [true, false] {
            let database = try await Databases.offline(calls: self.server)
            // Nothing is answered.
            try await database.disableNetwork()
            let core = try database.core()
            let sender = BulkSender(
                firestore: database,
                calls: core.passedCalls,
                gate: core.gate,
                options: BulkWriterOptions(),
                unfinishedMax: 40
            )
            let write = WriteReader(name: try database.document("c/a").name).delete()
            for _ in 0..<40 { _ = try await sender.add(write) }
            let adds = (0..<100).map { _ in Task { try await sender.add(write) } }
            while await sender.waitingForRoomCount < adds.count { await Task.yield() }
            let close = isClosed ? Task { await sender.close() } : nil
            while isClosed, await sender.waitingForRoomCount > 0 { await Task.yield() }
            try await database.terminate()
            await close?.value
            for add in adds {
                let error = await #expect(throws: SyncError.self) { try await add.value }
                #expect(error?.code == .failedPrecondition)
            }
        }
    }

    @Test("A recursive delete takes a collection and all below it, and nothing beside it")
    func recursiveDelete() async throws {
        let database = try await Databases.offline(calls: self.server)
        let paths = ["c/a", "c/a/x/1", "c/b/y/2/z/3", "c/__id7__", "c2/a", "b/a", "d/a/c/a"]
        for path in paths { try self.server.write(WriteReader(name: database.document(path).name).set(["p": path])) }
        try await database.recursiveDelete(database.collection("c"))
        for path in paths {
            #expect((try self.server.fields(path) == nil) == path.hasPrefix("c/"), "\(path)")
        }
        try await database.recursiveDelete(database.document("d/a"))
        #expect(try self.server.fields("d/a/c/a") == nil)
        #expect(try self.server.fields("b/a") != nil)
    }
}
