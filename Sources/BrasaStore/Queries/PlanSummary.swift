import BrasaQueries

/// What an answer was read from, as an explanation shows it.
package struct PlanSummary: Hashable, Sendable {
    package struct IndexUse: Hashable, Sendable {
        /// `Collection` or `Collection group`.
        package let queryScope: String
        /// `(foo ASC, __name__ ASC)`.
        package let properties: String
    }

    package private(set) var indexesUsed: [IndexUse] = []

    mutating func add(_ plan: QueryPlan, of planner: Planner) {
        switch plan {
        case .nothing: break
        case .names, .sort:
            let isGroup = planner.query.names.allDescendants
            self.add(IndexUse(queryScope: isGroup ? "Collection group" : "Collection", properties: "(__name__ ASC)"))
        case .merge(let runs, _):
            for case .indexes(let run) in runs {
                for access in run.accesses {
                    let definition = access.index.definition
                    self.add(IndexUse(queryScope: definition.scopeName, properties: definition.properties))
                }
            }
        }
    }

    private mutating func add(_ use: IndexUse) {
        if !self.indexesUsed.contains(use) { self.indexesUsed.append(use) }
    }
}

/// What an answer has cost so far.
package struct QueryStatistics: Hashable, Sendable {
    package internal(set) var indexEntriesScanned = 0
    package internal(set) var documentsScanned = 0
    /// Results given out or passed over.
    package internal(set) var results = 0

    /// What was looked at to find them.
    var examined: Int { max(self.indexEntriesScanned, self.documentsScanned) }
}
