package import BrasaDocuments
package import BrasaQueries

/// Documents in a query's order, also found by path.
package struct DocumentSet: RandomAccessCollection, Sendable {
    /// An object, so that a copy of the set, which every snapshot has, copies references only.
    private final class Entry: Sendable {
        let key: OrderPreservingKey
        let document: SyncDocument

        init(key: OrderPreservingKey, document: SyncDocument) {
            self.key = key
            self.document = document
        }
    }

    private let order: ResultOrder
    private var entries: [Entry] = []
    private var byPath: [ResourcePath: Entry] = [:]

    package init(order: ResultOrder) {
        self.order = order
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { self.entries.count }
    package subscript(position: Int) -> SyncDocument { self.entries[position].document }

    package subscript(path: ResourcePath) -> SyncDocument? { self.byPath[path]?.document }

    /// Complexity: O(log n).
    package func index(of path: ResourcePath) -> Int? {
        self.byPath[path].map { self.position(of: $0.key) }
    }

    /// In the order, ties of all fields by name.
    func precedes(_ left: SyncDocument, _ right: SyncDocument) -> Bool {
        self.key(of: left) < self.key(of: right)
    }

    /// Puts in or replaces. Complexity: O(n).
    mutating func insert(_ document: SyncDocument) {
        self.remove(document.path)
        let entry = Entry(key: self.key(of: document), document: document)
        self.entries.insert(entry, at: self.position(of: entry.key))
        self.byPath[document.path] = entry
    }

    mutating func remove(_ path: ResourcePath) {
        guard let entry = self.byPath.removeValue(forKey: path) else { return }
        self.entries.remove(at: self.position(of: entry.key))
    }

    /// Nil takes the document out. Complexity: O(n + m log m) for m changes, whatever their order.
    mutating func apply(_ changes: [ResourcePath: SyncDocument?]) {
        if changes.isEmpty { return }
        if changes.count == 1, let (path, document) = changes.first {
            if let document { self.insert(document) } else { self.remove(path) }
            return
        }
        var added: [Entry] = []
        for (path, document) in changes {
            self.byPath[path] = nil
            guard let document else { continue }
            let entry = Entry(key: self.key(of: document), document: document)
            self.byPath[path] = entry
            added.append(entry)
        }
        added.sort { $0.key < $1.key }
        var merged: [Entry] = []
        merged.reserveCapacity(self.entries.count + added.count)
        var rest = added[...]
        for entry in self.entries where changes.index(forKey: entry.document.path) == nil {
            while let next = rest.first, next.key < entry.key {
                merged.append(next)
                rest.removeFirst()
            }
            merged.append(entry)
        }
        merged.append(contentsOf: rest)
        self.entries = merged
    }

    /// Takes out what is too much, from the one end or the other. Gives what was taken out. Complexity: O(n).
    mutating func trim(to count: Int, keepingFirst: Bool) -> [SyncDocument] {
        let excess = self.entries.count - Swift.max(0, count)
        guard excess > 0 else { return [] }
        let dropped = (keepingFirst ? self.entries.suffix(excess) : self.entries.prefix(excess)).map(\.document)
        if keepingFirst { self.entries.removeLast(excess) } else { self.entries.removeFirst(excess) }
        for document in dropped { self.byPath[document.path] = nil }
        return dropped
    }

    /// Documents are in the order of their keys.
    func key(of document: SyncDocument) -> OrderPreservingKey {
        // A document that lacks a field of the order matches no query, so it does not get here.
        self.order.key(path: document.path, fields: document.fields) ?? OrderPreservingKey(document.path)
    }

    /// Where the key is or belongs.
    private func position(of key: OrderPreservingKey) -> Int {
        var (low, high) = (0, self.entries.count)
        while low < high {
            let middle = (low + high) / 2
            if self.entries[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
