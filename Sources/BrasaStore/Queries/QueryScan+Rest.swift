import BrasaDocuments
import BrasaQueries

extension QueryScan {
    /// Results passed over in any order, all behind the last that was given out in order.
    struct UnorderedRest: Sendable {
        var count = 0
        /// How many of those are still to be passed over once more, since an index was lost.
        var repeated = 0
    }

    mutating func skipRest() throws(StoreError) -> Int {
        if self.rest == nil {
            self.rest = UnorderedRest()
            if case .sort = self.stage { try self.begin() }
        }
        return try self.work { (scan, work) throws(StoreError) in
            let counted = try scan.countRest(&work)
            guard var rest = scan.rest else { return 0 }
            let repeated = min(rest.repeated, counted)
            rest.repeated -= repeated
            rest.count += counted - repeated
            if work.isIndexLost { rest.repeated = rest.count }
            scan.rest = rest
            if work.isIndexLost { try scan.begin() }
            work.statistics.results += counted - repeated
            return counted - repeated
        }
    }

    private mutating func countRest(_ work: inout ScanWork) throws(StoreError) -> Int {
        guard case .merge(var merged) = self.stage, merged.isDirect else {
            var entries: [Entry] = []
            while try self.advance(self.store.configuration.queryStepMax, &work, &entries) {}
            return entries.count
        }
        // Moved out, so that its arrays are not copied.
        self.stage = .ended
        defer { if !merged.isAtEnd { self.stage = .merge(merged) } }
        return try merged.count(.max, needsLast: false, &work).count
    }

    /// Passes over the next results without a look at their documents; returns over how many, nil when only the documents
    /// tell which are results.
    mutating func count(_ limit: Int, _ work: inout ScanWork) throws(StoreError) -> Int? {
        guard case .merge(let merged) = self.stage, merged.isDirect else { return nil }
        self.stage = .ended
        return try self.count(merged, limit, &work)
    }

    private mutating func count(
        _ merged: consuming MergedRuns,
        _ limit: Int,
        _ work: inout ScanWork
    ) throws(StoreError) -> Int {
        var merged = merged
        var counted = 0
        do {
            defer { self.stage = .merge(merged) }
            let (count, last) = try merged.count(limit, needsLast: true, &work)
            if let last { self.last = last }
            counted = count
        }
        if work.isIndexLost {
            work.isIndexLost = false
            try self.begin()
        } else if merged.isAtEnd {
            self.stage = .ended
        }
        return counted
    }
}
