import BrasaDocuments
import BrasaLog
import BrasaQueries
import BrasaSimulation
import Synchronization
import Testing

@testable import BrasaStore

/// Indexes against what the documents say, under random commits, refused commits, pruning, builds in the smallest steps,
/// checkpoints and restarts.
@Suite struct IndexModelTests {
    @Test(arguments: 0..<32 as Range<UInt64>)
    func showsEveryTimeWhatTheDocumentsHadThen(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let fixture = try StoreFixture(seed: seed) {
            $0.shards = [1, 2, 5][Int(seed % 3)]
            $0.history = .milliseconds(4)
            $0.log.recordBytesMax = 2_000
            // What most of the indexes take, and some do not.
            $0.indexBytesMin = 500
            if seed % 4 == 3 {
                $0.historyBytesMax = 2_000
                $0.historyMin = .zero
            }
        }
        var run = try IndexModelRun(fixture: fixture, random: random)
        for _ in 0..<250 {
            switch Int.random(in: 0..<100, using: &random) {
            case ..<40: try run.commit()
            case ..<47: try run.commit(isRefused: true)
            case ..<55: try run.request()
            case ..<75: _ = fixture.store.indexStep(budget: Int.random(in: 1...3, using: &random))
            case ..<82: _ = fixture.store.maintain()
            case ..<84: try run.hold()
            case ..<96: try run.check()
            case ..<98: try run.clear()
            case ..<99: try fixture.store.checkpoint()
            default: try run.restart()
            }
        }
        while fixture.store.indexStep() {}
        try run.check()
        try run.checkAfterTrimming()
    }
}

private struct IndexModelRun {
    let fixture: StoreFixture
    private var random: SeededRandom
    private var model = Model()
    private var times: [Timestamp] = []
    private let paths: [ResourcePath]
    private var requested: [(database: Int, definition: IndexDefinition)] = []
    /// Moments that somebody holds, beyond the window and, where that is firm, against pressure.
    private var held: [(database: Int, pin: SnapshotPin, isFirm: Bool)] = []

    init(fixture: StoreFixture, random: SeededRandom) throws {
        self.fixture = fixture
        self.random = random
        let ids = ["1", "1 ", "__id7__", "__id-12__", "é", "z/b/1", "1/a/1", "1/a/2", "1/a/2/b/q"]
        self.paths = try ["a", "a!", "b"].flatMap { collection in try ids.map { try path("\(collection)/\($0)") } }
    }

    private func handle(_ database: Int) throws -> DatabaseHandle {
        try self.fixture.store.database(databaseName("db\(database)"))
    }

    private mutating func anyFields() -> EncodedFields {
        let values: [Value] = [
            .null, .integer(1), .integer(2), .double(2), .double(.nan), .string("a"), .string("a\0"), .string("ab"),
            .array([.integer(1)]), .map([Value.MapEntry(key: "a", value: .integer(3))]), .boolean(false),
        ]
        var entries: [Value.MapEntry] = []
        for key in ["x", "y", "tags"] as [UTF8Text] where self.random.chance(4, in: 5) {
            guard let value = values.randomElement(using: &self.random) else { continue }
            entries.append(Value.MapEntry(key: key, value: value))
        }
        if self.random.chance(4, in: 5) {
            let elements = (0..<Int.random(in: 0...4, using: &self.random))
                .map { _ in values[Int.random(in: 0..<8, using: &self.random)] }
            entries.append(Value.MapEntry(key: "tags", value: .array(elements)))
        }
        return EncodedFields(encoding: entries)
    }

    mutating func commit(isRefused: Bool = false) throws {
        self.fixture.clock.advance(microseconds: Int64.random(in: 0...500, using: &self.random))
        var changes: [Model.Key: DocumentChange] = [:]
        for _ in 0..<Int.random(in: 1...4, using: &self.random) {
            guard let path = self.paths.randomElement(using: &self.random) else { return }
            let key = Model.Key(database: Int.random(in: 0..<2, using: &self.random), path: path)
            let existing = try self.fixture.store.latest(path, in: self.handle(key.database))
            let isDeletion = self.random.chance(1, in: 3)
            if isDeletion, existing == nil { continue }
            changes[key] = DocumentChange(
                database: try self.handle(key.database),
                path: path,
                outcome: isDeletion ? .delete : .set(self.anyFields(), createTime: existing?.createTime)
            )
        }
        if isRefused {
            let large = EncodedFields(encoding: [
                Value.MapEntry(key: "x", value: .bytes([UInt8](repeating: 1, count: 3_000)))
            ])
            changes[Model.Key(database: 0, path: self.paths[0])] = DocumentChange(
                database: try self.handle(0),
                path: self.paths[0],
                outcome: .set(large, createTime: nil)
            )
            let before = Holdings(self.fixture.store)
            #expect(throws: StoreError.self) {
                try self.fixture.store.apply(changes: Array(changes.values), waiter: nil)
            }
            #expect(Holdings(self.fixture.store) == before)
            try self.checkBytes()
            return
        }
        let time = try self.fixture.store.apply(changes: Array(changes.values), waiter: nil)
        for (key, change) in changes {
            var version = Model.Version(time: time, createTime: time, fields: nil)
            if case .set(let fields, let createTime) = change.outcome {
                version.fields = fields
                version.createTime = createTime ?? time
            }
            self.model.documents[key, default: []].append(version)
        }
        self.times.append(time)
        self.fixture.flush()
    }

    mutating func clear() throws {
        let database = Int.random(in: 0..<2, using: &self.random)
        let before = self.fixture.store.strongReadTime()
        _ = try self.fixture.store.clear(self.handle(database), waiter: nil)
        self.fixture.flush()
        // It is several commits, of which only what is before and after all of them is compared.
        let time = self.fixture.store.watermark
        for key in self.model.documents.keys where key.database == database {
            guard self.model.document(key, at: before) != nil else { continue }
            self.model.documents[key]?.append(Model.Version(time: time, createTime: time, fields: nil))
        }
        self.times.append(time)
    }

    mutating func hold() throws {
        if self.held.count == 3 { self.held.removeFirst() }
        let database = Int.random(in: 0..<2, using: &self.random)
        let isFirm = self.random.chance(1, in: 2)
        let pin = try self.handle(database).history.pin(self.anyTime().microseconds, isFirm: isFirm)
        self.held.append((database, pin, isFirm))
    }

    /// Those that are still there, which all have to be where there is no pressure.
    private mutating func heldTimes(_ database: Int) throws -> [Timestamp] {
        let oldest = try self.fixture.store.oldestReadTime(in: self.handle(database))
        let isRoomy = self.fixture.configuration.historyBytesMax == Store.Configuration().historyBytesMax
        let held = self.held.filter { $0.database == database }
        #expect(held.allSatisfy { $0.pin.time >= oldest || !$0.isFirm && !isRoomy })
        return held.map(\.pin.time).filter { $0 >= oldest }
    }

    mutating func restart() throws {
        self.held = []
        try self.fixture.restart(kill: self.random.chance(1, in: 2))
        #expect(self.fixture.store.indexes().isEmpty)
        self.requested = []
    }

    mutating func request() throws {
        let fields = try ["x", "y", "tags"].map { try FieldPath(parsing: $0.utf8) } + [FieldPath(parsing: "x.a".utf8)]
        var parts: [IndexDefinition.Part] = []
        for field in fields.shuffled(using: &self.random).prefix(Int.random(in: 0...3, using: &self.random)) {
            let isContains = field == fields[2] && self.random.chance(3, in: 4)
            let direction: IndexDefinition.Part.Kind = self.random.chance(1, in: 2) ? .ascending : .descending
            parts.append(IndexDefinition.Part(field, isContains ? .contains : direction))
        }
        let collectionIDs: [UTF8Text] = ["a", "a!", "b"]
        let definition = IndexDefinition(
            collectionID: collectionIDs[Int.random(in: 0..<3, using: &self.random)],
            scope: [.collection, .collectionGroup, .collectionRecursive][Int.random(in: 0..<3, using: &self.random)],
            parts: parts
        )
        let database = Int.random(in: 0..<2, using: &self.random)
        try self.fixture.store.requestIndex(definition, in: self.handle(database))
        self.requested.append((database, definition))
    }

    private mutating func anyTime() -> Timestamp {
        let oldest = self.fixture.store.statistics.oldestReadTime
        let now = self.fixture.store.strongReadTime()
        let times = self.times.filter { oldest <= $0 && $0 <= now }
        guard let time = times.randomElement(using: &self.random), self.random.chance(3, in: 4) else { return now }
        return time
    }

    mutating func check() throws {
        for (database, definition) in self.requested {
            guard let index = try self.fixture.store.readyIndex(definition, in: self.handle(database)) else { continue }
            let times = try self.heldTimes(database) + (0..<3).map { _ in self.anyTime() }
            for time in times { self.check(index, database, at: time) }
        }
    }

    private mutating func check(_ index: Index, _ database: Int, at time: Timestamp) {
        var expected = self.model.visible(database, at: time)
            .flatMap { path, document in
                index.definition.expectedKeys(path, document.fields).map { (key: $0, path: path, document: document) }
            }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        let bounds = (0..<2).map { _ in
            let key = expected.randomElement(using: &self.random)?.key ?? []
            let prefix = Array(key.prefix(Int.random(in: 0...key.count, using: &self.random)))
            return IndexPosition(prefix: prefix, isAfter: self.random.chance(1, in: 2))
        }
        let start = self.random.chance(1, in: 2) ? bounds[0] : .start
        let end = self.random.chance(1, in: 2) ? bounds[1] : .end
        expected.removeAll { !start.isBefore($0.key) || end.isBefore($0.key) }
        let isDescending = self.random.chance(1, in: 2)
        if isDescending { expected.reverse() }
        let needsPlaces = self.random.chance(1, in: 2)
        var (found, counted): ([IndexEntry], Int) = ([], 0)
        for isCounting in [true, false] {
            var position: IndexPosition? = isDescending ? end : start
            while let from = position {
                // Of some entries, or of more than several nodes have.
                let budget =
                    self.random.chance(1, in: 4)
                    ? ScanBudget(entries: 1_000, steps: 1_000)
                    : ScanBudget(
                        entries: Int.random(in: 1...4, using: &self.random),
                        steps: Int.random(in: 1...5, using: &self.random)
                    )
                let part = index.read(
                    IndexReading(
                        position: from,
                        end: isDescending ? start : end,
                        time: time.microseconds,
                        isDescending: isDescending,
                        isCounting: isCounting,
                        needsPlaces: needsPlaces,
                        budget: budget
                    )
                )
                guard var part else {
                    Issue.record("the index is gone")
                    return
                }
                #expect(part.examined <= budget.steps && part.count <= budget.entries)
                #expect(isCounting ? part.found.isEmpty : part.count == part.found.count)
                if isCounting {
                    counted += part.count
                    let last = part.count > 0 && counted <= expected.count ? expected[counted - 1].path : nil
                    if needsPlaces { #expect(part.last?.path == last) }
                } else {
                    found += part.takeReversed().reversed()
                }
                position = part.resume
            }
        }
        #expect(found.map(\.key) == (needsPlaces ? expected.map(\.key) : expected.map { _ in [] }))
        #expect(found.map(\.path) == expected.map(\.path))
        #expect(found.map(\.document) == expected.map(\.document))
        #expect(counted == expected.count)
    }

    /// Only live documents have entries then, and each index is what one built afterwards would be.
    mutating func checkAfterTrimming() throws {
        self.held = []
        self.fixture.flush()
        self.fixture.clock.advance(microseconds: 1_000_000)
        while self.fixture.store.maintain() {}
        let now = self.fixture.store.strongReadTime()
        for (database, definition) in self.requested {
            guard let index = try self.fixture.store.readyIndex(definition, in: self.handle(database)) else {
                Issue.record("not built")
                continue
            }
            let keys = self.model.visible(database, at: now)
                .flatMap { definition.expectedKeys($0.path, $0.document.fields) }
            #expect(index.counts.entries == keys.count)
            self.check(index, database, at: now)
            index.database.order.withLock { order in
                #expect(order.index(index.counts)?.superseded.tree.count == 0)
            }
        }
        try self.checkBytes()
    }

    /// What is counted of indexes, those that are being built included, is what they have.
    private func checkBytes() throws {
        let total = self.fixture.store.indexRegistry.total
        var (bytes, cost, endedBytes) = (0, 0, 0)
        for database in 0..<2 {
            try self.handle(database).order.withLock { order in
                for state in order.indexes {
                    state.current.checkInvariants()
                    state.superseded.tree.checkInvariants()
                    #expect(state.counts.bytes == state.current.bytes + state.superseded.tree.bytes)
                    #expect(state.counts.entries == state.current.count + state.superseded.tree.count)
                    bytes += state.counts.bytes
                    cost += max(state.counts.bytes, total.costMin)
                    endedBytes += state.superseded.tree.bytes - SupersededKeys().tree.bytes
                }
            }
        }
        #expect(total.bytes == bytes && total.cost == cost)
        #expect(total.endedBytes == endedBytes)
    }
}

/// What a commit that is refused leaves as it was. Trees of indexes may keep room for what they had.
private struct Holdings: Equatable {
    var documents: Int
    var documentBytes: Int
    var superseded: Int
    var historyBytes: Int
    var changes: Int
    var entries: [Int]

    init(_ store: Store) {
        let statistics = store.statistics
        self.documents = statistics.documents
        self.documentBytes = store.memory.documents
        self.superseded = statistics.supersededVersions
        self.historyBytes = statistics.historyBytes - store.indexRegistry.total.endedBytes
        self.changes = statistics.recentChanges
        self.entries = store.indexes().map(\.entries)
    }
}

extension IndexPosition {
    /// Whether the place lies before a key.
    fileprivate func isBefore(_ key: [UInt8]) -> Bool {
        if key.starts(with: self.prefix) { return !self.isAfter }
        return self.prefix.lexicographicallyPrecedes(key)
    }
}

extension IndexDefinition {
    /// The keys by way of decoded values.
    fileprivate func expectedKeys(_ path: ResourcePath, _ fields: EncodedFields) -> [[UInt8]] {
        guard path.collectionID.elementsEqual(self.collectionID.bytes) else { return [] }
        let parent = path.parent?.parent ?? .root
        var keys: [[UInt8]]
        switch self.scope {
        case .collection: keys = [OrderPreservingKey(parent).bytes]
        case .collectionGroup: keys = [[]]
        case .collectionRecursive:
            let above = sequence(first: parent) { $0.parent?.parent }.prefix { !$0.isRoot }
            keys = above.map { OrderPreservingKey($0).bytes }
        }
        for part in self.parts {
            guard let value = fields.value(at: part.path) else { return [] }
            switch (part.kind, value) {
            case (.ascending, _): keys = keys.map { $0 + OrderPreservingKey(value).bytes }
            case (.descending, _): keys = keys.map { $0 + OrderPreservingKey(value).bytes.map { ~$0 } }
            case (.contains, .array(let elements)):
                let distinct = Set(elements.map { OrderPreservingKey($0).bytes })
                keys = keys.flatMap { key in distinct.map { key + $0 } }
            case (.contains, _): return []
            }
        }
        var name = OrderPreservingKey(path).bytes
        if self.scope == .collection, let collection = path.parent {
            name = Array(name.dropFirst(OrderPreservingKey(collection).bytes.count - 1).dropLast())
        }
        return keys.map { $0 + name }
    }
}
