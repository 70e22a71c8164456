import BrasaDocuments
import BrasaQueries

/// What is kept of an index: the keys of the newest version of each document that was reached so far, and, apart from
/// them, the keys of older versions that the next one has not. Commits keep the keys of documents that the build has
/// passed, and leave the others to it.
///
/// `@unchecked Sendable`: only touched with its database's order held while it is there, and afterwards only let go of.
final class IndexState: @unchecked Sendable {
    let definition: IndexDefinition
    /// Tells one index from others.
    let counts: IndexCounts
    private(set) var current: IndexTree
    private(set) var superseded = SupersededKeys()
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
        self.current = IndexTree(.current(definition.scope))
        counts.add(entries: 0, bytes: self.bytes)
    }

    func covers(collectionID: BytePart) -> Bool {
        self.definition.collectionID.isEqual(to: collectionID)
    }

    private func isDone(_ path: ResourcePath, version time: Int64) -> Bool {
        switch self.progress {
        case .building(let place): place.isAfter(path, version: time)
        case .complete: true
        case .overflowing: false
        }
    }

    /// A version was added behind another, or as the first.
    func add(_ version: DocumentChain.Version, behind before: DocumentChain.Version?, to chain: DocumentChain) {
        let isDone = self.isDone(chain.path, version: version.time)
        let wasDone = before.map { self.isDone(chain.path, version: $0.time) } ?? false
        guard isDone || wasDone else { return }
        if isDone, wasDone, self.definition.hasSameValues(version, before) { return }
        guard let keys = self.keys(of: version, chain.path) else { return self.overflow() }
        let keysBefore = wasDone ? self.keys(of: before, chain.path) ?? [] : []
        let ended = keysBefore.subtracting(keys)
        self.change {
            // The build brings what it has not come to yet.
            for key in isDone ? ended : keysBefore { self.current.remove(key.bytes) }
            for key in ended { self.superseded.insert(key.bytes, of: chain, endTime: version.time) }
            guard isDone else { return }
            for key in keys.subtracting(keysBefore) { self.current.insert(key.bytes, chain) }
        }
    }

    /// Takes back what `add` did.
    func takeBack(_ version: DocumentChain.Version, to before: DocumentChain.Version?, of chain: DocumentChain) {
        let wasDone = self.isDone(chain.path, version: version.time)
        let isDone = before.map { self.isDone(chain.path, version: $0.time) } ?? false
        guard isDone || wasDone else { return }
        if isDone, wasDone, self.definition.hasSameValues(version, before) { return }
        let keys = self.keys(of: version, chain.path) ?? []
        let keysBefore = isDone ? self.keys(of: before, chain.path) ?? [] : []
        self.change {
            if wasDone {
                for key in keys.subtracting(keysBefore) { self.current.remove(key.bytes) }
            }
            for key in keysBefore.subtracting(keys) {
                self.superseded.remove(key.bytes, endTime: version.time)
            }
            for key in wasDone ? keysBefore.subtracting(keys) : keysBefore { self.current.insert(key.bytes, chain) }
        }
    }

    /// A version is forgotten that `successor` superseded.
    func forget(_ version: DocumentChain.Version, before successor: DocumentChain.Version, path: ResourcePath) {
        guard self.superseded.tree.count > 0, self.isDone(path, version: version.time) else { return }
        let ended = self.definition.endedKeys(of: version, before: successor, path)
        guard !ended.isEmpty else { return }
        self.change {
            for key in ended { self.superseded.remove(key.bytes, endTime: successor.time) }
        }
    }

    /// The build comes to a version.
    func insert(_ version: DocumentChain.Version, of chain: DocumentChain) {
        // Too many are told here also where the successor has the same: the successor may be taken back before it is come to.
        guard let keys = self.keys(of: version, chain.path) else { return self.overflow() }
        guard let successor = chain.version(after: version.time) else {
            return self.change {
                for key in keys { self.current.insert(key.bytes, chain) }
            }
        }
        if self.definition.hasSameValues(version, successor) { return }
        guard let ended = self.keys(of: successor, chain.path).map(keys.subtracting) else { return self.overflow() }
        self.change {
            for key in ended { self.superseded.insert(key.bytes, of: chain, endTime: successor.time) }
        }
    }

    /// None for a deletion; nil when they are too many.
    private func keys(of version: DocumentChain.Version?, _ path: ResourcePath) -> [IndexKey]? {
        guard let fields = version?.fields else { return [] }
        return self.definition.keys(path: path, fields: fields)
    }

    func move(to progress: Progress) {
        if case .overflowing = self.progress { return }
        self.progress = progress
    }

    /// Nobody reads or changes the trees any more. They go with the index, outside the section: they may have millions of
    /// nodes.
    private func overflow() {
        self.progress = .overflowing
        self.counts.overflow()
    }

    private func change(_ body: () -> Void) {
        let (entries, bytes, endedBytes) = (self.entries, self.bytes, self.superseded.tree.bytes)
        let hadEnded = self.superseded.tree.count > 0
        body()
        // An emptied tree keeps room for what it had.
        if hadEnded, self.superseded.tree.count == 0 { self.superseded = SupersededKeys() }
        self.counts.add(entries: self.entries - entries, bytes: self.bytes - bytes)
        let ended = self.superseded.tree.bytes - endedBytes
        if ended != 0 { self.counts.add(endedBytes: ended) }
    }

    private var entries: Int { self.current.count + self.superseded.tree.count }
    private var bytes: Int { self.current.bytes + self.superseded.tree.bytes }

    /// The current entries, when no key ended that a reader at `time` has to look at besides; else nil.
    func currentAlone(from position: IndexPosition, at time: Int64) -> IndexTree.Cursor? {
        self.superseded.hasEnds(after: time) ? nil : self.current.cursor(position)
    }

    func walk(from position: IndexPosition, at time: Int64, isDescending: Bool) -> KeyWalk {
        KeyWalk(self.current, self.superseded, from: position, at: time, isDescending: isDescending)
    }
}

extension IndexDefinition {
    /// The keys that ended with a version; all it has when the successor is much larger, since to look for these costs less
    /// then than to make the successor's.
    func endedKeys(
        of version: DocumentChain.Version,
        before successor: DocumentChain.Version,
        _ path: ResourcePath
    ) -> [IndexKey] {
        guard let fields = version.fields, !self.hasSameValues(version, successor) else { return [] }
        // Of one with too many nothing was kept.
        guard let keys = self.keys(path: path, fields: fields) else { return [] }
        guard let next = successor.fields, next.bytes.count <= 2 * fields.bytes.count else { return keys }
        return self.keys(path: path, fields: next).map(keys.subtracting) ?? keys
    }

    fileprivate func hasSameValues(_ version: DocumentChain.Version, _ other: DocumentChain.Version?) -> Bool {
        guard let fields = version.fields, let others = other?.fields else { return false }
        return self.hasSameValues(fields, others)
    }
}

extension [IndexKey] {
    /// Those that are not among the others; neither has one twice.
    fileprivate func subtracting(_ others: [IndexKey]) -> [IndexKey] {
        if self.isEmpty || others.isEmpty { return self }
        if self.count == 1, others.count == 1 { return ByteOrder.equal(self[0].bytes, others[0].bytes) ? [] : self }
        let others = Set(others)
        return self.filter { !others.contains($0) }
    }
}
