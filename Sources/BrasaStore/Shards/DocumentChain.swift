import BrasaDocuments
import CBrasaMemory

/// One document's versions. Most documents have just one, whose fields are a word here: with a path of up to 28 bytes a
/// document costs this object (48 bytes), the path (48), its fields, a slot in `ChainTable` and one in each tree.
///
/// `@unchecked Sendable`: changed with both its shard's lock and its database's order held, and read with either; while a
/// checkpoint is loaded with the shard's alone, since nobody reads yet.
final class DocumentChain: @unchecked Sendable {
    let path: ResourcePath
    private(set) var createTime: Int64
    private(set) var time: Int64
    private var content: Content

    init(path: ResourcePath, version: Version) {
        self.path = path
        self.createTime = version.createTime
        self.time = version.time
        self.content = Content(version.fields)
    }

    /// What the newest version has, and what is before it: one word, since there is one for every document.
    enum Content {
        /// The newest version is the only one.
        case fields(EncodedFields)
        case deleted
        /// There are others, which keep its fields as well.
        case versions(SupersededVersions)

        init(_ fields: EncodedFields?) {
            if let fields { self = .fields(fields) } else { self = .deleted }
        }
    }

    /// Nil: deleted at `time`.
    var fields: EncodedFields? {
        switch self.content {
        case .fields(let fields): fields
        case .deleted: nil
        case .versions(let superseded): superseded.successorFields
        }
    }

    private var superseded: SupersededVersions? {
        switch self.content {
        case .fields, .deleted: nil
        case .versions(let superseded): superseded
        }
    }

    struct Version {
        /// Nil: deleted.
        var fields: EncodedFields?
        var createTime: Int64
        var time: Int64

        /// What keeping it for readers of the past costs, about: the entry, the string's header and its bytes.
        var historyBytes: Int { 52 + (self.fields?.bytes.count ?? 0) }
    }

    /// What a document takes while it is there, about: this object, its path and its fields with their headers,
    /// its slot in the table and its places in the trees. Nothing once it is deleted: that is history.
    var documentBytes: Int {
        self.fields.map { Self.documentBytes(path: self.path, fields: $0) } ?? 0
    }

    static func documentBytes(path: ResourcePath, fields: EncodedFields) -> Int {
        let (byteStringHeader, objectAndPlaces) = (20, 88)
        return objectAndPlaces + byteStringHeader + path.bytes.count + byteStringHeader + fields.bytes.count
    }

    var newest: Version { Version(fields: self.fields, createTime: self.createTime, time: self.time) }
    var supersededCount: Int { self.superseded?.count ?? 0 }

    /// Has the path and the first of the fields fetched from memory, if there is one version.
    func prefetch() {
        cbrasa_prefetch(self.path.bytes.address, Self.prefetchedOfPath)
        if case .fields(let fields) = self.content { cbrasa_prefetch(fields.bytes.address, Self.prefetchedBytes) }
    }

    /// The piece of memory of a path of up to 28 bytes.
    private static let prefetchedOfPath: UInt = 48

    /// Three lines of a cache, or four: of most documents that is all, and what is behind is fetched as these are read.
    private static let prefetchedBytes: UInt = 192

    func document(at time: Int64) -> Document? {
        if self.time <= time {
            guard let fields = self.fields else { return nil }
            return Document(
                fields: fields,
                createTime: Timestamp(microseconds: self.createTime),
                updateTime: Timestamp(microseconds: self.time)
            )
        }
        guard let version = self.superseded?.newest(at: time), let fields = version.fields else { return nil }
        return Document(
            fields: fields,
            createTime: Timestamp(microseconds: version.createTime),
            updateTime: Timestamp(microseconds: version.time)
        )
    }

    func isVisible(at time: Int64) -> Bool {
        if self.time <= time { return self.fields != nil }
        return self.superseded?.newest(at: time)?.fields != nil
    }

    /// Returns the version that is no longer the newest.
    func add(_ version: Version) -> Version {
        let before = self.newest
        let superseded = self.superseded ?? SupersededVersions()
        superseded.append(before)
        self.set(version, after: superseded)
        return before
    }

    /// Takes the newest version back and returns it; nil when it is the only one.
    func removeNewest() -> Version? {
        guard let superseded = self.superseded, let before = superseded.removeLast() else { return nil }
        let newest = self.newest
        self.set(before, after: superseded)
        return newest
    }

    /// The oldest version after a time.
    func version(after time: Int64) -> Version? {
        self.superseded?.oldest(after: time) ?? (self.time > time ? self.newest : nil)
    }

    /// Forgets what no reader at `horizon` or later can see; returns what that kept in memory. `forgetting` hears of each
    /// version, and of the one that superseded it.
    func trim(before horizon: Int64, forgetting: (Version, Version) -> Void) -> (count: Int, bytes: Int) {
        guard let superseded = self.superseded else { return (0, 0) }
        let trimmed =
            self.time <= horizon
            ? superseded.removeAll(before: self.newest, forgetting: forgetting)
            : superseded.trim(before: horizon, forgetting: forgetting)
        if superseded.count == 0 { self.content = Content(superseded.successorFields) }
        return trimmed
    }

    private func set(_ version: Version, after superseded: SupersededVersions) {
        self.createTime = version.createTime
        self.time = version.time
        if superseded.count == 0 {
            self.content = Content(version.fields)
        } else {
            superseded.successorFields = version.fields
            self.content = .versions(superseded)
        }
    }
}
