import BrasaDocuments
import BrasaQueries
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaWatch

/// Listeners beside a database that churns, and many that come back at once.
@Suite struct DatabaseShareTests {
    private func churn(_ world: WatchWorld, _ count: Int) throws {
        let other = world.store.database(try DatabaseName(project: "p", database: "busy"))
        for number in 0..<count {
            world.clock.advance(microseconds: 1)
            let fields = EncodedFields(encoding: [Value.MapEntry(key: "n", value: .integer(Int64(number)))])
            let path = try path("c/a")
            let change = DocumentChange(database: other, path: path, outcome: .set(fields, createTime: nil))
            _ = try world.store.apply(changes: [change], waiter: nil)
        }
        while world.store.step() || world.store.prepareStep() {}
    }

    @Test(arguments: [false, true])
    func `a listener goes on where it was, whatever another database has committed meanwhile`(isRestarted: Bool) throws
    {
        let world = try WatchWorld { $0.recentChangesMax = 64 }
        try world.commit([("c/a", 1), ("c/b", 2)])
        try world.commit("c/gone", 1)
        try world.commit("c/gone", nil)
        let listener = TestListener(world)
        listener.keepsLog = true
        listener.connect()
        listener.add(2, try target("c"))
        world.settle()
        _ = listener.takeLog()
        listener.disconnect()
        try self.churn(world, 500)
        if isRestarted {
            try world.store.checkpoint()
            try self.churn(world, 500)
            try world.restart()
        }
        try world.commit("c/b", 3)
        try self.churn(world, 500)
        listener.connect()
        listener.resume(2)
        world.settle()
        #expect(listener.takeLog() == ["add 2", "change c/b [2]", "current [2]", "snapshot"])
        #expect(listener.failures.isEmpty)
    }

    @Test func `a watcher is not pushed out by what it does not listen to`() throws {
        let world = try WatchWorld { $0.recentChangesMax = 64 }
        let listener = TestListener(world)
        listener.keepsLog = true
        listener.connect()
        listener.add(2, try target("c", limit: 2))
        try world.commit("c/a", 1)
        world.settle()
        _ = listener.takeLog()
        try self.churn(world, 10_000)
        try world.commit("c/b", 1)
        world.settle()
        #expect(listener.takeLog() == ["change c/b [2]", "snapshot"])
        #expect(world.watcher.values.resets == 0 && world.watcher.values.changesMatched == 2)
    }

    @Test("equal listeners that come back at once share their catching up", arguments: [false, true])
    func sharing(isCounting: Bool) throws {
        var watch = WatchConfiguration()
        watch.turnReadsMax = 64
        let world = try WatchWorld(watch: watch)
        for number in 0..<200 as Range<Int64> { try world.commit("c/\(number)", number) }
        world.settle()
        let listeners = (0..<100).map { _ in TestListener(world) }
        for listener in listeners {
            listener.keepsLog = true
            listener.connect()
            listener.add(2, try target("c", atLeast: 199))
        }
        world.settle()
        for listener in listeners {
            _ = listener.takeLog()
            listener.disconnect()
        }
        for number in 0..<198 as Range<Int64> { try world.commit("c/\(number)", -number - 1) }
        try world.commit("c/199", 300)
        world.settle()
        for listener in listeners {
            listener.connect()
            listener.resume(2, isCounting: isCounting)
        }
        var turns = 0
        while world.store.step() || world.store.prepareStep() || world.scheduler.runOne() { turns += 1 }
        for listener in listeners {
            #expect(listener.takeLog() == ["add 2", "change c/199 [2]", "current [2]", "snapshot"])
            #expect(listener.failures.isEmpty)
        }
        // Two reads of each of 199 documents in all, and one for each listener.
        #expect(turns < 40)
    }

    @Test("who is too far behind others on the same way goes alone", arguments: [(4, 1_000), (1_000, 4)])
    func alone(keptOfOne: Int, keptOfAll: Int) throws {
        var watch = WatchConfiguration()
        watch.wayDocumentsMax = keptOfOne
        watch.waysDocumentsMax = keptOfAll
        let world = try WatchWorld(watch: watch)
        for number in 0..<20 as Range<Int64> { try world.commit("c/\(number)", number) }
        world.settle()
        let listeners = (0..<3).map { _ in TestListener(world) }
        for listener in listeners {
            listener.connect()
            listener.add(2, try target("c"))
        }
        world.settle()
        for listener in listeners { listener.disconnect() }
        for number in 0..<20 as Range<Int64> { try world.commit("c/\(number)", number + 100) }
        world.settle()
        for (credit, listener) in zip([3, 5, Int.max], listeners) {
            listener.connect()
            listener.credit = credit
            listener.resume(2)
        }
        world.settle()
        for _ in 0..<40 {
            for listener in listeners.prefix(2) { listener.grant(3) }
            world.settle()
        }
        let documents = world.state(at: world.store.watermark).documents.mapValues(\.updateTime)
        for listener in listeners {
            #expect(listener.failures.isEmpty)
            #expect(listener.targets[2]?.documents.mapValues(\.updateTime) == documents)
        }
        #expect(world.watcher.memory.foundCount == 0)
    }

    @Test func `what cannot be read any more is passed over for nobody`() throws {
        let world = try WatchWorld {
            $0.history = .seconds(10)
            $0.historyMin = .zero
        }
        let listener = TestListener(world)
        listener.connect()
        listener.add(2, try target("c"))
        try world.commit("c/a", 1)
        world.settle()
        guard case .query(let query) = try target("c").selection else { throw WatchTestError.noQuery }
        let table = try #require(world.watcher.tables[world.database])
        let view = try #require(table.view(.query(query)))
        let base = Base(time: world.watcher.position, isPosition: true, pin: nil)
        try world.commit("c/a", 2)
        world.settle()
        let difference = Difference(of: query, in: view, from: base, to: world.watcher.base(in: table), world.watcher)
        try difference.advance()
        world.clock.advance(microseconds: 60_000_000)
        while world.store.maintain() {}
        for _ in 0..<3 {
            #expect(throws: StoreError.self) { try difference.advance() }
            #expect(!difference.isComplete)
        }
    }
}

private enum WatchTestError: Error { case noQuery }
