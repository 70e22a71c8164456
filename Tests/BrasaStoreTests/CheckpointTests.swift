import BrasaDocuments
import BrasaLog
import BrasaSimulation
import Testing

@testable import BrasaStore

@Suite struct CheckpointTests {
    @Test func aCheckpointHoldsOneMomentWhileCommitsGoOn() throws {
        let fixture = try StoreFixture {
            $0.history = .zero
            $0.historyMin = .zero
            $0.historyBytesMax = 0
        }
        var database = fixture.store.database(try databaseName())
        let large = String(repeating: "x", count: 3_000)
        try fixture.commit(database, (0..<400).map { ("a/\($0)", large) })
        var run = try fixture.store.beginCheckpoint()
        #expect(try fixture.store.beginCheckpoint() == nil)
        var steps = 0
        while try run?.step() ?? false {
            steps += 1
            for number in 0..<20 { try fixture.commit(database, [("a/\(number * 19 + steps)", "new \(steps)")]) }
            try fixture.commit(database, [("a/\(399 - steps)", nil), ("b/\(steps)", "late")])
            while fixture.store.maintain() {}
        }
        #expect(steps >= 4)
        run = nil
        #expect(fixture.store.statistics.snapshotPins == 0)
        let time = fixture.store.strongReadTime()
        let names = try fixture.store.names(range("", nil, all: true), in: database, at: time)
        let texts = try names.map { try fixture.store.text($0, in: database, at: time) }
        try fixture.restart(kill: true)
        database = fixture.store.database(try databaseName())
        #expect(try fixture.store.names(range("", nil, all: true), in: database) == names)
        #expect(try names.map { try fixture.store.text($0, in: database) } == texts)
    }

    /// More than the registry keeps without looking whether they are empty, which they seem to be while they are loaded.
    @Test(arguments: [true, false])
    func aStartFindsEveryDatabase(fromCheckpoint: Bool) throws {
        let fixture = try StoreFixture()
        let count = 2_500
        for number in 0..<count {
            let database = fixture.store.database(try databaseName("db\(number)"))
            let change = DocumentChange(
                database: database,
                path: try path("a/1"),
                outcome: .set(.empty, createTime: nil)
            )
            _ = try fixture.store.apply(changes: [change], waiter: nil)
        }
        fixture.flush()
        if fromCheckpoint { try fixture.store.checkpoint() }
        try fixture.restart()
        #expect(fixture.store.statistics.documents == count)
        let last = fixture.store.database(try databaseName("db\(count - 1)"))
        #expect(try fixture.store.names(range("", "a"), in: last) == ["a/1"])
    }

    /// Chunks are taken in as they are read, before it is known whether the file is whole.
    @Test func whatADamagedCheckpointHeldIsForgotten() throws {
        let fixture = try StoreFixture { $0.log = LogConfiguration(segmentBytes: 64 << 20) }
        var database = fixture.store.database(try databaseName())
        let large = String(repeating: "x", count: 3_000)
        try fixture.commit(database, (0..<400).map { ("a/\($0)", large) })
        try fixture.commit(database, [("a/7", nil), ("a/8", "late")])
        try fixture.store.checkpoint()
        try fixture.commit(database, [("a/9", nil)])
        let before = try fixture.store.names(range("", nil, all: true), in: database)
        let checkpoint = try #require(fixture.disk.paths.first { $0.hasSuffix(".chk") })
        let size = try #require(fixture.disk.bytes(checkpoint)).count
        #expect(size > 3 * 256 << 10)
        for offset in [size - 8, size / 2, 30] {
            fixture.store.stop()
            fixture.disk.damage(checkpoint, at: offset)
            let found = try Store.inspect(disk: fixture.disk, directory: "data")
            #expect(found.databases.map(\.documents) == [before.count] && !found.log.damage.isEmpty)
            try fixture.restart(kill: true)
            database = fixture.store.database(try databaseName())
            #expect(fixture.store.statistics.documents == before.count)
            #expect(try fixture.store.names(range("", nil, all: true), in: database) == before)
            #expect(try fixture.store.text("a/8", in: database) == "late")
            fixture.disk.damage(checkpoint, at: offset)
        }
    }

    @Test func nothingIsLeftOfACheckpointThatIsVoid() throws {
        let fixture = try StoreFixture()
        try fixture.commit(fixture.store.database(try databaseName()), [("a/1", "x"), ("a/2", "y")])
        _ = try fixture.set("1", at: "/a", in: try fixture.tree("n"))
        try fixture.store.checkpoint()
        fixture.store.stop()
        var recovery = Recovery(
            into: VersionedDocuments(configuration: fixture.configuration, entropy: .seeded(1)),
            TreeRegistry(configuration: fixture.configuration)
        )
        _ = try LogInspector.check(disk: fixture.disk, directory: "data") { (entry) throws(LogRejection) in
            try recovery.read(entry)
        }
        // A session that leaves something in the tree, as the format's description writes it.
        let will: [UInt8] =
            [4, 1, 0x6e, 0, 2, 1] + Array("*".utf8) + [0, 0, 1, 1, 0x70, 1, 0, 0, 4] + Array("null".utf8)
        let time = recovery.lastTime + 1
        try will.withUnsafeBytes { try recovery.read(.record(time: time, $0)) }
        #expect(recovery.documents.registry.all.map(\.counts.documents) == [2])
        #expect(recovery.trees.all.count == 1 && recovery.trees.wills.all(at: { .max }).wills.count == 1)
        try recovery.read(.checkpointVoid)
        try recovery.finish()
        #expect(recovery.documents.registry.all.isEmpty && recovery.trees.all.isEmpty)
        #expect(recovery.trees.wills.all(at: { .max }).wills.isEmpty && recovery.receipts.all.isEmpty)
        #expect(recovery.creationTime == nil && recovery.snapshotTime == nil && recovery.lastTime == .min)
    }

    @Test func anAbandonedCheckpointLeavesTheLogInCharge() throws {
        let fixture = try StoreFixture()
        let database = fixture.store.database(try databaseName())
        for number in 0..<100 { try fixture.commit(database, [("a/\(number)", "x")]) }
        do {
            let run = try #require(try fixture.store.beginCheckpoint())
            _ = run
        }
        fixture.disk.faults.failedWrites = 1_000
        #expect(throws: StoreError.self) { try fixture.store.checkpoint() }
        fixture.disk.faults.failedWrites = 0
        #expect(fixture.store.statistics.snapshotPins == 0)
        try fixture.restart()
        #expect(fixture.store.statistics.documents == 100)
        let before = fixture.store.statistics.logBytesSinceCheckpoint
        try fixture.store.checkpoint()
        #expect(fixture.store.statistics.logBytesSinceCheckpoint < before)
        try fixture.restart()
        #expect(fixture.store.statistics.documents == 100)
    }

    @Test func aCheckpointIsDueWhenTheLogOutgrowsTheDocuments() throws {
        let fixture = try StoreFixture { $0.checkpointBytesMin = 4_000 }
        let database = fixture.store.database(try databaseName())
        #expect(try !fixture.store.checkpointIfNeeded())
        for number in 0..<200 { try fixture.commit(database, [("a/\(number % 10)", "some text \(number)")]) }
        #expect(fixture.store.isCheckpointDue)
        #expect(try fixture.store.checkpointIfNeeded())
        #expect(!fixture.store.isCheckpointDue)
    }

    @Test func inspectionTellsWhatAFolderHolds() throws {
        let fixture = try StoreFixture()
        try fixture.commit(fixture.store.database(databaseName("two")), [("a/1", "xx"), ("a/2", "yyy")])
        try fixture.commit(fixture.store.database(databaseName("one")), [("a/1", "x")])
        try fixture.store.checkpoint()
        try fixture.commit(fixture.store.database(databaseName("two")), [("a/2", nil)])
        try fixture.commit(fixture.store.database(databaseName("gone")), [("a/2", "x")])
        try fixture.commit(fixture.store.database(databaseName("gone")), [("a/2", nil)])
        let creationTime = fixture.store.creationTime
        #expect(throws: StoreError.self) { try Store.inspect(disk: fixture.disk, directory: "data") }
        fixture.store.stop()
        let inspection = try Store.inspect(disk: fixture.disk, directory: "data")
        #expect(inspection.log.isUsable)
        #expect(inspection.databases.map(\.name.string) == ["projects/p/databases/one", "projects/p/databases/two"])
        #expect(inspection.databases.map(\.documents) == [1, 1])
        #expect(inspection.databases.map(\.fieldBytes) == [1, 2])
        #expect(inspection.creationTime == creationTime)
    }
}
