import BrasaDocuments
import BrasaStore

/// The documents that a commit is worked out on: the newest versions, durable or not.
struct CommitBases: Sendable {
    let database: DatabaseHandle
    private let store: Store
    /// What was found so far, when it matters that it still is so later. Each document is looked at once.
    private var seen: PathTable<Document?>?

    init(in database: DatabaseHandle, of store: Store, remembersSeen: Bool = false) {
        self.database = database
        self.store = store
        self.seen = remembersSeen ? PathTable() : nil
    }

    mutating func document(_ path: ResourcePath) -> Document? {
        guard self.seen != nil else { return self.store.latest(path, in: self.database) }
        if let known = self.seen?[path] { return known }
        let document = self.store.latest(path, in: self.database)
        self.seen?.append(document, for: path)
        return document
    }

    /// Whether all that was seen is as it was. If so it has been so at one moment, although it was looked at one after the
    /// other: between the last look and now. A document that went and came back has another version; one that came and went
    /// is missing as before.
    var stand: Bool {
        self.seen?.entries.allSatisfy { seen in
            self.store.latest(seen.path, in: self.database)?.updateTime == seen.value?.updateTime
        } ?? true
    }

    /// About what it keeps in memory, although others may have replaced it.
    var byteCount: Int {
        self.seen?.entries.reduce(0) { $0 + 256 + $1.path.bytes.count + ($1.value?.fields.bytes.count ?? 0) } ?? 0
    }

    /// Whether something of it may be lost in a crash.
    var areUndurable: Bool {
        self.seen?.entries.contains { self.store.isUndurable($0.path, in: self.database) } ?? false
    }
}
