import BrasaDocuments
import BrasaQueries

/// One shard's part of an index: the keys of every version that the shard has of the documents that were reached so far.
/// Commits keep the keys of documents that the build has passed, and leave the others to it.
///
/// `@unchecked Sendable`: only touched under its shard's lock while the shard has it, and afterwards only let go of.
final class ShardIndex: @unchecked Sendable {
    let definition: IndexDefinition
    /// Tells the parts of one index from those of others.
    let counts: IndexCounts
    private(set) var tree = IndexTree()
    private(set) var progress = Progress.building(Place(scope: 0, position: .start))

    enum Progress {
        /// Everything before the place is done.
        case building(Place)
        case complete
        /// A document has too many keys.
        case overflowing
    }

    /// A place in the order of the build: the top-level collection, then the nested ones.
    struct Place {
        var scope: Int
        var position: PathPosition
        /// A document right after the position of which the versions up to a time are done too.
        var begun: (path: ResourcePath, through: Int64)?

        func isAfter(_ path: ResourcePath, version time: Int64) -> Bool {
            let scope = path.segmentCount > 2 ? 1 : 0
            if scope != self.scope { return scope < self.scope }
            if let begun = self.begun, begun.path == path { return time <= begun.through }
            return self.position.isAfter(path)
        }
    }

    init(definition: IndexDefinition, counts: IndexCounts) {
        self.definition = definition
        self.counts = counts
        counts.add(entries: 0, bytes: self.tree.bytes)
    }

    func covers(collectionID: ArraySlice<UInt8>) -> Bool {
        let own = self.definition.collectionID.bytes
        return own.count == collectionID.count
            && own.withUnsafeBytes { own in
                collectionID.withUnsafeBytes { ByteOrder.firstMismatch(own, $0) == own.count }
            }
    }

    private func isDone(_ path: ResourcePath, version time: Int64) -> Bool {
        switch self.progress {
        case .building(let place): place.isAfter(path, version: time)
        case .complete: true
        case .overflowing: false
        }
    }

    /// A version was added to the chain.
    func add(_ version: DocumentChain.Version, to chain: DocumentChain) {
        guard self.isDone(chain.path, version: version.time) else { return }
        self.insert(version, of: chain)
    }

    /// A version was taken from a chain.
    func remove(_ version: DocumentChain.Version, path: ResourcePath) {
        guard let fields = version.fields, self.isDone(path, version: version.time) else { return }
        guard let keys = self.definition.keys(path: path, fields: fields) else { return }
        self.change { tree in
            for key in keys { tree.remove(key.bytes) }
        }
    }

    /// The build comes to a version.
    func insert(_ version: DocumentChain.Version, of chain: DocumentChain) {
        guard let fields = version.fields else { return }
        guard let keys = self.definition.keys(path: chain.path, fields: fields) else { return self.overflow() }
        self.change { tree in
            for key in keys { tree.insert(key.bytes, chain) }
        }
    }

    func move(to progress: Progress) {
        if case .overflowing = self.progress { return }
        self.progress = progress
    }

    private func overflow() {
        self.progress = .overflowing
        self.counts.overflow()
        self.counts.add(entries: -self.tree.count, bytes: -self.tree.bytes)
        self.tree = IndexTree()
        self.counts.add(entries: 0, bytes: self.tree.bytes)
    }

    private func change(_ body: (IndexTree) -> Void) {
        let (entries, bytes) = (self.tree.count, self.tree.bytes)
        body(self.tree)
        self.counts.add(entries: self.tree.count - entries, bytes: self.tree.bytes - bytes)
    }
}
