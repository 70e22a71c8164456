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
        case .arrived(let results): try self.arrived(results)
        case .difference(let difference, let index): try self.follow(difference, index)
        case .windowCandidates(let paths, let index): try self.windowCandidate(paths, index)
        case .leftWindow(let results, let former): try self.leftWindow(results, former)
        case .arrivedInWindow(let index, let former): try self.arrivedInWindow(index, former)
        case .counting(let difference): try self.count(difference)
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
            return self.difference(of: query, since: base)
        }
    }

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

    private func arrived(_ results: ResultReader) throws(StoreError) -> Stage {
        var results = results
        while self.canGoOn, let entry = try results.next(&self.watcher.turn.readsLeft) {
            self.tell(entry.path, entry.document, isMember: true)
        }
        return results.isAtEnd ? .ended : .arrived(results)
    }

    // MARK: The filter

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
    func isFilterDue(_ count: Int) -> Bool {
        guard let expected = self.expectedCount else { return false }
        return expected != count || expected != count - self.gain
    }

    func tell(_ count: Int, _ filter: BloomFilter?) -> Stage {
        self.stream.tokens.note(self.target)
        self.stream.send(.existenceFilter(self.target.id, count: count, unchanged: filter))
        return .ended
    }
}
