import BrasaDocuments
import BrasaQueries
import BrasaSimulation
import Testing

@testable import BrasaStore

/// The store against a dictionary of lists, under random commits, clocks, pruning, checkpoints and restarts, with room for
/// history and without.
@Suite struct ModelTests {
    @Test(arguments: 0..<24 as Range<UInt64>)
    func showsEveryTimeWhatAPlainModelShows(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let fixture = try StoreFixture(seed: seed) {
            $0.shards = [1, 2, 5][Int(seed % 3)]
            $0.history = .milliseconds(4)
            $0.recentChangesMax = [4, 1 << 16][Int(seed % 2)]
            if seed % 4 >= 2 {
                $0.historyBytesMax = 2_000
                $0.historyMin = .zero
            }
        }
        var run = ModelRun(fixture: fixture, random: random)
        for _ in 0..<200 {
            switch Int.random(in: 0..<100, using: &random) {
            case ..<45: try run.commit()
            case ..<50: fixture.clock.step(microseconds: Int64.random(in: -2_000...2_000, using: &random))
            case ..<60: try run.checkReads()
            case ..<75: try run.checkScans()
            case ..<82: try run.checkCollectionIDs()
            case ..<90: try run.checkChanges()
            case ..<93: _ = fixture.store.maintain()
            case ..<95: try run.hold()
            case ..<97: try fixture.store.checkpoint()
            default: try run.restart()
            }
        }
        try run.checkReads()
        try run.checkScans()
        run.letAllGo()
        while fixture.store.maintain() {}
        #expect(fixture.store.statistics.historyBytes <= fixture.configuration.historyBytesMax)
        #expect(run.refusals > 0)
        let newest = run.model.documents.compactMap { key, versions in
            versions.last?.fields.map { DocumentChain.documentBytes(path: key.path, fields: $0) }
        }
        #expect(fixture.store.statistics.documents == newest.count)
        #expect(fixture.store.memory.documents == newest.reduce(0, +))
    }
}

/// Every version of every document, oldest first.
struct Model {
    struct Key: Hashable {
        var database: Int
        var path: ResourcePath
    }

    struct Version {
        var time: Timestamp
        var createTime: Timestamp
        var fields: EncodedFields?
    }

    var documents: [Key: [Version]] = [:]

    func document(_ key: Key, at time: Timestamp) -> Document? {
        guard let version = self.documents[key]?.last(where: { $0.time <= time }), let fields = version.fields else {
            return nil
        }
        return Document(fields: fields, createTime: version.createTime, updateTime: version.time)
    }

    func visible(_ database: Int, at time: Timestamp) -> [(path: ResourcePath, document: Document)] {
        self.documents.keys.filter { $0.database == database }
            .compactMap { key in self.document(key, at: time).map { (key.path, $0) } }
            .sorted { $0.path < $1.path }
    }
}

struct ModelRun {
    let fixture: StoreFixture
    var random: SeededRandom
    var model = Model()
    private var times: [Timestamp] = []
    /// Of those that changed something.
    private var lastCommit: Timestamp?
    private let paths: [ResourcePath]
    /// Moments that somebody holds, beyond the window and, where that is firm, against pressure.
    private var held: [(database: Int, pin: SnapshotPin, isFirm: Bool)] = []
    /// Reads of moments that a database does not go back to.
    private(set) var refusals = 0

    init(fixture: StoreFixture, random: SeededRandom) {
        self.fixture = fixture
        self.random = random
        // Ids whose bytes stand before and after the slash, numeric ids, and nesting with equal collection ids.
        let (collections, ids) = (
            ["a", "a!", "b"], ["1", "1 ", "__id7__", "__id-12__", "é", "z/b/1", "1/a/1", "1/a/2/b/q"]
        )
        let texts = collections.flatMap { collection in ids.map { "\(collection)/\($0)" } }
        self.paths = texts.compactMap { try? ResourcePath(parsing: $0.utf8) }
        precondition(self.paths.count == texts.count)
    }

    private func handle(_ database: Int) throws -> DatabaseHandle {
        try self.fixture.store.database(databaseName("db\(database)"))
    }

    private var isRoomy: Bool {
        self.fixture.configuration.historyBytesMax == Store.Configuration().historyBytesMax
    }

    /// Mostly one that both databases go back to, or that is held; now and then any there was.
    private mutating func anyTime() -> Timestamp {
        let isAny = self.random.chance(1, in: 6)
        let oldest = isAny ? .earliest : self.fixture.store.statistics.oldestReadTime
        let now = self.fixture.store.strongReadTime()
        let times = self.times.filter { oldest <= $0 && $0 <= now } + self.held.map(\.pin.time)
        guard let time = times.randomElement(using: &self.random), self.random.chance(3, in: 4) else { return now }
        return time
    }

    mutating func commit() throws {
        self.fixture.clock.advance(microseconds: Int64.random(in: 0...500, using: &self.random))
        let lastRead = self.fixture.store.strongReadTime()
        var changes: [Model.Key: DocumentChange] = [:]
        for _ in 0..<Int.random(in: 1...4, using: &self.random) {
            guard let path = self.paths.randomElement(using: &self.random) else { return }
            let key = Model.Key(database: Int.random(in: 0..<2, using: &self.random), path: path)
            let existing = try self.fixture.store.latest(path, in: self.handle(key.database))
            let isDeletion = self.random.chance(1, in: 3)
            if isDeletion, existing == nil { continue }
            let text = EncodedFields(canonical: ByteString(Array("\(self.random.next() % 1_000)".utf8)))
            changes[key] = DocumentChange(
                database: try self.handle(key.database),
                path: path,
                outcome: isDeletion ? .delete : .set(text, createTime: existing?.createTime)
            )
        }
        let time = try self.fixture.store.apply(changes: Array(changes.values), waiter: nil)
        #expect(time > lastRead)
        #expect(self.lastCommit.map { $0 < time } ?? true)
        for (key, change) in changes {
            var version = Model.Version(time: time, createTime: time, fields: nil)
            if case .set(let fields, let createTime) = change.outcome {
                version.fields = fields
                version.createTime = createTime ?? time
            }
            self.model.documents[key, default: []].append(version)
            #expect(self.fixture.store.latest(key.path, in: change.database) == self.model.document(key, at: time))
        }
        self.times.append(time)
        if !changes.isEmpty {
            #expect(self.fixture.store.watermark < time)
            self.lastCommit = time
        }
        if self.random.chance(4, in: 5) { self.fixture.flush() }
    }

    /// What is read at a time; nil when that is refused, as only a time may be to which the database does not go back, and
    /// which nobody holds.
    private mutating func ifKnown<Output>(
        _ time: Timestamp,
        _ database: Int,
        _ read: (DatabaseHandle) throws -> Output
    ) throws -> Output? {
        do {
            return try read(self.handle(database))
        } catch let error as StoreError where error.code == .readTimeTooOld {
            try self.noteRefusal(time, database)
            return nil
        }
    }

    private mutating func noteRefusal(_ time: Timestamp, _ database: Int) throws {
        let history = try self.handle(database).history
        #expect(time.microseconds < history.oldest)
        let isHeld = self.held.contains {
            $0.database == database && $0.pin.time <= time && ($0.isFirm || self.isRoomy)
        }
        #expect(!isHeld)
        self.refusals += 1
    }

    mutating func hold() throws {
        if self.held.count == 3 { self.held.removeFirst() }
        let database = Int.random(in: 0..<2, using: &self.random)
        let isFirm = self.random.chance(1, in: 2)
        let time = self.anyTime()
        let pin = try self.ifKnown(time, database) { try $0.history.pin(time.microseconds, isFirm: isFirm) }
        if let pin { self.held.append((database, pin, isFirm)) }
    }

    mutating func letAllGo() { self.held = [] }

    mutating func checkReads() throws {
        for held in self.held { try self.checkReads(held.database, at: held.pin.time) }
        for _ in 0..<10 {
            let time = self.anyTime()
            for database in 0..<2 { try self.checkReads(database, at: time) }
        }
    }

    private mutating func checkReads(_ database: Int, at time: Timestamp) throws {
        let store = self.fixture.store
        let isKnown = try self.ifKnown(time, database) { try store.checkReadTime(time, in: $0) } != nil
        for path in self.paths {
            let document = try self.ifKnown(time, database) { try store.get(path, in: $0, at: time) }
            #expect((document != nil) == isKnown)
            guard let document else { continue }
            #expect(document == self.model.document(Model.Key(database: database, path: path), at: time))
        }
    }

    private mutating func anyRange() throws -> NameRange {
        let parents = ["", "", "a/1", "b/z", "nowhere/x"]
        let parent = try path(parents[Int.random(in: 0..<parents.count, using: &self.random)])
        let id = ["a", "a!", "b", nil].randomElement(using: &self.random) ?? nil
        var range = NameRange(
            parent: parent,
            collectionID: id.map { UTF8Text($0) },
            allDescendants: self.random.chance(1, in: 2)
        )
        for side in 0..<2 where self.random.chance(1, in: 3) {
            guard let path = self.paths.randomElement(using: &self.random) else { break }
            let bound = NameBound(path: path, isInclusive: self.random.chance(1, in: 2))
            if side == 0 { range.lower = bound } else { range.upper = bound }
        }
        return range
    }

    mutating func checkScans() throws {
        for _ in 0..<10 {
            let time = self.anyTime()
            let database = Int.random(in: 0..<2, using: &self.random)
            let range = try self.anyRange()
            let isDescending = self.random.chance(1, in: 2)
            let showMissing = !isDescending && !range.allDescendants && self.random.chance(1, in: 2)
            var expected = self.expected(range, database, at: time, showMissing: showMissing)
            if isDescending { expected.reverse() }
            let store = self.fixture.store
            let scan = try self.ifKnown(time, database) {
                try store.scan(range, in: $0, at: time, descending: isDescending, showMissing: showMissing)
            }
            guard var scan else { continue }
            do {
                try self.check(&scan, expected)
            } catch let error as StoreError where error.code == .readTimeTooOld {
                // It holds its time, but against pressure.
                #expect(!self.isRoomy)
                try self.noteRefusal(time, database)
            }
        }
    }

    private mutating func check(
        _ scan: inout NameScan,
        _ expected: [(path: ResourcePath, document: Document?)]
    ) throws {
        let skipped = Int.random(in: 0...2, using: &self.random)
        let passed = try scan.skip(skipped)
        #expect(passed == min(skipped, expected.count))
        var expected = expected.dropFirst(skipped)
        while true {
            let limit = Int.random(in: 1...5, using: &self.random)
            var entries: [NameScan.Entry] = []
            let isInSteps = self.random.chance(1, in: 2)
            repeat {
                var steps = isInSteps ? Int.random(in: 1...6, using: &self.random) : .max
                entries += try scan.next(limit - entries.count, steps: &steps)
            } while entries.count < limit && !scan.isAtEnd
            #expect(entries.map(\.path) == expected.prefix(limit).map(\.path))
            #expect(entries.map(\.document) == expected.prefix(limit).map(\.document))
            expected = expected.dropFirst(limit)
            if entries.count < limit { break }
            // What is committed meanwhile does not disturb the scan, nor what is forgotten, or it says so.
            if self.random.chance(1, in: 4) { try self.commit() }
            if self.random.chance(1, in: 8) { _ = self.fixture.store.maintain() }
        }
        #expect(expected.isEmpty)
    }

    private func expected(
        _ range: NameRange,
        _ database: Int,
        at time: Timestamp,
        showMissing: Bool
    ) -> [(path: ResourcePath, document: Document?)] {
        let visible = self.model.visible(database, at: time)
        var found: [ResourcePath: Document?] = [:]
        let depth = range.parent.segmentCount + 2
        for (path, document) in visible {
            if range.contains(path) { found[path] = document }
            let ancestor = path.prefix(segments: depth)
            if showMissing, path.segmentCount > depth, range.contains(ancestor), found[ancestor] == nil,
                range.upper.map({ path < $0.path || $0.path == path && $0.isInclusive }) ?? true
            {
                found[ancestor] = .some(nil)
            }
        }
        return found.map { ($0.key, $0.value) }.sorted { $0.path < $1.path }
    }

    mutating func checkCollectionIDs() throws {
        for parent in ["", "a/1", "b/z", "a/1/a/2", "x/y"] {
            let parent = try path(parent)
            let (time, database) = (self.anyTime(), Int.random(in: 0..<2, using: &self.random))
            let all = Set(
                self.model.visible(database, at: time).filter { $0.path.isDescendant(of: parent) }
                    .map { UTF8Text(String(decoding: $0.path.segments[parent.segmentCount], as: UTF8.self)) }
            ).sorted()
            let after = [nil, "", "a", "a!", "a0", "zz", "__no__"].randomElement(using: &self.random) ?? nil
            let limit = Int.random(in: 0...4, using: &self.random)
            let store = self.fixture.store
            let found = try self.ifKnown(time, database) {
                try store.listCollectionIDs(
                    under: parent,
                    in: $0,
                    at: time,
                    after: after.map { UTF8Text($0) },
                    limit: limit
                )
            }
            guard let found else { continue }
            #expect(found == Array(all.filter { id in after.map { UTF8Text($0) < id } ?? true }.prefix(limit)))
        }
    }

    mutating func checkChanges() throws {
        let time = self.anyTime()
        var both: Set<DatabaseHandle> = []
        var expected = 0
        for number in 0..<2 {
            let database = try self.handle(number)
            guard let changes = self.fixture.store.changes(after: time, in: database, limit: .max) else { continue }
            let newer = self.model.documents.filter { $0.key.database == number }.values.joined().filter {
                time < $0.time
            }
            let durable = newer.count { $0.time <= self.fixture.store.watermark }
            #expect(changes.count == durable)
            #expect(self.fixture.store.appliedChanges(after: time, in: database, limit: .max)?.count == newer.count)
            #expect(zip(changes, changes.dropFirst()).allSatisfy { $0.time <= $1.time })
            both.insert(database)
            expected += durable
        }
        let changes = self.fixture.store.changes(after: time, in: both, limit: .max) ?? []
        #expect(changes.count == expected)
        #expect(zip(changes, changes.dropFirst()).allSatisfy { $0.time <= $1.time })
    }

    mutating func restart() throws {
        self.letAllGo()
        self.fixture.flush()
        try self.fixture.restart(kill: self.random.chance(1, in: 2))
        let oldest = self.fixture.store.statistics.oldestReadTime
        #expect(self.lastCommit.map { $0 <= self.fixture.store.watermark } ?? true)
        #expect(oldest <= self.fixture.store.watermark)
    }
}
