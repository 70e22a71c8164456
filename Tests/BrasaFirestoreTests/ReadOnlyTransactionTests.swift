import BrasaDocuments
import BrasaStatus
import BrasaSync
import Foundation
import Testing

@testable import BrasaFirestore

@Suite("Transactions that only read")
struct ReadOnlyTransactionTests {
    let server = FakeDatastore()

    private func runner(at time: BrasaDocuments.Timestamp? = nil) -> TransactionRunner {
        TransactionRunner(
            firestore: Databases.new(),
            calls: self.server,
            attemptsMax: 5,
            reading: TransactionRunner.Reading(time: time),
            clock: TransactionClock(sleep: { _ in })
        )
    }

    @Test("All reads are as of the first one's time, also those that do not wait for it")
    func oneTime() async throws {
        let runner = self.runner()
        let database = runner.firestore
        try self.server.write(WriteReader(name: database.document("c/a").name).set(["n": 1]))
        let time = BrasaDocuments.Timestamp(microseconds: 1)
        let found = try await runner.run { transaction in
            async let first = transaction.getDocument(database.document("c/a"))
            async let second = transaction.getAll([database.document("c/b"), database.document("c/a")])
            async let third = transaction.getDocuments(database.collection("c"))
            return try await ([first] + second, third.count)
        }
        #expect(found.0.map(\.exists) == [true, false, true])
        #expect(found.0.compactMap(\.readTime) == [Timestamp(time), Timestamp(time), Timestamp(time)])
        #expect(found.1 == 1)
        #expect(self.server.readTimes.filter { $0 == nil }.count == 1)
        #expect(self.server.readTimes.filter { $0 == time }.count == 2)
        // Nothing was begun, and nothing is to be committed.
        #expect(self.server.beginnings == 0 && self.server.commits == 0)
    }

    @Test("A time that is given is every read's")
    func givenTime() async throws {
        let time = BrasaDocuments.Timestamp(microseconds: 77)
        let runner = self.runner(at: time)
        try await runner.run { transaction in
            _ = try await transaction.getDocument(runner.firestore.document("c/a"))
            _ = try await transaction.getDocuments(runner.firestore.collection("c"))
        }
        #expect(self.server.readTimes == [time, time] as [BrasaDocuments.Timestamp?])
    }

    @Test("A write fails it at its end, once")
    func write() async throws {
        let runner = self.runner()
        let document = runner.firestore.document("c/a")
        var runs = 0
        let error = await #expect(throws: NSError.self) {
            try await runner.run { transaction in
                runs += 1
                transaction.setData(["n": 1], forDocument: document)
            }
        }
        #expect(error?.code == FirestoreErrorCode.invalidArgument.rawValue)
        #expect(runs == 1 && self.server.beginnings == 0 && self.server.commits == 0)
    }

    @Test("When the first read fails, the next one is the first")
    func failedFirst() async throws {
        let point = ReadPoint()
        await #expect(throws: SyncError.self) {
            try await point.read { _ throws(SyncError) -> (value: Int, time: BrasaDocuments.Timestamp?) in
                throw SyncError(.unavailable)
            }
        }
        let time = BrasaDocuments.Timestamp(microseconds: 5)
        let asked = try await point.read { asked throws(SyncError) in (asked, time) }
        #expect(asked == nil)
        #expect(try await point.read { asked throws(SyncError) in (asked, nil) } == time)
    }

    @Test("Queries are not for transactions that write")
    func queries() async throws {
        let database = Databases.new()
        let transaction = Transaction(firestore: database, calls: self.server)
        let error = await #expect(throws: NSError.self) {
            try await transaction.getDocuments(database.collection("c"))
        }
        #expect(error?.code == FirestoreErrorCode.invalidArgument.rawValue)
    }

    @Test("Documents read together are committed upon like others")
    func together() async throws {
        let database = Databases.new()
        let (a, b) = (database.document("c/a"), database.document("c/b"))
        var runs = 0
        let runner = TransactionRunner(
            firestore: database,
            calls: self.server,
            attemptsMax: 5,
            clock: TransactionClock(sleep: { _ in })
        )
        try await runner.run { transaction in
            runs += 1
            let sum = try await transaction.getAll([a, b]).compactMap { $0["n"] as? Int }.reduce(0, +)
            if runs == 1 { try self.server.write(WriteReader(name: b.name).set(["n": 5])) }
            transaction.setData(["n": sum + 1], forDocument: a)
        }
        #expect(runs == 2)
        guard case .integer(let sum)? = try self.server.fields("c/a")?.value(at: FieldPath(["n"]).stored) else {
            Issue.record("There is no sum.")
            return
        }
        #expect(sum == 6)
    }

    @Test("A time makes the options read-only")
    func options() {
        let options = TransactionOptions()
        #expect(!options.isReadOnly && options.readTime == nil)
        options.readTime = Timestamp(seconds: 1, nanoseconds: 0)
        #expect(options.isReadOnly)
        options.readTime = nil
        options.isReadOnly = true
        #expect(options.isReadOnly)
    }
}
