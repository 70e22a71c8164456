import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import Synchronization

@testable import BrasaStore

/// One query on a store that has had other documents before, has some after, and does things while the query runs. The
/// same case and seed make the same trial.
struct QueryTrial {
    private enum Indexing {
        /// The adviser alone decides.
        case asNeeded
        /// What each conjunction would like best.
        case ideal
        /// Indexes of single parts, to be joined, and the one of the order.
        case parts
    }

    private let fixture: StoreFixture
    private let database: DatabaseHandle
    private let plans = PlanCache()
    private var planned: PlannedQuery?
    private let query: Query
    private let model: QueryModel
    /// Of a query that differs in values alone.
    private var other: PlannedQuery?
    /// How many of those there were.
    private var variantCount = 0
    private var variants: QueryCaseGenerator
    private var generator: QueryCaseGenerator
    private let indexing: Indexing
    private let definitions: [IndexDefinition]
    /// Whether indexes come and go while queries run. That also helps a scan out that would not come to an end.
    private let isChangingIndexes: Bool
    /// Whether the past goes while queries run, but for what they and others hold.
    private let isPruning: Bool
    private var held: HeldMoments
    private var heldFailure: String?
    /// Of commits.
    private var times: [Timestamp] = []

    /// How often queries with results were answered in each way.
    struct Coverage {
        var names = 0
        var sorts = 0
        var merges = 0
        var joins = 0
        /// Plans given up for better ones while the query ran.
        var changes = 0
        /// Trials in which old versions went while a query ran, and those whose moment went under pressure.
        var prunings = 0
        var refusals = 0
        /// Counts that one visit to an index told.
        var visits = 0
        /// Plans of queries that differ in values alone.
        var variants = 0

        var isWide: Bool {
            min(self.names, self.sorts, self.merges, self.joins, self.changes) > 0
                && min(self.prunings, self.refusals, self.visits, self.variants) > 0
        }
    }

    /// What is wrong; nil when nothing is.
    static func failure(of made: QueryCase, seed: UInt64, _ coverage: inout Coverage) throws -> String? {
        guard let query = made.checked else { return nil }
        var trial = try QueryTrial(query, made.model, seed: seed)
        try trial.makePast(of: made.documents)
        let time = try trial.makePresent(made.documents)
        try trial.makeFuture(of: made.documents)
        let expected = made.model.ordered(made.documents)
        // Nobody else holds it between two queries.
        let isFirm = trial.generator.random.chance(2)
        let pin = try trial.database.history.pin(time.microseconds, isFirm: isFirm)
        defer { withExtendedLifetime(pin) {} }
        let before = trial.fixture.store.statistics.supersededVersions
        defer {
            if trial.fixture.store.statistics.supersededVersions < before { coverage.prunings += 1 }
            coverage.variants += trial.variantCount
        }
        do {
            for _ in 0..<3 {
                if let failure = try trial.run(at: time, expecting: expected, &coverage) { return failure }
            }
            if let failure = try trial.count(at: time, expecting: expected) { return failure }
            if let failure = try trial.countInOneVisit(at: time, expecting: expected, &coverage) { return failure }
        } catch let error as StoreError where error.code == .readTimeTooOld {
            coverage.refusals += 1
            let isGone = trial.fixture.store.oldestReadTime(in: trial.database) > time
            if isFirm || !trial.isUnderPressure || !isGone { return "refused as too old" }
        }
        return trial.heldFailure
    }

    private init(_ query: Query, _ model: QueryModel, seed: UInt64) throws {
        self.generator = QueryCaseGenerator(seed: seed ^ 0x5EED, database: query.database)
        var random = self.generator.random
        let isPruning = random.chance(2)
        self.isPruning = isPruning
        self.fixture = try StoreFixture(seed: seed) {
            if isPruning {
                $0.history = Self.history
                $0.historyMin = .zero
                if random.chance(2) { $0.historyBytesMax = random.pick([0, 500, 4_000]) }
            }
            $0.shards = random.pick([1, 2, 4])
            $0.sortedMax = random.pick([1, 2, 5, 8192])
            $0.queryStepMax = random.pick([1, 1, 2, 5, 1024])
        }
        self.database = self.fixture.store.database(query.database)
        self.query = query
        self.model = model
        self.variants = QueryCaseGenerator(seed: seed, database: query.database)
        self.isChangingIndexes = random.chance(2)
        self.indexing = random.pick([.asNeeded, .ideal, .parts, .parts])
        let planner = Planner(query, in: self.database, of: self.fixture.store, isAnyOrder: false)
        switch self.indexing {
        case .asNeeded: self.definitions = []
        case .ideal: self.definitions = planner.shapes.compactMap(\.idealDefinition)
        case .parts:
            self.definitions = planner.shapes.flatMap { shape in
                ([[]] + shape.bound.map { [$0] }).compactMap { shape.definition($0) }
            }
        }
        self.generator.random = random
        self.held = HeldMoments(self.fixture.store, self.database, query, model)
    }

    // MARK: Documents

    private mutating func makePast(of documents: [ModelDocument]) throws {
        if self.generator.random.chance(3) { self.requestIndexes() }
        if self.generator.random.chance(2) { try self.commitTwins(of: documents) }
        for _ in 0..<self.generator.random.below(3) { try self.commitNoise() }
    }

    private mutating func makePresent(_ documents: [ModelDocument]) throws -> Timestamp {
        if self.generator.random.chance(2) { self.requestIndexes() }
        var scan = try self.fixture.store.scan(range("", nil, all: true), in: self.database, at: self.now)
        var changes = try scan.next(.max).map { ($0.path, nil as EncodedFields?) }
        changes.removeAll { path, _ in documents.contains { $0.path == path } }
        changes += documents.map { ($0.path, $0.fields) }
        for change in changes { try self.commit([change]) }
        return self.now
    }

    private mutating func makeFuture(of documents: [ModelDocument]) throws {
        if self.generator.random.chance(3) { try self.commitTwins(of: documents) }
        for _ in 0..<self.generator.random.below(3) { try self.commitNoise() }
        self.requestIndexes()
        if !self.generator.random.chance(3) { while self.fixture.store.indexStep() {} }
    }

    private var now: Timestamp { self.fixture.store.strongReadTime() }

    private mutating func commitNoise() throws {
        let isDeletion = self.generator.random.chance(3)
        let documents = self.generator.documents(count: 4)
        try self.commit(documents.map { ($0.path, isDeletion ? nil : $0.fields) })
        if self.isChangingIndexes, self.generator.random.chance(2) { _ = self.fixture.store.indexStep() }
    }

    /// Gives other documents, and some of them in each other's place, what the documents have, so that indexes have entries beside theirs that the time of the
    /// query does not know: whole ones, and such that lack a field.
    private mutating func commitTwins(of documents: [ModelDocument]) throws {
        guard !documents.isEmpty else { return }
        for _ in 0..<8 {
            let isOther = self.generator.random.chance(2)
            var twin = ModelDocument(
                path: isOther ? self.generator.path() : self.generator.random.pick(documents).path,
                entries: self.generator.random.pick(documents).entries
            )
            if !twin.entries.isEmpty, self.generator.random.chance(3) {
                twin.entries.remove(at: self.generator.random.below(twin.entries.count))
            }
            try self.commit([(twin.path, twin.fields)])
        }
    }

    private mutating func commit(_ changes: [(ResourcePath, EncodedFields?)]) throws {
        guard !changes.isEmpty else { return }
        let changes = changes.map { path, fields in
            DocumentChange(
                database: self.database,
                path: path,
                outcome: fields.map { .set($0, createTime: nil) } ?? .delete
            )
        }
        self.times.append(try self.fixture.commit(changes))
    }

    // MARK: The past

    private static let history: Duration = .milliseconds(1)

    private var isUnderPressure: Bool {
        self.fixture.configuration.historyBytesMax < Store.Configuration().historyBytesMax
    }

    private mutating func disturbHistory() throws {
        let store = self.fixture.store
        switch self.generator.random.below(8) {
        case 0, 1:
            let time = self.generator.random.pick([store.strongReadTime()] + self.times.suffix(4))
            guard time >= store.oldestReadTime(in: self.database) else { return }
            try self.held.hold(time, isFirm: self.generator.random.chance(3))
        case 2: self.held.letOneGo(&self.generator.random)
        case 3, 4:
            let failure = try self.held.failure(&self.generator.random)
            self.heldFailure = self.heldFailure ?? failure
        default:
            // Nearly all that is not held goes, or a part of it.
            if self.generator.random.chance(2) { self.fixture.wait(Self.history * 2) }
            for _ in 0..<4 where !store.maintain() { break }
        }
    }

    // MARK: Indexes

    private func requestIndexes() {
        for definition in self.definitions { self.fixture.store.requestIndex(definition, in: self.database) }
    }

    private mutating func disturb() throws {
        if self.isPruning, self.generator.random.chance(4) { try self.disturbHistory() }
        switch self.generator.random.below(12) {
        case 0: try self.commitNoise()
        case 1... where !self.isChangingIndexes: break
        case 1, 2: _ = self.fixture.store.indexStep()
        case 3: while self.fixture.store.indexStep() {}
        case 4 where self.generator.random.chance(4): self.dropIndex()
        default: break
        }
    }

    private mutating func dropIndex() {
        let registry = self.fixture.store.indexRegistry
        registry.state.withLock { state in
            let keys = state.records.filter { $0.value.state == .ready }.sorted { $0.value.number < $1.value.number }
            if let key = keys.first?.key { state.remove(key) }
        }
        while self.fixture.store.indexStep() {}
    }

    // MARK: The query

    /// No scan of so few documents takes as many calls, however little each does. After a while nothing disturbs it any
    /// more.
    private static let callsMax = 3_000
    private static let disturbedCallsMax = 200

    private mutating func run(
        at time: Timestamp,
        expecting expected: [ModelDocument],
        _ coverage: inout Coverage
    ) throws -> String? {
        let isAnyOrder = self.generator.random.chance(6)
        var scan = try self.scan(at: time, isAnyOrder: isAnyOrder)
        if !expected.isEmpty { coverage.add(scan) }
        let firstPlan = scan.plan
        var found: [ModelDocument] = []
        var skipped = 0
        let toSkip = self.generator.random.chance(3) && !isAnyOrder ? self.generator.random.below(6) : 0
        while skipped < toSkip, !scan.isAtEnd {
            skipped += try scan.skip(toSkip - skipped)
            try self.disturb()
        }
        let chunk = self.generator.random.pick([1, 2, 5, 100])
        var calls = 0
        while !scan.isAtEnd {
            calls += 1
            if calls > Self.callsMax { return self.report("no end", scan, expected) }
            let entries = try scan.next(chunk)
            if entries.count > chunk { return "more than asked for" }
            found += entries.map { ModelDocument(path: $0.path, entries: $0.document.fields.decoded) }
            for entry in entries {
                if let key = entry.orderKey,
                    key != self.query.order.key(path: entry.path, fields: entry.document.fields)
                {
                    return "a wrong key for \(entry.path)"
                }
            }
            if calls < Self.disturbedCallsMax { try self.disturb() }
        }
        if scan.plan != firstPlan { coverage.changes += 1 }
        if isAnyOrder { found = expected.filter(found.contains) + found.filter { !expected.contains($0) } }
        let wanted = Array(expected.dropFirst(toSkip))
        if skipped != min(toSkip, expected.count) { return self.report("skipped \(skipped)", scan, expected) }
        if found != wanted || scan.statistics.results != skipped + found.count {
            return self.report("found \(found.map(\.path))", scan, wanted)
        }
        return nil
    }

    private mutating func count(at time: Timestamp, expecting expected: [ModelDocument]) throws -> String? {
        var scan = try self.scan(at: time)
        var count = 0
        if self.generator.random.chance(2) { count += try scan.next(self.generator.random.below(4)).count }
        var calls = 0
        while !scan.isAtEnd {
            calls += 1
            if calls > Self.callsMax { return self.report("no end of the count", scan, expected) }
            count += try scan.skip(.max)
            if calls < Self.disturbedCallsMax { try self.disturb() }
        }
        return count == expected.count ? nil : self.report("counted \(count)", scan, expected)
    }

    /// Whatever became of the query's plan, what one visit tells is right, and as much as was asked for.
    private mutating func countInOneVisit(
        at time: Timestamp,
        expecting expected: [ModelDocument],
        _ coverage: inout Coverage
    ) throws -> String? {
        for _ in 0..<4 {
            let most = self.generator.random.pick([1, 3, .max])
            _ = try self.scan(at: time, isAnyOrder: true)
            if self.generator.random.chance(2) { try self.disturb() }
            guard let planned = self.planned else { continue }
            let (store, database) = (self.fixture.store, self.database)
            if let count = try store.countInOneVisit(planned, in: database, at: time, upTo: most) {
                coverage.visits += expected.isEmpty ? 0 : 1
                if count != min(expected.count, most) { return "counted \(count) of \(expected.count) in one visit" }
            }
        }
        return nil
    }

    /// By the plan of the one before, its layout's, that of a query like it or its own.
    private mutating func scan(at time: Timestamp, isAnyOrder: Bool = false) throws -> QueryScan {
        let way = self.generator.random.below(4)
        let plans = way < 2 ? self.plans : nil
        if self.other == nil || self.variants.random.chance(3) { self.planAnother(isAnyOrder: isAnyOrder) }
        let other = way % 2 == 0 ? self.other : nil
        if way != 1 { self.planned = nil }
        return try self.fixture.store.query(
            self.query,
            in: self.database,
            at: time,
            isAnyOrder: isAnyOrder,
            plans: plans,
            like: other,
            &self.planned
        )
    }

    /// Plans a query that differs in values alone, if the one that is made does.
    private mutating func planAnother(isAnyOrder: Bool) {
        let asked = self.variants.varied(self.model.query)
        guard let query = try? Query(asked, parent: self.model.parent), query != self.query,
            QueryShape(self.query).isOf(query)
        else { return }
        self.variantCount += 1
        self.other = PlannedQuery(query, in: self.database, of: self.fixture.store, isAnyOrder: isAnyOrder, plans: nil)
    }

    private func report(_ what: String, _ scan: QueryScan, _ expected: [ModelDocument]) -> String {
        "\(what) instead of \(expected.map(\.path)) by \(scan.plan.indexesUsed.map(\.properties)), \(self.indexing)"
    }
}

extension QueryTrial.Coverage {
    fileprivate mutating func add(_ scan: QueryScan) {
        switch scan.stage {
        case .names: self.names += 1
        case .sort: self.sorts += 1
        case .merge:
            self.merges += 1
            if scan.plan.indexesUsed.count > scan.planner.shapes.count { self.joins += 1 }
        case .ended: break
        }
    }
}
