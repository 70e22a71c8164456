import BrasaDocuments
import BrasaQueries
import BrasaStore

extension Passage {
    /// Whether everything was told; false when the turn or the sink allows no more now. Throws when versions of one of the
    /// two states are gone.
    func walk() throws(StoreError) -> Bool {
        while true {
            if case .ended = self.stage { return true }
            guard self.canGoOn else { return false }
            self.stage = try self.piece(of: self.stage)
        }
    }

    var canGoOn: Bool {
        self.watcher.turn.readsLeft > 0 && self.watcher.turn.eventsLeft > 0 && self.stream.sink.isWritable
            && !self.stream.isClosed
    }

    private func piece(of stage: Stage) throws(StoreError) -> Stage {
        switch stage {
        case .start: try self.start()
        case .documents(let paths, let index): try self.document(paths, index)
        case .candidates(let paths, let index): try self.candidate(paths, index)
        case .arrived(let results): try self.arrived(results)
        case .left(let results): try self.left(results)
        case .windowCandidates(let paths, let index): try self.windowCandidate(paths, index)
        case .leftWindow(let results, let former): try self.leftWindow(results, former)
        case .arrivedInWindow(let index, let former): try self.arrivedInWindow(index, former)
        case .counting(let results, let count): try self.count(results, count)
        case .counted: self.counted()
        case .naming(let results, let filter, let count): try self.name(results, filter, count)
        case .ended: .ended
        }
    }

    private func start() throws(StoreError) -> Stage {
        switch self.view.selection {
        case .documents(let paths): return .documents(paths, 0)
        case .query(let query):
            if let shown { return try self.start(query, shown) }
            guard let base = self.base else { return .arrived(try self.scan(query, at: self.goal)) }
            if let paths = self.candidates(of: query, since: base) { return .candidates(paths, 0) }
            return .arrived(try self.scan(query, at: self.goal))
        }
    }

    /// Documents of the query's scope that changed since, from the view or from the store; nil when neither knows all, or
    /// they are so many that a look at the documents themselves may be cheaper.
    private func candidates(of query: Query, since base: Base) -> [ResourcePath]? {
        if let paths = self.watcher.recentPaths(of: self.view, since: base) { return paths }
        guard let changes = self.watcher.store.changes(after: base.time, limit: Self.changesMax),
            changes.count < Self.changesMax || changes.last.map({ $0.time >= self.goal.time }) ?? true
        else { return nil }
        self.watcher.turn.readsLeft -= changes.count / 8
        var seen: Set<ResourcePath> = []
        return changes.compactMap { change in
            guard change.database == self.view.database, query.names.contains(change.path) else { return nil }
            return seen.insert(change.path).inserted ? change.path : nil
        }
    }

    private static let changesMax = 2_048

    // MARK: Documents

    private func document(_ paths: [ResourcePath], _ index: Int) throws(StoreError) -> Stage {
        guard index < paths.count else { return self.isCounting ? .counted : .ended }
        let path = paths[index]
        let after = try self.document(path, at: self.goal)
        if self.isCounting, after != nil { self.present.append(path) }
        if let base = self.base {
            let before = try self.document(path, at: base)
            self.gain += (after == nil ? 0 : 1) - (before == nil ? 0 : 1)
            if before?.updateTime == after?.updateTime { return .documents(paths, index + 1) }
        }
        self.tell(path, after, isMember: after != nil)
        return .documents(paths, index + 1)
    }

    // MARK: Queries without a window

    private func candidate(_ paths: [ResourcePath], _ index: Int) throws(StoreError) -> Stage {
        guard index < paths.count, let base = self.base else { return try self.endOfDifference() }
        let path = paths[index]
        let before = try self.document(path, at: base)
        let after = try self.document(path, at: self.goal)
        if before?.updateTime != after?.updateTime {
            let was = self.view.matches(path, before)
            let isMember = self.view.matches(path, after)
            self.gain += (isMember ? 1 : 0) - (was ? 1 : 0)
            if was || isMember { self.tell(path, after, isMember: isMember) }
        }
        return .candidates(paths, index + 1)
    }

    private func arrived(_ results: ResultReader) throws(StoreError) -> Stage {
        var results = results
        while self.canGoOn, let entry = try results.next(&self.watcher.turn.readsLeft) {
            // What has not changed since is in both states.
            if let base = self.base, entry.document.updateTime <= base.time { continue }
            if let base = self.base, self.isCounting {
                let before = try self.document(entry.path, at: base)
                if !self.view.matches(entry.path, before) { self.gain += 1 }
            }
            self.tell(entry.path, entry.document, isMember: true)
        }
        guard results.isAtEnd else { return .arrived(results) }
        guard let base = self.base, case .query(let query) = self.view.selection else { return .ended }
        return .left(try self.scan(query, at: base))
    }

    private func left(_ results: ResultReader) throws(StoreError) -> Stage {
        var results = results
        while self.canGoOn, let entry = try results.next(&self.watcher.turn.readsLeft) {
            let after = try self.document(entry.path, at: self.goal)
            if self.view.matches(entry.path, after) { continue }
            self.gain -= 1
            self.tell(entry.path, after, isMember: false)
        }
        return results.isAtEnd ? try self.endOfDifference() : .left(results)
    }

    // MARK: The filter

    private func endOfDifference() throws(StoreError) -> Stage {
        guard self.isCounting, case .query(let query) = self.view.selection else { return .ended }
        return .counting(try self.scan(query, at: self.goal), 0)
    }

    private func count(_ results: ResultReader, _ count: Int) throws(StoreError) -> Stage {
        var results = results
        let count = count + (try results.skip(&self.watcher.turn.readsLeft))
        guard results.isAtEnd else { return .counting(results, count) }
        guard self.isFilterDue(count) else { return .ended }
        guard case .query(let query) = self.view.selection, let filter = BloomFilter(count: count) else {
            return self.tell(count, nil)
        }
        return .naming(try self.scan(query, at: self.goal), filter, count: count)
    }

    private func counted() -> Stage {
        let count = self.shown?.count ?? self.present.count
        guard self.isFilterDue(count) else { return .ended }
        var filter = BloomFilter(count: count)
        for path in self.present { filter?.insert(self.name(of: path)) }
        for entry in self.shown ?? [] { filter?.insert(self.name(of: entry.path)) }
        return self.tell(count, filter)
    }

    private func name(_ results: ResultReader, _ filter: BloomFilter, _ count: Int) throws(StoreError) -> Stage {
        var (results, filter) = (results, filter)
        while let entry = try results.next(&self.watcher.turn.readsLeft) { filter.insert(self.name(of: entry.path)) }
        return results.isAtEnd ? self.tell(count, filter) : .naming(results, filter, count: count)
    }

    private func name(of path: ResourcePath) -> [UInt8] {
        DocumentName(database: self.view.database.name, path: path)?.bytes ?? []
    }

    /// Whether the client, which had the expected number at the base, has not what it should have had then, or has to
    /// know that it is another number now.
    private func isFilterDue(_ count: Int) -> Bool {
        guard let expected = self.expectedCount else { return false }
        return expected != count || expected != count - self.gain
    }

    private func tell(_ count: Int, _ filter: BloomFilter?) -> Stage {
        self.stream.tokens.note(self.target)
        self.stream.send(.existenceFilter(self.target.id, count: count, unchanged: filter))
        return .ended
    }
}
