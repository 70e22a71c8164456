import BrasaDocuments
import BrasaQueries

extension QueryScan {
    /// Bytes of keys that one pass of a sort keeps.
    static let sortedKeyBytesMax = 2 << 20
    /// Documents examined without an index until it is looked for again: about when a sort begins to leave results to
    /// another pass.
    private var planInterval: Int { 2 * self.store.configuration.sortedMax }

    /// Chooses how to go on behind the last result.
    mutating func begin() throws(StoreError) {
        let resume = self.resume
        try self.adopt(self.planner.plan(resume: resume), resume: resume)
    }

    /// Goes on with indexes if there are some now that leave fewer runs to be improved.
    private mutating func beginWithIndex(improvable: Int = .max) throws(StoreError) {
        let resume = self.resume
        let plan = self.planner.plan(resume: resume)
        self.planAgainAt = self.statistics.examined + self.planInterval
        if case .merge(let runs, _) = plan, runs.improvableCount < improvable { try self.adopt(plan, resume: resume) }
    }

    private var resume: OrderPreservingKey? {
        self.last.flatMap { last in
            last.orderKey ?? self.planner.query.order.key(path: last.path, fields: last.document.fields)
        }
    }

    private mutating func adopt(_ plan: QueryPlan, resume: OrderPreservingKey?) throws(StoreError) {
        self.plan.add(plan, of: self.planner)
        try self.begin(plan, reading: plan.indexes, resume: resume)
    }

    mutating func begin(_ plan: QueryPlan, reading indexes: [Index], resume: OrderPreservingKey?) throws(StoreError) {
        self.planAgainAt = self.statistics.examined + self.planInterval
        switch plan {
        case .nothing: self.stage = .ended
        case .names(let isExact): self.stage = .names(try self.names(isExact: isExact, resume: resume))
        case .sort:
            let names = try self.names(isExact: false, resume: resume)
            guard self.rest == nil else { return self.stage = .names(names) }
            let pass = SortedPass(
                names,
                order: self.planner.query.order,
                countMax: min(self.planner.limitHint ?? .max, self.store.configuration.sortedMax),
                keyBytesMax: Self.sortedKeyBytesMax
            )
            self.stage = .sort(pass)
        case .merge(let runs, let isByOrderKey):
            self.store.markUsed(indexes)
            let merged = MergedRuns(
                runs,
                isByOrderKey: isByOrderKey,
                of: self.planner.query,
                in: self.planner.database,
                resume: resume
            )
            self.stage = .merge(merged)
        }
    }

    private func names(isExact: Bool, resume: OrderPreservingKey?) throws(StoreError) -> MatchedNames {
        let query = self.planner.query
        let scan = try self.store.scan(
            query.names,
            in: self.planner.database,
            at: self.time,
            descending: query.order.isByNameAlone && query.order.clauses[0].isDescending
        )
        return MatchedNames(scan, of: query, isExact: isExact, resume: resume)
    }

    /// Adds results up to `limit` from the stage as it is, and changes it when it is over. Returns whether another call
    /// now may bring more.
    mutating func advance(_ limit: Int, _ work: inout ScanWork, _ entries: inout [Entry]) throws(StoreError) -> Bool {
        // The stage's state is moved out and back, so that its arrays are not copied.
        let stage = self.stage
        self.stage = .ended
        switch consume stage {
        case .ended: return false
        case .names(let names): return try self.advance(names, limit, &work, &entries)
        case .sort(let pass): return try self.advance(pass, limit, &work, &entries)
        case .merge(let merged): return try self.advance(merged, limit, &work, &entries)
        }
    }

    private mutating func advance(
        _ names: consuming MatchedNames,
        _ limit: Int,
        _ work: inout ScanWork,
        _ entries: inout [Entry]
    ) throws(StoreError) -> Bool {
        var names = names
        entries.reserveCapacity(min(limit, Self.reservedMax))
        do {
            defer { self.stage = .names(names) }
            while entries.count < limit, let entry = try names.next(expecting: limit - entries.count, &work) {
                self.add(entry, to: &entries)
            }
        }
        if names.isAtEnd {
            self.stage = .ended
        } else if !names.isExact, self.planner.query.order.isByNameAlone, self.isTimeToPlan(work) {
            try self.beginWithIndex()
        }
        return false
    }

    private mutating func advance(
        _ pass: consuming SortedPass,
        _ limit: Int,
        _ work: inout ScanWork,
        _ entries: inout [Entry]
    ) throws(StoreError) -> Bool {
        var pass = pass
        entries.reserveCapacity(min(limit, Self.reservedMax))
        do {
            defer { self.stage = .sort(pass) }
            while entries.count < limit, let entry = try pass.next(&work) { self.add(entry, to: &entries) }
        }
        if pass.isAtEnd {
            self.stage = .ended
            if pass.isPartial { try self.begin() }
            return pass.isPartial
        }
        if pass.isCollecting, self.isTimeToPlan(work) { try self.beginWithIndex() }
        return false
    }

    private mutating func advance(
        _ merged: consuming MergedRuns,
        _ limit: Int,
        _ work: inout ScanWork,
        _ entries: inout [Entry]
    ) throws(StoreError) -> Bool {
        var merged = merged
        do {
            defer { self.stage = .merge(merged) }
            if merged.isDirect {
                try self.take(limit, from: &merged, &work, into: &entries)
            } else {
                entries.reserveCapacity(min(limit, Self.reservedMax))
                while entries.count < limit, let entry = try merged.next(&work) { self.add(entry, to: &entries) }
            }
        }
        if work.isIndexLost, self.rest == nil {
            work.isIndexLost = false
            try self.begin()
            return true
        }
        if merged.isAtEnd {
            self.stage = .ended
        } else if merged.improvableCount > 0, self.isTimeToPlan(work) {
            try self.beginWithIndex(improvable: merged.improvableCount)
        }
        return false
    }

    private mutating func take(
        _ limit: Int,
        from merged: inout MergedRuns,
        _ work: inout ScanWork,
        into entries: inout [Entry]
    ) throws(StoreError) {
        let before = entries.count
        // Also when it throws, what was found is found.
        defer { if entries.count > before, self.rest == nil { self.last = entries.last } }
        try merged.take(limit, &work, into: &entries)
    }

    private mutating func add(_ entry: Entry, to entries: inout [Entry]) {
        entries.append(entry)
        // What is passed over in any order says nothing about what is left.
        if self.rest == nil { self.last = entry }
    }

    private func isTimeToPlan(_ work: ScanWork) -> Bool {
        self.rest == nil && work.statistics.examined >= self.planAgainAt
    }
}
