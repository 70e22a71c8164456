import BrasaDocuments
import BrasaQueries
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaWatch

/// The sequences that the protocol prescribes, one listener at a time.
@Suite struct ListeningTests {
    let world: WatchWorld
    let listener: TestListener

    init() throws {
        self.world = try WatchWorld()
        self.listener = TestListener(self.world)
        self.listener.keepsLog = true
        self.listener.connect()
    }

    /// What was heard since the last call.
    private func heard() -> [String] {
        self.world.settle()
        #expect(self.listener.failures.isEmpty)
        return self.listener.takeLog()
    }

    @Test func `a query target is added, told, current, and every stream hears of the snapshot`() throws {
        try self.world.commit([("c/a", 1), ("c/b", 2), ("d/x", 1)])
        self.world.settle()
        self.listener.add(2, try target("c"))
        #expect(self.heard() == ["add 2", "change c/a [2]", "change c/b [2]", "current [2]", "snapshot"])
    }

    @Test func `an empty result is current at once`() throws {
        self.listener.add(2, try target("c"))
        #expect(self.heard() == ["add 2", "current [2]", "snapshot"])
    }

    @Test func `a missing document is said to be deleted`() throws {
        try self.world.commit("c/a", 1)
        self.listener.add(1, .documents([try path("c/a"), try path("c/b")]))
        #expect(self.heard() == ["add 1", "change c/a [1]", "delete c/b -[1]", "current [1]", "snapshot"])
    }

    @Test func `a commit is one group before one snapshot`() throws {
        self.listener.add(2, try target("c"))
        _ = self.heard()
        try self.world.commit([("c/a", 1), ("c/b", 2), ("d/x", 1)])
        #expect(self.heard() == ["change c/a [2]", "change c/b [2]", "snapshot"])
        try self.world.commit([("c/a", nil), ("c/b", 3)])
        #expect(self.heard() == ["delete c/a -[2]", "change c/b [2]", "snapshot"])
    }

    @Test func `commits of one flush are told one by one`() throws {
        self.listener.add(2, try target("c"))
        _ = self.heard()
        try self.world.commit("c/a", 1)
        try self.world.commit("c/a", 2)
        #expect(self.heard() == ["change c/a [2]", "snapshot", "change c/a [2]", "snapshot"])
    }

    @Test func `nothing is told before it is durable, and what does not concern a stream never`() throws {
        self.listener.add(2, try target("c"))
        _ = self.heard()
        try self.world.commit("c/a", 1)
        self.world.scheduler.runAll()
        #expect(self.listener.takeLog() == [])
        #expect(self.heard() == ["change c/a [2]", "snapshot"])
        try self.world.commit("d/a", 1)
        #expect(self.heard() == [])
    }

    @Test func `a document that leaves a query is sent for the last time`() throws {
        try self.world.commit([("c/a", 1), ("c/b", 9)])
        self.listener.add(2, try target("c", atLeast: 5))
        #expect(self.heard() == ["add 2", "change c/b [2]", "current [2]", "snapshot"])
        try self.world.commit("c/b", 4)
        #expect(self.heard() == ["change c/b [] -[2]", "snapshot"])
        try self.world.commit("c/b", nil)
        #expect(self.heard() == [])
    }

    @Test func `what several targets are told of a document is said at once`() throws {
        self.listener.add(2, try target("c"))
        self.listener.add(4, try target("c", atLeast: 5))
        self.listener.add(6, .documents([try path("c/a")]))
        _ = self.heard()
        try self.world.commit("c/a", 7)
        #expect(self.heard() == ["change c/a [6, 2, 4]", "snapshot"])
        try self.world.commit("c/a", 1)
        #expect(self.heard() == ["change c/a [6, 2] -[4]", "snapshot"])
        try self.world.commit("c/a", nil)
        #expect(self.heard() == ["delete c/a -[6, 2]", "snapshot"])
    }

    @Test func `a limited query sends who comes for who goes before one snapshot`() throws {
        try self.world.commit([("c/a", 1), ("c/b", 2), ("c/c", 3), ("c/d", 4)])
        self.listener.add(2, try target("c", limit: 2))
        #expect(self.heard() == ["add 2", "change c/a [2]", "change c/b [2]", "current [2]", "snapshot"])
        try self.world.commit("c/a", nil)
        #expect(self.heard() == ["delete c/a -[2]", "change c/c [2]", "snapshot"])
        try self.world.commit("c/e", 0)
        #expect(self.heard() == ["change c/e [2]", "change c/c [] -[2]", "snapshot"])
        try self.world.commit("c/d", 5)
        #expect(self.heard() == [])
    }

    @Test func `a window that runs out is filled from the store`() throws {
        try self.world.commit((0..<40).map { ("c/\($0 + 10)", Int64($0)) })
        self.listener.add(2, try target("c", limit: 3))
        _ = self.heard()
        for index in 0..<37 {
            try self.world.commit("c/\(index + 10)", nil)
            #expect(self.heard() == ["delete c/\(index + 10) -[2]", "change c/\(index + 13) [2]", "snapshot"])
        }
        try self.world.commit("c/47", nil)
        #expect(self.heard() == ["delete c/47 -[2]", "snapshot"])
    }

    @Test func `removing a target ends it at once, and an unknown one is answered too`() throws {
        self.listener.add(2, try target("c"))
        _ = self.heard()
        self.listener.remove(2)
        self.listener.remove(7)
        try self.world.commit("c/a", 1)
        #expect(self.heard() == ["remove 2", "remove 7"])
        self.listener.add(2, try target("c"))
        #expect(self.heard() == ["add 2", "change c/a [2]", "current [2]", "snapshot"])
    }

    @Test func `a target for once is removed when it is current`() throws {
        self.listener.add(1, try target("c"), once: true)
        #expect(self.heard() == ["add 1", "current [1]", "snapshot", "remove 1"])
    }

    @Test func `a target of an id that is taken fails and leaves the other alone`() throws {
        let stream = try #require(self.listener.stream)
        self.listener.add(2, try target("c"))
        _ = self.heard()
        try stream.add(TargetRequest(id: 2, selection: .documents([try path("c/a")])))
        #expect(self.heard() == ["remove 2: Target ID already exists: 2"])
        try self.world.commit("c/a", 1)
        #expect(self.heard() == ["change c/a [2]", "snapshot"])
    }

    @Test func `the stream chooses ids when it is asked to, and then all of them`() throws {
        let stream = try #require(self.listener.stream)
        try stream.add(TargetRequest(id: 0, selection: .documents([try path("c/a")])))
        #expect(try stream.refuse(0) == 2)
        try stream.add(TargetRequest(id: 0, selection: .documents([try path("c/b")])))
        #expect(throws: TargetIDError.mixed) { _ = try stream.refuse(5) }
        #expect(self.listener.takeLog() == ["add 1", "add 3"])
        let other = TestListener(self.world)
        other.connect()
        let chosen = try #require(other.stream)
        #expect(throws: TargetIDError.negative(-1)) { _ = try chosen.refuse(-1) }
        #expect(try chosen.refuse(5) == 5)
        #expect(throws: TargetIDError.mixed) { _ = try chosen.refuse(0) }
    }

    @Test func `queries that cannot be listened to fail alone`() throws {
        var all = StructuredQuery()
        self.listener.add(2, try TestTarget(all, parent: try root()))
        all.from = [StructuredQuery.CollectionSelector(collectionID: "")]
        self.listener.add(4, try TestTarget(all, parent: try root()))
        let text = "All-collection queries are not supported by real-time queries."
        #expect(self.heard() == ["remove 2: \(text)", "remove 4: \(text)"])
    }

    /// A listener with targets of its own that may hear 40 of the 100 documents of one more, `d`.
    private func busyListener(_ collections: [UTF8Text]) throws -> (WatchWorld, TestListener) {
        var configuration = WatchConfiguration()
        configuration.turnReadsMax = 1
        let world = try WatchWorld(watch: configuration)
        try world.commit((0..<100).map { ("d/\($0)", 1) })
        world.settle()
        let listener = TestListener(world)
        listener.keepsLog = true
        listener.connect()
        for (index, collection) in (collections + ["d"]).enumerated() {
            if collection == "d" {
                _ = listener.takeLog()
                listener.credit = 40
            }
            listener.add(Int32(2 * (index + 1)), try target(collection))
            world.settle()
        }
        #expect(listener.takeLog().count == 40)
        return (world, listener)
    }

    @Test func `a new target on a busy stream holds up neither the others nor their tokens`() throws {
        let (world, listener) = try self.busyListener(["c"])
        listener.credit = 3
        try world.commit("c/a", 1)
        world.settle()
        #expect(listener.takeLog() == ["change c/a [2]", "resumable [2]", "snapshot without token"])
        listener.grant(.max)
        world.settle()
        #expect(listener.takeLog().suffix(2) == ["current [4]", "snapshot"])
        #expect(listener.failures.isEmpty)
    }

    @Test func `while targets are added only those have new tokens that were told something, but once a second all`()
        throws
    {
        let (world, listener) = try self.busyListener(["c", "e"])
        func heard(_ number: Int64) throws -> [String] {
            listener.credit = 3
            try world.commit("c/a", number)
            world.settle()
            return listener.takeLog()
        }
        world.clock.advance(microseconds: 1_000_000)
        #expect(try heard(1) == ["change c/a [2]", "resumable [2, 4]", "snapshot without token"])
        #expect(try heard(2) == ["change c/a [2]", "resumable [2]", "snapshot without token"])
        world.clock.advance(microseconds: 990_000)
        #expect(try heard(4) == ["change c/a [2]", "resumable [2]", "snapshot without token"])
        world.clock.advance(microseconds: 10_000)
        #expect(try heard(3) == ["change c/a [2]", "resumable [2, 4]", "snapshot without token"])
        listener.grant(.max)
        world.settle()
        #expect(listener.takeLog().suffix(2) == ["current [6]", "snapshot"])
        #expect(listener.failures.isEmpty)
    }

    @Test func `an idle stream hears the time every half minute`() throws {
        self.listener.add(2, try target("c"))
        _ = self.heard()
        let first = try #require(self.listener.lastTime)
        self.world.clock.advance(microseconds: 29_000_000)
        self.world.watcher.tick()
        #expect(self.heard() == [])
        self.world.clock.advance(microseconds: 1_500_000)
        self.world.watcher.tick()
        #expect(self.heard() == ["snapshot"])
        let second = try #require(self.listener.lastTime)
        #expect(second.microseconds - first.microseconds >= 30_000_000)
    }

    @Test func `equal targets share a view, and views go with their last target`() throws {
        let others = (0..<3).map { _ in TestListener(self.world) }
        for other in others {
            other.connect()
            other.add(1, try target("c"))
        }
        self.listener.add(2, try target("c"))
        _ = self.heard()
        self.world.watcher.tick()
        self.world.settle()
        #expect(self.world.watcher.counters.current.views == 1)
        #expect(self.world.watcher.counters.current.targets == 4)
        for other in others { other.disconnect() }
        self.listener.disconnect()
        #expect(self.world.watcher.counters.current.views == 0)
        #expect(self.world.watcher.tables.isEmpty)
    }

    @Test func `an event is one object for all streams`() throws {
        let keepers = (0..<3).map { _ in DocumentKeeper() }
        for keeper in keepers {
            let stream = self.world.open(keeper)
            try stream.add(TargetRequest(id: 1, selection: try target("c").selection))
        }
        self.world.settle()
        try self.world.commit("c/a", 1)
        self.world.settle()
        let first = try #require(keepers[0].documents.last)
        #expect(keepers.allSatisfy { $0.documents.last === first })
        let snapshot = try #require(keepers[0].snapshots.last)
        #expect(keepers.allSatisfy { $0.snapshots.last === snapshot })
    }

    @Test func `a sink may close its stream while it is told`() throws {
        let closer = Closer()
        closer.stream = self.world.open(closer)
        try closer.stream?.add(TargetRequest(id: 1, selection: try target("c").selection))
        self.listener.add(2, try target("c"))
        self.world.settle()
        closer.isClosing = true
        _ = self.listener.takeLog()
        try self.world.commit([("c/a", 1), ("c/b", 1)])
        #expect(self.heard() == ["change c/a [2]", "change c/b [2]", "snapshot"])
        #expect(closer.heard == 1)
        #expect(self.world.watcher.counters.current.streams == 1)
    }
}

private final class DocumentKeeper: WatchSink {
    var documents: [WatchedDocument] = []
    var snapshots: [WatchSnapshot] = []
    let isWritable = true

    func send(_ event: WatchEvent) {
        if case .documentChanged(let document, _, _) = event { self.documents.append(document) }
        if case .snapshot(let snapshot) = event { self.snapshots.append(snapshot) }
    }

    func flush() {}
}

private final class Closer: WatchSink {
    var stream: WatchStream?
    var isClosing = false
    var heard = 0
    let isWritable = true

    func send(_ event: WatchEvent) {
        guard self.isClosing else { return }
        self.heard += 1
        self.stream?.close()
    }

    func flush() {}
}

func path(_ text: String) throws -> ResourcePath { try ResourcePath(parsing: text.utf8) }

func root() throws -> ParentName {
    try #require(ParentName(database: WatchWorld.databaseName, path: .root))
}

/// A collection below the root, ordered by its field `n` when it is limited.
func target(
    _ collection: UTF8Text,
    atLeast least: Int64? = nil,
    limit: Int32? = nil,
    offset: Int32 = 0
) throws -> TestTarget {
    let field = try FieldPath(parsing: "n".utf8)
    var query = StructuredQuery()
    query.from = [StructuredQuery.CollectionSelector(collectionID: collection)]
    query.offset = offset
    if let least { query.filter = .field(field, .greaterThanOrEqual, .integer(least)) }
    if let limit {
        query.limit = limit
        query.orderBy = [StructuredQuery.Order(field: field, direction: .ascending)]
    }
    return try TestTarget(query, parent: try root())
}
