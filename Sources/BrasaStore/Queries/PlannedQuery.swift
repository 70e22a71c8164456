package import BrasaQueries
import Synchronization

/// How a query is answered, for whoever may ask it again: its plan holds until an index comes or goes. It keeps the database's
/// handle and objects of indexes, which say what these are: the trees go from the database's order without asking.
package final class PlannedQuery: Sendable {
    let planner: Planner
    let plan: QueryPlan
    let summary: PlanSummary
    /// Those that the plan reads, each once.
    let indexes: [Index]
    /// The same of results in any order: where the keys of all of them stand, and nothing else, in a row.
    let row: (index: Index, interval: KeyInterval)?
    /// The row was too long for one visit.
    let isRowLong = Atomic(false)
    private let known: Planner.Known
    private let generation: Int

    /// - Parameter like: of a query that differs in values alone.
    init(
        _ query: Query,
        in database: DatabaseHandle,
        of store: Store,
        isAnyOrder: Bool,
        plans: PlanCache?,
        like other: PlannedQuery? = nil
    ) {
        // Before indexes are looked for: what comes or goes meanwhile makes another plan.
        self.generation = store.indexRegistry.generation
        let remembered =
            other?.known(in: database, self.generation)
            ?? plans?.find(query, in: database, generation: self.generation)
        self.planner = Planner(query, in: database, of: store, isAnyOrder: isAnyOrder, layouts: remembered?.layouts)
        self.known = remembered ?? self.planner.known
        if remembered == nil { plans?.remember(query, self.known, generation: self.generation) }
        self.plan = self.planner.plan(resume: nil, self.known)
        var summary = PlanSummary()
        summary.add(self.plan, of: self.planner)
        self.summary = summary
        self.indexes = self.plan.indexes
        self.row = isAnyOrder ? self.plan.row : nil
    }

    /// Whether planning the query anew would come to the same.
    func holds(in database: DatabaseHandle, of store: Store, isAnyOrder: Bool) -> Bool {
        guard self.generation == store.indexRegistry.generation, self.planner.database == database,
            self.planner.isAnyOrder == isAnyOrder
        else { return false }
        return self.indexes.allSatisfy { !$0.counts.isOverflowing }
    }

    /// What holds for queries like this one as well.
    private func known(in database: DatabaseHandle, _ generation: Int) -> Planner.Known? {
        guard self.generation == generation, self.planner.database == database,
            self.known.choices.allSatisfy({ $0.accesses.allSatisfy { !$0.index.counts.isOverflowing } })
        else { return nil }
        return self.known
    }

    /// Whether a count of the results may be told by one visit.
    package var isRow: Bool { self.row != nil && !self.isTooLong }
    /// Whether one visit has been too short to tell it.
    package var isTooLong: Bool { self.isRowLong.load(ordering: .relaxed) }
}

extension Store {
    /// How a query is answered at present.
    /// - Parameters:
    ///   - plans: those of the caller's event loop.
    ///   - like: of a query that differs in values alone.
    ///   - planned: what became of this query before, which is filled unless it holds.
    package func plan(
        _ query: Query,
        in database: DatabaseHandle,
        isAnyOrder: Bool,
        plans: PlanCache?,
        like other: PlannedQuery? = nil,
        _ planned: inout PlannedQuery?
    ) -> PlannedQuery {
        if let planned, planned.holds(in: database, of: self, isAnyOrder: isAnyOrder) { return planned }
        let current = PlannedQuery(query, in: database, of: self, isAnyOrder: isAnyOrder, plans: plans, like: other)
        planned = current
        return current
    }
}
