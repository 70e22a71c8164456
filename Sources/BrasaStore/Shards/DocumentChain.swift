import BrasaDocuments

/// One document's versions. The newest is inline, since most documents have just that one: with a path of up to 24 bytes
/// a document costs this object (80 bytes), the path (64), its fields, a slot in `ChainTable` and one in each tree.
///
/// `@unchecked Sendable`: changed with both its shard's lock and its database's order held, and read with either.
final class DocumentChain: @unchecked Sendable {
    let path: ResourcePath
    /// Nil: deleted at `time`.
    private(set) var fields: EncodedFields?
    private(set) var createTime: Int64
    private(set) var time: Int64
    private var superseded: SupersededVersions?

    init(path: ResourcePath, version: Version) {
        self.path = path
        self.fields = version.fields
        self.createTime = version.createTime
        self.time = version.time
    }

    struct Version {
        /// Nil: deleted.
        var fields: EncodedFields?
        var createTime: Int64
        var time: Int64

        /// What keeping it for readers of the past costs, about: the entry, the array's header and its bytes.
        var historyBytes: Int { 64 + (self.fields?.bytes.count ?? 0) }
    }

    /// What a document takes while it is there, about: this object, its path and its fields as the allocator rounds them,
    /// its slot in the table and its places in the trees. Nothing once it is deleted: that is history.
    var documentBytes: Int {
        self.fields.map { Self.documentBytes(path: self.path, fields: $0) } ?? 0
    }

    static func documentBytes(path: ResourcePath, fields: EncodedFields) -> Int {
        let (arrayHeader, objectAndPlaces) = (32, 144)
        return objectAndPlaces + 2 * arrayHeader + path.bytes.count + fields.bytes.count
    }

    var newest: Version { Version(fields: self.fields, createTime: self.createTime, time: self.time) }
    var supersededCount: Int { self.superseded?.count ?? 0 }

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
        self.superseded = superseded
        self.set(version)
        return before
    }

    /// Takes the newest version back and returns it; nil when it is the only one.
    func removeNewest() -> Version? {
        guard let superseded = self.superseded, let before = superseded.removeLast() else { return nil }
        let newest = self.newest
        self.set(before)
        if superseded.count == 0 { self.superseded = nil }
        return newest
    }

    /// The oldest version after a time.
    func version(after time: Int64) -> Version? {
        self.superseded?.oldest(after: time) ?? (self.time > time ? self.newest : nil)
    }

    /// Forgets what no reader at `horizon` or later can see; returns what that kept in memory. `forgetting` hears of each
    /// version, and when it was superseded.
    func trim(before horizon: Int64, forgetting: (Version, Int64) -> Void) -> (count: Int, bytes: Int) {
        guard let superseded = self.superseded else { return (0, 0) }
        let trimmed =
            self.time <= horizon
            ? superseded.removeAll(endTime: self.time, forgetting: forgetting)
            : superseded.trim(before: horizon, forgetting: forgetting)
        if superseded.count == 0 { self.superseded = nil }
        return trimmed
    }

    private func set(_ version: Version) {
        self.fields = version.fields
        self.createTime = version.createTime
        self.time = version.time
    }
}
