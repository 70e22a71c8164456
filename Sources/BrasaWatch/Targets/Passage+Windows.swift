import BrasaDocuments
import BrasaQueries
import BrasaStore

/// Which part of a query's results was shown once: of what is still where it was, that tells whether it was shown.
struct FormerWindow {
    private(set) var count = 0
    private var first: [UInt8] = []
    private var last: [UInt8] = []

    /// Keys come in order.
    mutating func append(_ key: [UInt8]) {
        if self.count == 0 { self.first = key }
        self.last = key
        self.count += 1
    }

    func contains(_ key: [UInt8]) -> Bool {
        self.count > 0 && ByteOrder.compare(key, self.first) != .ascending
            && ByteOrder.compare(key, self.last) != .descending
    }
}

/// How a target comes to what its window shows: along the results at the base and those at the goal, keeping neither.
extension Passage {
    func start(_ query: Query, _ shown: ArraySlice<Window.Entry>) throws(StoreError) -> Stage {
        guard let base = self.base else { return .arrivedInWindow(shown.startIndex, nil) }
        // Not when it matters what exactly the client has: who left lately may not have been there at the base.
        if !self.isCounting, let paths = self.watcher.recentPaths(of: self.view, since: base) {
            return .windowCandidates(paths, 0)
        }
        return .leftWindow(try self.scan(query, at: base, isAnyOrder: false), FormerWindow())
    }

    func windowCandidate(_ paths: [ResourcePath], _ index: Int) throws(StoreError) -> Stage {
        guard index < paths.count else { return .ended }
        let document = try self.document(paths[index], at: self.goal)
        self.tell(paths[index], document, isMember: self.isShown(paths[index], document))
        return .windowCandidates(paths, index + 1)
    }

    /// The results come in order: first those that the offset hides.
    func leftWindow(_ results: ResultReader, _ former: FormerWindow) throws(StoreError) -> Stage {
        guard case .query(let query) = self.view.selection, let shown else { return .ended }
        var (results, former) = (results, former)
        while former.count < query.limit ?? .max, !results.isAtEnd {
            guard self.canGoOn, let entry = try results.next(&self.watcher.turn.readsLeft) else {
                return .leftWindow(results, former)
            }
            guard results.taken > query.offset,
                let key = entry.orderKey ?? query.order.key(path: entry.path, fields: entry.document.fields)
            else { continue }
            former.append(key.bytes)
            if shown.contains(key: key.bytes) { continue }
            let document = try self.document(entry.path, at: self.goal)
            if !self.isShown(entry.path, document) { self.tell(entry.path, document, isMember: false) }
        }
        self.gain = shown.count - former.count
        return .arrivedInWindow(shown.startIndex, former)
    }

    func arrivedInWindow(_ index: Int, _ former: FormerWindow?) throws(StoreError) -> Stage {
        guard let shown else { return .ended }
        var index = index
        while index < shown.endIndex {
            guard self.canGoOn else { return .arrivedInWindow(index, former) }
            let entry = shown[index]
            index += 1
            if let base, let former, entry.updateTime <= base.time, former.contains(entry.key) {
                // A comparison costs less than a read, and is not for nothing.
                if index % 8 == 0 { self.watcher.turn.readsLeft -= 1 }
                continue
            }
            let document = try self.document(entry.path, at: self.goal)
            self.tell(entry.path, document, isMember: document != nil)
        }
        return self.isCounting ? .counted : .ended
    }

    private func isShown(_ path: ResourcePath, _ document: Document?) -> Bool {
        guard case .query(let query) = self.view.selection, let entry = query.windowEntry(path, document) else {
            return false
        }
        return self.shown?.contains(key: entry.key) ?? false
    }
}

extension ArraySlice<Window.Entry> {
    /// Whether a result with the key, which has the document's name in it, is among these, which are in order.
    fileprivate func contains(key: [UInt8]) -> Bool {
        var (low, high) = (self.startIndex, self.endIndex)
        while low < high {
            let middle = (low + high) / 2
            switch ByteOrder.compare(self[middle].key, key) {
            case .ascending: low = middle + 1
            case .descending: high = middle
            default: return true
            }
        }
        return false
    }
}
