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
    private let hasLongRow = Atomic(false)
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
            if let other, other.isKnown(in: database, self.generation) {
                other.known
            } else {
                plans?.find(query, in: database, generation: self.generation)
            }
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
        self.isKnown(in: database, store.indexRegistry.generation) && self.planner.isAnyOrder == isAnyOrder
    }

    /// Whether what was known of the query then is so now, for those like it as well.
    private func isKnown(in database: DatabaseHandle, _ generation: Int) -> Bool {
        self.generation == generation && self.planner.database == database
            && self.known.choices.allSatisfy { $0.accesses.allSatisfy { !$0.index.counts.isOverflowing } }
    }

    /// Whether a count of the results may be told by one visit.
    package var isRow: Bool { self.row != nil && !self.isRowLong }
    /// Whether one visit has been too short to tell it.
    package var isRowLong: Bool { self.hasLongRow.load(ordering: .relaxed) }

    func noteLongRow() { self.hasLongRow.store(true, ordering: .relaxed) }
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
