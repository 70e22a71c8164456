package import BrasaDocuments
package import BrasaQueries

/// Documents in a query's order, also found by path. Every snapshot has a copy: a change in one of two copies costs a
/// search, a chunk of documents, and one word for each of the other chunks.
package struct DocumentSet: RandomAccessCollection, Sendable {
    private let order: ResultOrder
    private var entries = DocumentEntries()
    private var byPath = DocumentIndex()

    package init(order: ResultOrder) {
        self.order = order
    }

    /// Documents with different paths.
    init(order: ResultOrder, _ documents: some Collection<SyncDocument>) {
        self.order = order
        var added: [DocumentEntry] = []
        added.reserveCapacity(documents.count)
        for document in documents { added.append(self.entry(of: document)) }
        added.sort { $0.key < $1.key }
        self.entries = DocumentEntries(added)
        self.byPath = DocumentIndex(added)
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { self.entries.count }
    /// Complexity: O(log n).
    package subscript(position: Int) -> SyncDocument { self.entries[position].document }

    package subscript(path: ResourcePath) -> SyncDocument? { self.byPath[path]?.document }

    /// Complexity: O(log n).
    package func index(of path: ResourcePath) -> Int? {
        self.byPath[path].map { self.entries.position(of: $0.key) }
    }

    /// In the order, ties of all fields by name.
    func precedes(_ left: SyncDocument, _ right: SyncDocument) -> Bool {
        self.key(of: left) < self.key(of: right)
    }

    /// Puts in or replaces. Complexity: O(n / 64), of the cheapest steps.
    mutating func insert(_ document: SyncDocument) {
        let entry = self.entry(of: document)
        if let old = self.byPath.update(entry) { self.entries.remove(old.key) }
        self.entries.insert(entry)
    }

    /// Complexity: O(n / 64), of the cheapest steps.
    mutating func remove(_ path: ResourcePath) {
        if let old = self.byPath.remove(path) { self.entries.remove(old.key) }
    }

    /// Nil takes the document out. Complexity: O(n + m log m) for m changes, whatever their order; O(m n / 64) for a few.
    mutating func apply(_ changes: [ResourcePath: SyncDocument?]) {
        guard !self.isFew(changes.count) else {
            for (path, document) in changes {
                if let document { self.insert(document) } else { self.remove(path) }
            }
            return
        }
        var added: [DocumentEntry] = []
        added.reserveCapacity(changes.count)
        for case (_, let document?) in changes { added.append(self.entry(of: document)) }
        added.sort { $0.key < $1.key }
        if self.isEmpty {
            self.entries = DocumentEntries(added)
            self.byPath = DocumentIndex(added)
            return
        }
        for path in changes.keys { _ = self.byPath.remove(path) }
        for entry in added { _ = self.byPath.update(entry) }
        self.entries = DocumentEntries(
            self.entries.merged(with: added) { changes.index(forKey: $0.document.path) != nil }
        )
    }

    /// Whether it costs less to look for each of so many documents than to go through all.
    private func isFew(_ count: Int) -> Bool { count <= Swift.min(self.count / 8, 2048) }

    /// Takes out what is too much, from the one end or the other. Gives what was taken out, in the order.
    mutating func trim(to count: Int, keepingFirst: Bool) -> [SyncDocument] {
        let excess = self.count - Swift.max(0, count)
        guard excess > 0 else { return [] }
        let dropped = Array(keepingFirst ? self.suffix(excess) : self.prefix(excess))
        if self.isFew(excess) {
            for document in dropped { self.remove(document.path) }
        } else {
            let kept = self.entries.array(in: keepingFirst ? 0..<self.count - excess : excess..<self.count)
            self.entries = DocumentEntries(kept)
            self.byPath = DocumentIndex(kept)
        }
        return dropped
    }

    /// Documents are in the order of their keys.
    func key(of document: SyncDocument) -> OrderPreservingKey {
        // A document that lacks a field of the order matches no query, so it does not get here.
        self.order.key(path: document.path, fields: document.fields) ?? OrderPreservingKey(document.path)
    }

    /// The same for a document that is in the set as it is, or not at all.
    func place(of document: SyncDocument) -> OrderPreservingKey {
        self.byPath[document.path]?.key ?? self.key(of: document)
    }

    private func entry(of document: SyncDocument) -> DocumentEntry {
        DocumentEntry(key: self.key(of: document), document: document)
    }

    // MARK: - All of them

    package func makeIterator() -> Iterator { Iterator(self.entries) }

    package struct Iterator: IteratorProtocol {
        private var entries: DocumentEntries.Iterator

        fileprivate init(_ entries: DocumentEntries) {
            self.entries = entries.makeIterator()
        }

        package mutating func next() -> SyncDocument? { self.entries.next()?.document }
    }
}
