import BrasaQueries

/// What an answer was read from, as an explanation shows it.
package struct PlanSummary: Hashable, Sendable {
    package struct IndexUse: Hashable, Sendable {
        /// `Collection` or `Collection group`.
        package let queryScope: String
        /// `(foo ASC, __name__ ASC)`.
        package let properties: String

        init(queryScope: String, properties: String) {
            self.queryScope = queryScope
            self.properties = properties
        }

        init(_ definition: IndexDefinition) {
            self.init(queryScope: definition.scopeName, properties: definition.properties)
        }
    }

    /// Each once. Texts are made when they are asked for, which few queries are.
    package var indexesUsed: [IndexUse] {
        var uses: [IndexUse] = []
        for source in self.sources where !uses.contains(source.use) { uses.append(source.use) }
        return uses
    }

    private enum Source: Hashable {
        case names(isGroup: Bool)
        case index(IndexDefinition)

        var use: IndexUse {
            switch self {
            case .names(let isGroup):
                IndexUse(queryScope: isGroup ? "Collection group" : "Collection", properties: "(__name__ ASC)")
            case .index(let definition): IndexUse(definition)
            }
        }
    }

    private var sources: [Source] = []

    mutating func add(_ plan: QueryPlan, of planner: Planner) {
        switch plan {
        case .nothing: break
        case .names, .sort: self.add(.names(isGroup: planner.query.names.allDescendants))
        case .merge(let runs, _):
            for case .indexes(let run) in runs {
                for access in run.accesses { self.add(.index(access.index.definition)) }
            }
        }
    }

    private mutating func add(_ source: Source) {
        if !self.sources.contains(source) { self.sources.append(source) }
    }
}

extension QueryScan {
    /// The indexes that would make the query cost what it returns and do not fit in memory, each once. For explanations: it
    /// asks for a lock.
    package var indexesThatDoNotFit: [PlanSummary.IndexUse] {
        var found: [PlanSummary.IndexUse] = []
        for definition in self.planner.idealDefinitions {
            let key = IndexRegistry.Key(database: self.planner.database, definition: definition)
            guard self.store.indexRegistry.doesNotFit(key) else { continue }
            let use = PlanSummary.IndexUse(definition)
            if !found.contains(use) { found.append(use) }
        }
        return found
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
