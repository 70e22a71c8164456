package import BrasaDocuments

/// The results of a query in their order, kept up to date with changed documents. Holds no more than the query's
/// results; when those that are left do not fill the limit any more, somebody must run the query again.
package struct ResultSet: Sendable {
    package struct Entry: Sendable {
        package let path: ResourcePath
        package let document: Document
        let key: OrderPreservingKey
    }

    package let query: Query
    /// In the query's order.
    package private(set) var entries: [Entry] = []
    private var keys: [ResourcePath: OrderPreservingKey] = [:]

    /// Without results yet; see `replace`.
    package init(_ query: Query) {
        self.query = query
    }

    /// The document as it is in the results. Complexity: O(log n).
    package func document(at path: ResourcePath) -> Document? {
        self.entry(at: path)?.document
    }

    /// Takes note of documents as they are now, nil for those that do not exist, the last of equal paths counting.
    /// Gives the steps to the new results; nil when they cannot be told from the changes, and then nothing has changed.
    package mutating func apply(_ changes: [(path: ResourcePath, document: Document?)]) -> [ResultChange]? {
        var transition = Transition()
        // Of documents behind the last of a full set nothing is known.
        let through = self.isFull ? self.entries.last?.key : nil
        if self.query.limit == 0 { return [] }
        var latest: [ResourcePath: Document?] = [:]
        for change in changes { latest.updateValue(change.document, forKey: change.path) }
        for (path, document) in latest {
            // What comes or goes among the skipped ones moves the window.
            if self.query.offset > 0, self.query.names.contains(path) { return nil }
            let new = document.flatMap { self.result(path, $0) }
            let old = self.entry(at: path)
            let isKnown = new.map { new in through.map { !($0 < new.key) } ?? true } ?? false
            transition.add(old: old, new: isKnown ? new : nil)
        }
        if let limit = self.query.limit {
            let count = self.entries.count + transition.growth
            if self.isFull, count < limit { return nil }
            if count > limit { transition.drop(count - limit, lastOf: self.entries) }
        }
        return self.make(transition)
    }

    /// The results of a run of the query, in its order. Gives the steps to them from those before.
    package mutating func replace(with results: [(path: ResourcePath, document: Document)]) -> [ResultChange] {
        var transition = Transition()
        var gone = self.keys
        for (path, document) in results {
            guard let new = self.result(path, document) else { continue }
            gone[path] = nil
            transition.add(old: self.entry(at: path), new: new)
        }
        for path in gone.keys { transition.add(old: self.entry(at: path), new: nil) }
        return self.make(transition)
    }

    private var isFull: Bool { self.query.limit.map { self.entries.count >= $0 } ?? false }

    private func result(_ path: ResourcePath, _ document: Document) -> Entry? {
        guard self.query.matches(path: path, fields: document.fields) else { return nil }
        return self.query.order.key(path: path, fields: document.fields).map {
            Entry(path: path, document: document, key: $0)
        }
    }

    private func entry(at path: ResourcePath) -> Entry? {
        self.keys[path].map { self.entries[self.index(of: $0)] }
    }

    /// Where an entry with this key is, or belongs.
    private func index(of key: OrderPreservingKey) -> Int {
        self.entries.firstIndex(notBefore: key)
    }

    // MARK: Steps

    private mutating func make(_ transition: Transition) -> [ResultChange] {
        var steps: [ResultChange] = []
        for old in transition.removed.sorted(by: { $0.key < $1.key }) {
            steps.append(
                ResultChange(.removed(oldIndex: self.remove(old)), path: old.path, document: old.document)
            )
        }
        for new in transition.added.sorted(by: { $0.key < $1.key }) {
            steps.append(ResultChange(.added(newIndex: self.insert(new)), path: new.path, document: new.document))
        }
        for (old, new) in transition.modified.sorted(by: { $0.new.key < $1.new.key }) {
            let oldIndex = self.remove(old)
            let newIndex = self.insert(new)
            steps.append(
                ResultChange(
                    .modified(oldIndex: oldIndex, newIndex: newIndex),
                    path: new.path,
                    document: new.document
                )
            )
        }
        return steps
    }

    private mutating func remove(_ entry: Entry) -> Int {
        let index = self.index(of: entry.key)
        self.entries.remove(at: index)
        self.keys[entry.path] = nil
        return index
    }

    private mutating func insert(_ entry: Entry) -> Int {
        let index = self.index(of: entry.key)
        self.entries.insert(entry, at: index)
        self.keys[entry.path] = entry.key
        return index
    }
}

extension [ResultSet.Entry] {
    /// The first entry that is not before the key. Complexity: O(log n).
    fileprivate func firstIndex(notBefore key: OrderPreservingKey) -> Int {
        var (low, high) = (0, self.count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
