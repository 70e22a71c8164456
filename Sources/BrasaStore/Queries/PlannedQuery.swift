import BrasaQueries
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
    private let generation: Int

    init(
        _ query: Query,
        in database: DatabaseHandle,
        of store: Store,
        isAnyOrder: Bool,
        plans: PlanCache?
    ) {
        // Before indexes are looked for: what comes or goes meanwhile makes another plan.
        self.generation = store.indexRegistry.generation
        let remembered = plans?.find(query, in: database, generation: self.generation)
        self.planner = Planner(query, in: database, of: store, isAnyOrder: isAnyOrder, layouts: remembered?.layouts)
        let known = remembered ?? self.planner.known
        if remembered == nil { plans?.remember(query, known, generation: self.generation) }
        self.plan = self.planner.plan(resume: nil, known)
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
}

extension Store {
    /// `planned`, which is filled unless it holds.
    func plan(
        _ query: Query,
        in database: DatabaseHandle,
        isAnyOrder: Bool,
        plans: PlanCache?,
        _ planned: inout PlannedQuery?
    ) -> PlannedQuery {
        if let planned, planned.holds(in: database, of: self, isAnyOrder: isAnyOrder) { return planned }
        let current = PlannedQuery(query, in: database, of: self, isAnyOrder: isAnyOrder, plans: plans)
        planned = current
        return current
    }
}
