import BrasaDocuments
import BrasaStore

/// The documents that a commit is worked out on: the newest versions, durable or not.
struct CommitBases: Sendable {
    /// What was found so far, by place. Each document is looked at once.
    private struct Seen {
        var places = PathPlaces()
        var documents: [Document?] = []
    }

    let database: DatabaseHandle
    private let store: Store
    /// Nil when it does not matter whether it still is so later.
    private var seen: Seen?

    init(in database: DatabaseHandle, of store: Store, remembersSeen: Bool = false) {
        self.database = database
        self.store = store
        self.seen = remembersSeen ? Seen() : nil
    }

    mutating func document(_ path: ResourcePath) -> Document? {
        if let seen, let place = seen.places.place(of: path) { return seen.documents[place] }
        let document = self.store.latest(path, in: self.database)
        self.seen?.places.append(path)
        self.seen?.documents.append(document)
        return document
    }

    /// Whether all that was seen is as it was. If so it has been so at one moment, although it was looked at one after the
    /// other: between the last look and now. A document that went and came back has another version; one that came and went
    /// is missing as before.
    var stand: Bool {
        guard let seen else { return true }
        return zip(seen.places.paths, seen.documents).allSatisfy { path, document in
            self.store.latest(path, in: self.database)?.updateTime == document?.updateTime
        }
    }

    /// About what it keeps in memory, although others may have replaced it.
    var byteCount: Int {
        guard let seen else { return 0 }
        return zip(seen.places.paths, seen.documents).reduce(0) { sum, seen in
            sum + 256 + seen.0.bytes.count + (seen.1?.fields.bytes.count ?? 0)
        }
    }

    /// Whether something of it may be lost in a crash.
    var areUndurable: Bool {
        self.seen?.places.paths.contains { self.store.isUndurable($0, in: self.database) } ?? false
    }
}
