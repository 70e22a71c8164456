import BrasaDocuments
import BrasaStatus
import BrasaSync
import Foundation
import Synchronization
import Testing

@testable import BrasaFirestore

@Suite("Transactions")
struct TransactionTests {
    let server = FakeDatastore()

    private func runner(
        _ database: Firestore,
        _ calls: FakeDatastore? = nil,
        attemptsMax: Int = 5,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) -> TransactionRunner {
        TransactionRunner(
            firestore: database,
            calls: calls ?? self.server,
            attemptsMax: attemptsMax,
            clock: TransactionClock(now: now, sleep: { _ in })
        )
    }

    private func count(_ server: FakeDatastore, _ path: String = "c/n") throws -> Int64? {
        guard case .integer(let count)? = try server.fields(path)?.value(at: FieldPath(["count"]).stored) else {
            return nil
        }
        return count
    }

    @Sendable private static func increment(_ transaction: Transaction, _ reference: DocumentReference) async throws
        -> Int
    {
        let old = try await transaction.getDocument(reference).data()?["count"] as? Int ?? 0
        transaction.setData(["count": old + 1], forDocument: reference)
        return old + 1
    }

    @Test("Values come out, writes go in")
    func value() async throws {
        let database = Databases.new()
        let reference = database.document("c/n")
        for expected in 1...3 {
            let value = try await self.runner(database).run { try await Self.increment($0, reference) }
            #expect(value == expected)
        }
        #expect(try self.count(self.server) == 3)
        #expect(self.server.openTransactions == 0)
    }

    @Test("A block is run again when what it read has changed, with a new transaction")
    func conflict() async throws {
        let database = Databases.new()
        let reference = database.document("c/n")
        var runs = 0
        let value = try await self.runner(database).run { transaction in
            runs += 1
            let value = try await Self.increment(transaction, reference)
            if runs < 3 { try self.server.write(WriteReader(name: reference.name).set(["count": runs * 10])) }
            return value
        }
        #expect(runs == 3)
        #expect(value == 21)
        #expect(try self.count(self.server) == 21)
    }

    @Test("A document that was read and not written is verified, also one that was missing")
    func verified() async throws {
        let database = Databases.new()
        let (read, written) = (database.document("c/read"), database.document("c/written"))
        var runs = 0
        try await self.runner(database).run { transaction in
            runs += 1
            _ = try await transaction.getDocument(read)
            if runs == 1 { try self.server.write(WriteReader(name: read.name).set(["a": 1])) }
            transaction.setData(["b": 1], forDocument: written)
        }
        #expect(runs == 2)
    }

    @Test("Attempts are counted, and the last error is reported")
    func attempts() async throws {
        for code in [StatusCode.aborted, .failedPrecondition, .alreadyExists, .unavailable, .unauthenticated] {
            let server = FakeDatastore { _ in .refuse(code) }
            let database = Databases.new()
            let error = await #expect(throws: NSError.self) {
                try await self.runner(database, server, attemptsMax: 3).run {
                    try await Self.increment($0, database.document("c/n"))
                }
            }
            #expect(error?.code == code.rawValue)
            #expect(server.commits == 3)
        }
    }

    @Test("What another attempt does not cure is reported at once")
    func permanent() async throws {
        for code in [StatusCode.invalidArgument, .notFound, .permissionDenied, .outOfRange, .unimplemented, .dataLoss] {
            let server = FakeDatastore { _ in .refuse(code) }
            let database = Databases.new()
            await #expect(throws: NSError.self) {
                try await self.runner(database, server).run { try await Self.increment($0, database.document("c/n")) }
            }
            #expect(server.commits == 1)
        }
    }

    @Test("A user's error ends the transaction as it is, and nothing is written")
    func userError() async throws {
        let database = Databases.new()
        let own = NSError(domain: "Own", code: -1, userInfo: ["k": "v"])
        var runs = 0
        let error = await #expect(throws: NSError.self) {
            try await self.runner(database).run { transaction in
                runs += 1
                transaction.setData(["a": 1], forDocument: database.document("c/n"))
                throw own
            }
        }
        #expect(error === own)
        #expect(runs == 1)
        #expect(self.server.commits == 0)
    }

    @Test("Reads come before writes")
    func readAfterWrite() async throws {
        let database = Databases.new()
        let error = await #expect(throws: NSError.self) {
            try await self.runner(database).run { transaction in
                transaction.setData(["a": 1], forDocument: database.document("c/n"))
                _ = try await transaction.getDocument(database.document("c/m"))
            }
        }
        #expect(error?.domain == FirestoreErrorDomain)
        #expect(error?.code == FirestoreErrorCode.invalidArgument.rawValue)
        #expect(self.server.commits == 0)
    }

    @Test("A document that was missing when it was read cannot be updated")
    func updateMissing() async throws {
        let database = Databases.new()
        let error = await #expect(throws: NSError.self) {
            try await self.runner(database).run { transaction in
                _ = try await transaction.getDocument(database.document("c/n"))
                transaction.updateData(["a": 1], forDocument: database.document("c/n"))
            }
        }
        #expect(error?.code == FirestoreErrorCode.invalidArgument.rawValue)
        #expect(self.server.commits == 0)
    }

    @Test("The second write to a document does not meet the first one's condition")
    func severalWrites() async throws {
        let database = Databases.new()
        let reference = database.document("c/n")
        try await self.runner(database).run { transaction in
            _ = try await transaction.getDocument(reference)
            transaction.setData(["a": 1], forDocument: reference)
            transaction.updateData(["b": 2], forDocument: reference)
            transaction.deleteDocument(database.document("c/other"))
        }
        #expect(try self.server.fields("c/n")?.decoded.count == 2)
    }

    @Test("A commit whose answer was lost is neither repeated nor forgotten")
    func lostAnswers() async throws {
        let database = Databases.new()
        let reference = database.document("c/n")
        for (mishap, commits) in [(FakeDatastore.Mishap.loseAnswer, 1), (.loseRequest, 2)] {
            let server = FakeDatastore()
            server.plan(mishap)
            var runs = 0
            try await self.runner(database, server).run { transaction in
                runs += 1
                _ = try await Self.increment(transaction, reference)
            }
            #expect(try self.count(server) == 1)
            #expect(server.commits == commits)
            #expect(runs == commits)
        }
    }

    @Test(
        "What became of a commit is found out also when the network is disabled meanwhile, but not after the client's end"
    )
    func lostAnswersOffline() async throws {
        for isEnd in [false, true] {
            let gate = Mutex<CallGate?>(nil)
            let server = FakeDatastore { _ in
                if isEnd { gate.withLock { $0 }?.end(SyncClient.terminated) } else { gate.withLock { $0 }?.close() }
                return .loseAnswer
            }
            let database = try await Databases.offline(calls: server)
            let core = try database.core()
            gate.withLock { $0 = core.gate }
            let reference = database.document("c/n")
            let result = await Result { try await database.runTransaction { try await Self.increment($0, reference) } }
            if isEnd {
                let error = #expect(throws: NSError.self) { try result.get() }
                #expect(error?.code == FirestoreErrorCode.unknown.rawValue)
            } else {
                #expect(try result.get() == 1)
            }
            #expect(try self.count(server) == 1)
        }
    }

    @Test("When nobody knows what became of a commit, that is said, and the block is not run again")
    func uncertain() async throws {
        let database = Databases.new()
        for memory in [FakeDatastore.Memory.none, .logFailed(questions: 3), .logFailed(questions: .max)] {
            let server = FakeDatastore()
            server.plan(.loseAnswer)
            server.remember(memory)
            var runs = 0
            let error = await #expect(throws: NSError.self) {
                try await self.runner(database, server).run { transaction in
                    runs += 1
                    _ = try await Self.increment(transaction, database.document("c/n"))
                }
            }
            #expect(error?.code == FirestoreErrorCode.unknown.rawValue)
            #expect(runs == 1)
        }
    }

    @Test("The server is asked for a minute in all, however long its answers take")
    func questions() async throws {
        let database = Databases.new()
        self.server.plan(.loseAnswer)
        self.server.remember(.logFailed(questions: .max))
        let time = Mutex(ContinuousClock.now)
        var runner = self.runner(database, now: { time.withLock { $0 } })
        runner.clock.sleep = { _ in time.withLock { $0 += .seconds(25) } }
        _ = await Result { try await runner.run { try await Self.increment($0, database.document("c/n")) } }
        #expect(self.server.questionTimes == [.seconds(60), .seconds(35), .seconds(10)])
    }

    @Test("Past a transaction's lifetime, that it is no longer valid does not mean that it was committed")
    func expired() async throws {
        let database = Databases.new()
        let start = ContinuousClock.now
        for (mishap, memory, seconds, isKnown) in [
            (FakeDatastore.Mishap.loseAnswer, FakeDatastore.Memory.good, 239, true),
            (.loseAnswer, .good, 241, false),
            (.loseRequest, .expired, 300, false),
        ] {
            let server = FakeDatastore()
            server.plan(mishap)
            server.remember(memory)
            let time = Mutex(start)
            let runner = self.runner(database, server, now: { time.withLock { $0 } })
            var runs = 0
            let result = await Result {
                try await runner.run { transaction in
                    runs += 1
                    _ = try await Self.increment(transaction, database.document("c/n"))
                    time.withLock { $0 += .seconds(seconds) }
                }
            }
            if isKnown {
                try result.get()
            } else {
                let error = #expect(throws: NSError.self) { try result.get() }
                #expect(error?.code == FirestoreErrorCode.unknown.rawValue)
            }
            #expect(runs == 1)
        }
    }

    @Test("A conflict of two reads ends the run, also when the block does not mind")
    func swallowedConflict() async throws {
        let database = Databases.new()
        let reference = database.document("c/n")
        for isThere in [false, true] {
            let server = FakeDatastore()
            if isThere { try server.write(WriteReader(name: reference.name).set(["count": 1])) }
            var runs = 0
            try await self.runner(database, server).run { transaction in
                runs += 1
                let old = try await transaction.getDocument(reference).data()?["count"] as? Int ?? 0
                if runs == 1 { try server.write(WriteReader(name: reference.name).set(["count": 10])) }
                _ = try? await transaction.getDocument(reference)
                transaction.setData(["count": old + 1], forDocument: reference)
            }
            #expect(try self.count(server) == 11)
            #expect(runs == 2)
        }
    }

    @Test("Sixteen clients count exactly, whatever gets lost")
    func contention() async throws {
        let server = FakeDatastore { number in
            switch number % 7 {
            case 2: .loseAnswer
            case 4: .loseRequest
            case 5: .refuse(.unavailable)
            default: nil
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    let database = Databases.new()
                    let runner = self.runner(database, server, attemptsMax: .max)
                    for _ in 0..<50 {
                        _ = try await runner.run { try await Self.increment($0, database.document("c/n")) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try self.count(server) == 800)
    }

    @Test("The documented form blocks for reads and reports through its pointer")
    func documentedForm() async throws {
        let database = try await Databases.offline(calls: self.server)
        let reference = database.document("c/n")
        let object = try await database.runTransaction({ (transaction, errorPointer) -> Any? in
            let document: DocumentSnapshot
            do {
                try document = transaction.getDocument(reference)
            } catch let fetchError as NSError {
                errorPointer?.pointee = fetchError
                return nil
            }
            let old = document.data()?["count"] as? Int ?? 5
            transaction.setData(["count": old + 1], forDocument: reference)
            return old + 1
        })
        #expect(object as? Int == 6)
        let error = await #expect(throws: NSError.self) {
            _ = try await database.runTransaction({ (_, errorPointer) -> Any? in
                errorPointer?.pointee = NSError(domain: "AppErrorDomain", code: -1, userInfo: nil)
                return 1
            })
        }
        #expect(error?.domain == "AppErrorDomain")
        #expect(try self.count(self.server) == 6)
    }

    @Test("The forms with a completion handler, options and an asynchronous block")
    func otherForms() async throws {
        let database = try await Databases.offline(calls: self.server)
        let reference = database.document("c/n")
        let options = TransactionOptions()
        options.maxAttempts = 1
        let value: Int? = await withCheckedContinuation { continuation in
            database.runTransaction(
                with: options,
                block: { transaction, _ in
                    transaction.setData(["count": 1], forDocument: reference)
                    return 7
                },
                completion: { value, error in continuation.resume(returning: error == nil ? value as? Int : nil) }
            )
        }
        #expect(value == 7)
        let count = try await database.runTransaction { transaction in
            try await Self.increment(transaction, reference)
        }
        #expect(count == 2)
        self.server.plan(.refuse(.aborted))
        await #expect(throws: NSError.self) {
            try await database.runTransaction(with: options) { try await Self.increment($0, reference) }
        }
    }

    @Test("Waits grow from a second by half to a minute, after a first without delay")
    func backoff() {
        var backoff = TransactionBackoff()
        backoff.random = { 0.5 }
        let waits = (0..<13).map { _ in backoff.next() }
        #expect(waits[0] == .zero)
        #expect(waits[1] == .seconds(1))
        #expect(waits[2] == .milliseconds(1500))
        #expect(waits[12] == .seconds(60))
    }

    @Test("Misuse stops the program")
    func traps() async {
        await #expect(processExitsWith: .failure) { TransactionOptions().maxAttempts = 0 }
        await #expect(processExitsWith: .failure) {
            let transaction = Transaction(firestore: Databases.new(), calls: FakeDatastore())
            transaction.deleteDocument(Databases.new().document("a/b"))
        }
        await #expect(processExitsWith: .failure) {
            let database = Databases.new()
            let transaction = Transaction(firestore: database, calls: FakeDatastore())
            transaction.abandon()
            transaction.deleteDocument(database.document("a/b"))
        }
    }
}
