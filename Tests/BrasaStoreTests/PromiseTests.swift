import BrasaDocuments
import BrasaLog
import BrasaPlatform
import BrasaSimulation
import Synchronization
import Testing

@testable import BrasaStore

@Suite struct PromiseTests {
    @Test func nothingUndurableIsVisible() throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        let database = store.database(try databaseName())
        fixture.clock.advance(microseconds: 10)
        let change = DocumentChange(
            database: database,
            path: try path("a/1"),
            outcome: .set(fields("x"), createTime: nil)
        )
        let heard = Flag()
        let waiter = LogWaiter(mailbox: fixture.scheduler.mailbox()) { result in
            #expect(throws: Never.self) { try result.get() }
            heard.set()
        }
        let time = try store.apply(changes: [change], waiter: waiter)
        #expect(store.latest(change.path, in: database)?.updateTime == time)
        #expect(store.latestTime(change.path, in: database) == time)
        fixture.clock.advance(microseconds: 1_000_000)
        #expect(store.strongReadTime() < time)
        #expect(try store.text("a/1", in: database) == nil)
        #expect(try store.names(range("", "a"), in: database) == [])
        #expect(try store.listCollectionIDs(under: .root, in: database, at: store.strongReadTime(), limit: 9) == [])
        #expect(store.changes(after: store.creationTime, in: database, limit: 9)?.isEmpty == true)
        #expect(throws: StoreError.self) { try store.checkReadTime(time, in: database) }
        #expect(!heard.isSet)

        fixture.flush()
        #expect(heard.isSet)
        #expect(try store.text("a/1", in: database) == "x")
        #expect(try store.names(range("", "a"), in: database) == ["a/1"])
        #expect(store.changes(after: store.creationTime, in: database, limit: 9)?.map(\.time) == [time])
        try store.checkReadTime(time, in: database)
    }

    @Test func commitTimesIncreaseWhenTheClockStepsBackAndAcrossRestarts() throws {
        let fixture = try StoreFixture()
        var last = fixture.store.creationTime
        for round in 0..<30 {
            let database = fixture.store.database(try databaseName())
            let time = try fixture.commit(database, [("a/\(round)", "x")])
            #expect(time > last)
            last = time
            fixture.clock.step(microseconds: -100_000)
            if round % 10 == 5 { try fixture.store.checkpoint() }
            if round % 7 == 6 { try fixture.restart(kill: round % 2 == 0) }
        }
        #expect(try fixture.store.names(range("", "a"), in: fixture.store.database(databaseName())).count == 30)
    }

    @Test func noCommitGetsATimeThatAReadHad() throws {
        let fixture = try StoreFixture()
        let database = fixture.store.database(try databaseName())
        for step in 0..<50 {
            fixture.clock.step(microseconds: [5_000, -9_000, 1, 0][step % 4])
            let read = fixture.store.strongReadTime()
            let time = try fixture.store.apply(
                changes: [
                    DocumentChange(database: database, path: path("a/\(step)"), outcome: .set(.empty, createTime: nil))
                ],
                waiter: nil
            )
            #expect(read < time)
            #expect(fixture.store.strongReadTime() < time)
            if step % 3 == 0 { fixture.flush() }
        }
    }

    @Test func aRefusedCommitLeavesNothingBehind() throws {
        let fixture = try StoreFixture { $0.log.queuedBytesMax = 400 }
        let store = fixture.store
        let database = store.database(try databaseName())
        try fixture.commit(database, [("a/old", "before"), ("a/gone", "x")])
        try fixture.commit(database, [("a/gone", nil)])
        let statistics = store.statistics
        // Something waits, so that the queue can be full.
        _ = try store.apply(
            changes: [
                DocumentChange(database: database, path: path("a/first"), outcome: .set(.empty, createTime: nil))
            ],
            waiter: nil
        )
        let long = String(repeating: "x", count: 500)
        let changes = try ["a/old", "a/new", "a/gone", "deep/1/er/2"].map {
            DocumentChange(database: database, path: try path($0), outcome: .set(fields(long), createTime: nil))
        }
        #expect(throws: StoreError.self) { try store.apply(changes: changes, waiter: nil) }
        #expect(store.latest(try path("a/new"), in: database) == nil)
        #expect(store.latestTime(try path("a/new"), in: database) == nil)
        #expect(store.latest(try path("a/gone"), in: database) == nil)
        fixture.flush()
        fixture.clock.advance(microseconds: 5_000)
        #expect(try store.text("a/old", in: database) == "before")
        #expect(try store.names(range("", nil, all: true), in: database) == ["a/first", "a/old"])
        #expect(
            store.appliedChanges(after: store.creationTime, in: database, limit: 9)?.allSatisfy {
                $0.path.segmentCount == 2
            } == true
        )
        #expect(store.statistics.supersededVersions == statistics.supersededVersions)
        #expect(store.statistics.historyBytes == statistics.historyBytes)
        #expect(store.statistics.fieldBytes == statistics.fieldBytes)
        // The clock moves on as if nothing had been stamped, and the next commit succeeds.
        #expect(store.strongReadTime().microseconds == fixture.clock.clock.wall().microseconds)
        try fixture.commit(database, [("a/new", "y")])
        #expect(try store.text("a/new", in: database) == "y")
    }

    @Test func aFailedLogAcknowledgesNothingMore() throws {
        let fixture = try StoreFixture()
        let database = fixture.store.database(try databaseName())
        try fixture.commit(database, [("a/1", "x")])
        fixture.disk.faults.failedSyncs = 1_000
        let lost = try fixture.commit(database, [("a/1", "lost")])
        #expect(throws: StoreError.self) { try fixture.commit(database, [("a/2", "y")]) }
        #expect(fixture.store.strongReadTime() < lost)
        #expect(try fixture.store.text("a/1", in: database) == "x")
        fixture.disk.faults.failedSyncs = 0
        try fixture.restart(kill: true)
        let recovered = fixture.store.database(try databaseName())
        #expect(try ["x", "lost"].contains(fixture.store.text("a/1", in: recovered)))
        try fixture.commit(recovered, [("a/2", "z")])
        #expect(try fixture.store.text("a/2", in: recovered) == "z")
    }

    @Test func modeMemoryKeepsNothingAndCommitsAtOnce() throws {
        let fixture = try StoreFixture { $0.log.durability = .memory }
        let database = fixture.store.database(try databaseName())
        fixture.clock.advance(microseconds: 10)
        let change = DocumentChange(
            database: database,
            path: try path("a/1"),
            outcome: .set(fields("x"), createTime: nil)
        )
        let time = try fixture.store.apply(changes: [change], waiter: nil)
        #expect(fixture.store.watermark == time)
        #expect(try fixture.store.text("a/1", in: database) == "x")
        try fixture.store.checkpoint()
        #expect(try !fixture.store.checkpointIfNeeded())
        try fixture.restart()
        #expect(try fixture.store.text("a/1", in: fixture.store.database(databaseName())) == nil)
    }

    @Test func readersOnOtherThreadsSeeWholeCommitsInOrder() throws {
        let store = try Store.open(
            configuration: Store.Configuration(
                log: LogConfiguration(durability: .memory),
                history: .zero,
                historyBytesMax: 10_000,
                historyMin: .zero
            ),
            disk: SimulatedDisk(seed: 1),
            directory: "data",
            clock: .system,
            entropy: .seeded(1)
        )
        let database = store.database(try databaseName())
        let paths = try ["a/1", "a/2", "b/1/a/3"].map { try path($0) }
        let everything = try range("", "a", all: true)
        let last = Mutex([0, 0])
        /// Reads all documents at one time, one by one or by a scan; whichever commit it sees, it sees all of it.
        @Sendable func read(_ reader: Int) {
            let time = store.strongReadTime()
            do throws(StoreError) {
                var documents: [Document?] = []
                if reader == 0 {
                    for path in paths { documents.append(try store.get(path, in: database, at: time)) }
                } else {
                    var scan = try store.scan(everything, in: database, at: time)
                    documents = try scan.next(9).map(\.document)
                    #expect(documents.isEmpty || documents.count == paths.count)
                }
                let texts = Set(
                    documents.map { $0.map { String(decoding: $0.fields.bytes.array, as: UTF8.self) } ?? "0" }
                )
                #expect(texts.count <= 1)
                let number = texts.first.flatMap { Int($0) } ?? 0
                last.withLock { last in
                    #expect(number >= last[reader])
                    last[reader] = number
                }
            } catch {
                // The writer overtook this reader by more than history keeps here.
                #expect(error.code == .readTimeTooOld)
            }
        }
        let workers = (0..<3).map { Worker(name: "test-\($0)") }
        let isDone = Flag()
        for (index, worker) in workers.enumerated() {
            worker.start {
                if index < 2 { read(index) } else { _ = store.maintain() }
                return !isDone.isSet
            }
        }
        for number in 1...3_000 {
            let changes = paths.map {
                DocumentChange(database: database, path: $0, outcome: .set(fields("\(number)"), createTime: nil))
            }
            _ = try store.apply(changes: changes, waiter: nil)
        }
        isDone.set()
        for worker in workers { worker.stop() }
        read(0)
        read(1)
        #expect(last.withLock { $0 } == [3_000, 3_000])
    }
}
