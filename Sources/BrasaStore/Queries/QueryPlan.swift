import BrasaDocuments
import BrasaQueries

/// How a query is answered.
enum QueryPlan: Sendable {
    /// Nothing can match.
    case nothing
    /// All documents of the scope in name order, each matched against the query unless names decide.
    case names(isExact: Bool)
    /// The same, sorted.
    case sort
    /// Runs of indexes, merged.
    case merge([Run], isByOrderKey: Bool)

    /// Where a conjunction's documents come from.
    enum Run: Sendable {
        case indexes(IndexRun)
        case document(ResourcePath)
    }

    /// The same documents in one index or, when each knows only some parts, those that are in all of several.
    struct IndexRun: Sendable {
        struct Access: Sendable {
            let index: Index
            /// What the keys begin with; behind it stands the suffix, the same in all indexes of the run.
            let prefix: [UInt8]
        }

        let accesses: [Access]
        let intervals: [KeyInterval]
        let isReversed: Bool
        /// Whether every document found belongs to the query's results.
        let isExact: Bool
        /// Whether no other index would be better.
        let isIdeal: Bool
    }
}

extension [QueryPlan.Run] {
    /// Each once.
    var indexes: [BrasaStore.Index] {
        var indexes: [BrasaStore.Index] = []
        for case .indexes(let run) in self {
            for access in run.accesses where !indexes.contains(where: { $0 === access.index }) {
                indexes.append(access.index)
            }
        }
        return indexes
    }

    /// For how many an index that is not there would be better.
    var improvableCount: Int {
        self.count { run in
            if case .indexes(let run) = run { !run.isIdeal } else { false }
        }
    }
}
