package import BrasaDocuments
package import BrasaQueries

/// A query's results as they were at one time, in its order, a chunk at a time: without the query's offset, limit and
/// projection, which are its user's business. No lock is held between calls, and the work of one call is bounded by
/// about `queryStepMax` index entries or documents. Keeps the time's versions from being pruned.
package struct QueryScan: Sendable {
    package typealias Entry = FoundDocument

    package let time: Timestamp
    /// What is read from; grows when the scan moves on to an index that has been built meanwhile.
    package internal(set) var plan: PlanSummary
    package internal(set) var statistics = QueryStatistics()
    /// Whether everything was given out.
    package var isAtEnd: Bool { if case .ended = self.stage { true } else { false } }

    /// Its state is one reference: whoever holds the scan hands that on, and takes it apart once a step.
    indirect enum Stage: Sendable {
        case names(MatchedNames)
        case sort(SortedPass)
        case merge(MergedRuns)
        case ended
    }

    /// Room that is made for results before there are any.
    static let reservedMax = 64

    let store: Store
    let planner: Planner
    private let pin: SnapshotPin
    var stage: Stage = .ended
    private var adviser = IndexAdviser()
    /// When so much was examined without an index, it is time to look whether there is one now.
    var planAgainAt = 0
    /// The result given out last: where the plan that comes next has to go on.
    var last: Entry?
    /// Set once the order is given up.
    var rest: UnorderedRest?

    init(_ planned: PlannedQuery, pin: SnapshotPin, of store: Store) throws(StoreError) {
        self.time = pin.time
        self.store = store
        self.planner = planned.planner
        self.plan = planned.summary
        self.pin = pin
        try self.begin(planned.plan, reading: planned.indexes, resume: nil)
    }

    /// The next results, at most `limit`. Perhaps fewer or none although there are more: then as much was examined as
    /// one call may, and the next call goes on. Throws `readTimeTooOld` when history's bound on bytes made the versions
    /// go.
    package mutating func next(_ limit: Int) throws(StoreError) -> [Entry] {
        try self.work { (scan, work) throws(StoreError) in
            var entries: [Entry] = []
            while entries.count < limit, try scan.advance(limit, &work, &entries) {}
            work.statistics.results += entries.count
            return entries
        }
    }

    /// Passes over results; returns over how many. Perhaps fewer than `count` although there are more. All that are left
    /// (`Int.max`) are passed over in any order, so that nothing but another such `skip` may follow.
    package mutating func skip(_ count: Int) throws(StoreError) -> Int {
        if count == .max { return try self.skipRest() }
        return try self.work { (scan, work) throws(StoreError) in
            if let counted = try scan.count(count, &work) {
                work.statistics.results += counted
                return counted
            }
            var entries: [Entry] = []
            let limit = min(count, scan.store.configuration.queryStepMax)
            while entries.count < limit, try scan.advance(limit, &work, &entries) {}
            work.statistics.results += entries.count
            return entries.count
        }
    }

    mutating func work<Result>(
        _ body: (inout QueryScan, inout ScanWork) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        var work = ScanWork(
            time: self.time.microseconds,
            history: self.planner.database.history,
            budget: self.store.configuration.queryStepMax,
            statistics: self.statistics
        )
        let result = try body(&self, &work)
        self.statistics = work.statistics
        self.advise()
        return result
    }

    /// Asks for indexes when the results cost much more than they are.
    private mutating func advise() {
        var found = self.statistics.results
        if case .sort(let pass) = self.stage, pass.isLast(limit: self.planner.limitHint) { found += pass.heldCount }
        guard self.adviser.isAsking(examined: self.statistics.examined, found: found) else { return }
        self.planner.requestIndexes()
    }
}

extension Store {
    /// The results of a query at `time`. With `isAnyOrder` they may come in another order than the query's, which is
    /// cheaper while there is no index: for aggregations and nearest neighbours of queries without offset and limit.
    /// `plans` are those of the caller's event loop.
    package func query(
        _ query: Query,
        in database: DatabaseHandle,
        at time: Timestamp,
        isAnyOrder: Bool = false,
        plans: PlanCache? = nil
    ) throws(StoreError) -> QueryScan {
        var planned: PlannedQuery?
        return try self.query(query, in: database, at: time, isAnyOrder: isAnyOrder, plans: plans, &planned)
    }

    /// The same, as by `plan`.
    package func query(
        _ query: Query,
        in database: DatabaseHandle,
        at time: Timestamp,
        isAnyOrder: Bool = false,
        plans: PlanCache? = nil,
        like other: PlannedQuery? = nil,
        _ planned: inout PlannedQuery?
    ) throws(StoreError) -> QueryScan {
        let pin = try self.pin(at: time, in: database)
        let current = self.plan(query, in: database, isAnyOrder: isAnyOrder, plans: plans, like: other, &planned)
        return try QueryScan(current, pin: pin, of: self)
    }
}
