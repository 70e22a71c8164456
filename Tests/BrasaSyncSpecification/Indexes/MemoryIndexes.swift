import BrasaDocuments
import BrasaQueries

@testable import BrasaSync

/// Indexes in the most obvious way: everything is in plain arrays and looked through.
final class MemoryIndexes: IndexTables {
    private struct Owner: Hashable {
        let index: IndexID
        let user: SyncUser
    }

    private let base: MemoryTables
    private var indexes: [FieldIndex] = []
    private var lastID: IndexID = 0
    private var progress: [Owner: IndexProgress] = [:]
    private var entries: [Owner: [FieldIndexEntry]] = [:]
    /// Of parts that are gone, until they are freed.
    private var forgotten: [FieldIndexEntry] = []
    private var changed: [ResourcePath: ChangeNumber] = [:]
    private var lastNumber: ChangeNumber = 0

    init(_ base: MemoryTables) {
        self.base = base
    }

    /// Documents read by name.
    private(set) var readCount = 0
    var changeCount: Int { self.changed.count }
    var entryCount: Int { self.entries.values.reduce(0) { $0 + $1.count } + self.forgotten.count }

    func noteChange(of path: ResourcePath) {
        guard self.indexes.contains(where: { $0.definition.covers(path) }) else { return }
        self.lastNumber += 1
        self.changed[path] = self.lastNumber
    }

    func fieldIndexes() -> [FieldIndex] { self.indexes }

    func fieldIndexes(ofCollectionID id: UTF8Text) -> [FieldIndex] {
        self.indexes.filter { $0.definition.collectionID == id }
    }

    func addFieldIndex(_ definition: IndexDefinition) {
        self.lastID += 1
        self.indexes.append(FieldIndex(id: self.lastID, definition: definition))
    }

    func removeFieldIndex(_ index: FieldIndex) {
        self.indexes.removeAll { $0 == index }
        for part in self.parts(of: index.id) { self.removePart(of: index.id, for: part.user) }
    }

    func progress(of index: IndexID, for user: SyncUser) -> IndexProgress? {
        self.progress[Owner(index: index, user: user)]
    }

    func setProgress(_ progress: IndexProgress, of index: IndexID, for user: SyncUser) {
        if progress.stage == .abandoned { self.removePart(of: index, for: user) }
        self.progress[Owner(index: index, user: user)] = progress
    }

    func parts(of index: IndexID) -> [IndexPart] {
        self.progress.filter { $0.key.index == index }.map { IndexPart(user: $0.key.user, progress: $0.value) }
    }

    func removePart(of index: IndexID, for user: SyncUser) {
        let owner = Owner(index: index, user: user)
        self.progress[owner] = nil
        self.forgotten += self.entries.removeValue(forKey: owner) ?? []
    }

    func entries(
        of index: IndexID,
        for user: SyncUser,
        in interval: KeyInterval,
        isReversed: Bool,
        limit: Int
    ) -> [FieldIndexEntry] {
        let all = self.entries[Owner(index: index, user: user)] ?? []
        let found = all.filter { interval.contains($0.key) }.sorted { ByteOrder.compare($0.key, $1.key) == .ascending }
        return Array((isReversed ? found.reversed() : found).prefix(limit))
    }

    @discardableResult
    func setKeys(_ keys: [IndexKey], of path: ResourcePath, in index: IndexID, for user: SyncUser) -> Int {
        let owner = Owner(index: index, user: user)
        let old = self.entries[owner]?.filter { $0.path == path }.map(\.key) ?? []
        self.entries[owner]?.removeAll { $0.path == path }
        self.entries[owner, default: []] += keys.map { FieldIndexEntry(key: $0.bytes, path: path) }
        return Set(old).symmetricDifference(keys.map(\.bytes)).count
    }

    func documents(
        in collection: ResourcePath,
        named interval: KeyInterval,
        isReversed: Bool,
        limit: Int
    ) -> [SyncDocument] {
        let all = (self.base.collections[collection] ?? [:]).values.filter { document in
            var key = OrderPreservingKey()
            key.appendID(of: document.path)
            return interval.contains(key.bytes)
        }
        let sorted = all.sorted { $0.path < $1.path }
        let found = Array((isReversed ? sorted.reversed() : sorted).prefix(limit))
        self.readCount += found.count
        return found
    }

    func documentPaths(ofCollectionID id: UTF8Text, after path: ResourcePath?, limit: Int) -> [ResourcePath] {
        let all = self.base.collections(withID: id).flatMap { self.base.collections[$0]?.keys.map(\.self) ?? [] }
        return Array(all.sorted().filter { one in path.map { $0 < one } ?? true }.prefix(limit))
    }

    func lastChange() -> ChangeNumber { self.lastNumber }

    func changes(ofCollectionID id: UTF8Text, after number: ChangeNumber, limit: Int) -> [NotedChange] {
        let all = self.changed.filter { $0.key.collectionID.elementsEqual(id.bytes) && $0.value > number }
        let sorted = all.sorted { $0.value < $1.value }
        return sorted.prefix(limit).map { NotedChange(number: $0.value, path: $0.key) }
    }

    func noteOverlays(ofCollectionID id: UTF8Text, of user: SyncUser) {
        for collection in self.base.collections(withID: id) {
            for path in self.base.overlays(in: collection, of: user).keys { self.noteChange(of: path) }
        }
    }

    func changeCount(ofCollectionID id: UTF8Text, after number: ChangeNumber) -> Int {
        self.changes(ofCollectionID: id, after: number, limit: .max).count
    }

    func documentCount(ofCollectionID id: UTF8Text, of user: SyncUser) -> Int {
        self.base.collections(withID: id).reduce(0) { sum, collection in
            sum + (self.base.collections[collection]?.count ?? 0) + self.base.overlays(in: collection, of: user).count
        }
    }

    func forget(countMax: Int) -> Int {
        let entries = min(countMax, self.forgotten.count)
        self.forgotten.removeLast(entries)
        let changes = self.changed.filter { !self.isLacking($0.key, $0.value) }.keys.prefix(countMax - entries)
        for path in changes { self.changed[path] = nil }
        return entries + changes.count
    }

    private func isLacking(_ path: ResourcePath, _ number: ChangeNumber) -> Bool {
        self.progress.contains { owner, progress in
            progress.stage != .abandoned && progress.lastChange < number
                && self.indexes.contains { $0.id == owner.index && $0.definition.covers(path) }
        }
    }
}

extension KeyInterval {
    fileprivate func contains(_ key: [UInt8]) -> Bool {
        !(IndexPosition.before(key) < self.start) && IndexPosition.before(key) < self.end
    }
}
