import BrasaDocuments
import BrasaStore

/// The documents that a commit is worked out on: the newest versions, durable or not.
struct CommitBases: Sendable {
    let database: DatabaseHandle
    private let store: Store
    /// What was found so far. Each document is looked at once. Nil when it does not matter whether it still is so later.
    private var seen: PathTable<Document?>?

    init(in database: DatabaseHandle, of store: Store, remembersSeen: Bool = false) {
        self.database = database
        self.store = store
        self.seen = remembersSeen ? PathTable() : nil
    }

    mutating func document(_ path: ResourcePath) -> Document? {
        if let place = self.seen?.place(of: path) { return self.seen?.entries[place].value }
        let document = self.store.latest(path, in: self.database)
        self.seen?.append(path, document)
        return document
    }

    /// Whether all that was seen is as it was. If so it has been so at one moment, although it was looked at one after the
    /// other: between the last look and now. A document that went and came back has another version; one that came and went
    /// is missing as before.
    var stand: Bool {
        guard let seen else { return true }
        return seen.entries.allSatisfy { seen in
            self.store.latest(seen.path, in: self.database)?.updateTime == seen.value?.updateTime
        }
    }

    /// About what it keeps in memory, although others may have replaced it.
    var byteCount: Int {
        guard let seen else { return 0 }
        return seen.entries.reduce(0) { sum, seen in
            sum + 256 + seen.path.bytes.count + (seen.value?.fields.bytes.count ?? 0)
        }
    }

    /// Whether something of it may be lost in a crash.
    var areUndurable: Bool {
        self.seen?.entries.contains { self.store.isUndurable($0.path, in: self.database) } ?? false
    }
}
