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

extension QueryPlan {
    /// Those that it reads, each once.
    var indexes: [Index] {
        guard case .merge(let runs, _) = self else { return [] }
        var indexes: [Index] = []
        for case .indexes(let run) in runs {
            for access in run.accesses where !indexes.contains(where: { $0 === access.index }) {
                indexes.append(access.index)
            }
        }
        return indexes
    }
}

extension QueryPlan {
    /// Where the keys of all results stand, and nothing else: in a row of one index. Nil: they do not.
    var row: (index: Index, interval: KeyInterval)? {
        guard case .merge(let runs, _) = self, let run = runs.direct, run.intervals.count == 1,
            let access = run.accesses.first, let interval = run.intervals.first
        else { return nil }
        return (access.index, interval.prefixed(by: access.prefix))
    }
}

extension [QueryPlan.Run] {
    /// The only one, if the entries of one index are the results as they are: they can be counted without a look at documents.
    var direct: QueryPlan.IndexRun? {
        guard self.count == 1, case .indexes(let run)? = self.first, run.isExact, run.accesses.count == 1 else {
            return nil
        }
        return run
    }

    /// For how many an index that is not there would be better.
    var improvableCount: Int {
        self.count { run in
            if case .indexes(let run) = run { !run.isIdeal } else { false }
        }
    }
}
