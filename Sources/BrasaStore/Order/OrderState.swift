import BrasaDocuments

/// A database's documents in their orders. Guarded by `DatabaseHandle.order`.
///
/// `names` has every document in path order, so that a collection is a range of it, with what is nested below its
/// documents skipped by seeking; missing documents and collection ids are found the same way. `groups` has the documents
/// of nested collections once more by collection id: with the top-level collection of that id they make up a group.
/// Documents that were deleted, and keys that documents had, stand apart in each tree (`NameTree`, `IndexState`): reads of
/// the present pass them by.
struct OrderState: ~Copyable {
    let names = NameTree()
    private(set) var groups: [CollectionID: NameTree] = [:]
    /// All that are there or being built.
    private(set) var indexes: [IndexState] = []
    /// While recovery fills the database: documents that are in no tree yet. Nil: there are none, new ones go there at
    /// once.
    private var loading: LoadingOrder?

    mutating func add(_ version: DocumentChain.Version, _ added: AddedVersion) {
        if let before = added.before {
            self.relink(added.chain, from: before)
            if version.fields == nil { self.loading?.noteDeleted(added.chain) }
        } else if self.loading == nil {
            self.link(added.chain)
        } else {
            self.loading?.add(added.chain)
        }
        self.forEachIndex(of: added.chain.path) { $0.add(version, behind: added.before, to: added.chain) }
    }

    /// Takes back what `add` did.
    mutating func takeBack(_ removed: RemovedVersion) {
        let chain = removed.chain
        if removed.isLast { self.unlink(chain) } else { self.relink(chain, from: removed.version) }
        let before = removed.isLast ? nil : chain.newest
        self.forEachIndex(of: chain.path) { $0.takeBack(removed.version, to: before, of: chain) }
    }

    mutating func forget(_ trimmed: TrimmedChain) {
        let path = trimmed.chain.path
        self.forEachIndex(of: path) { index in
            for (version, successor) in trimmed.versions { index.forget(version, before: successor, path: path) }
        }
        if trimmed.isGone { self.unlink(trimmed.chain) }
    }

    // MARK: Indexes

    mutating func add(_ index: Index) -> IndexState {
        let state = IndexState(definition: index.definition, counts: index.counts)
        self.indexes.append(state)
        return state
    }

    /// Takes an index out. To be let go of without the lock, since it may be large.
    mutating func remove(_ counts: IndexCounts) -> IndexState? {
        guard let place = self.indexes.firstIndex(where: { $0.counts === counts }) else { return nil }
        return self.indexes.remove(at: place)
    }

    private func forEachIndex(of path: ResourcePath, _ body: (IndexState) -> Void) {
        guard !self.indexes.isEmpty else { return }
        let collectionID = path.collectionID
        for index in self.indexes where index.covers(collectionID: collectionID) { body(index) }
    }

    // MARK: Names

    func tree(_ tree: ScanScope.Tree) -> NameTree? {
        switch tree {
        case .names: self.names
        case .group(let id): self.groups[id]
        }
    }

    /// From now on new documents are only found by their path, until `endLoading`.
    mutating func beginLoading() {
        self.loading = self.loading ?? LoadingOrder()
    }

    /// Documents of a checkpoint, between `beginLoading` and `takeLoading`.
    mutating func load(_ placed: RecordedDocuments.Placed) { self.loading?.add(placed) }

    /// What was loaded, to be sorted and given to `endLoading`.
    mutating func takeLoading() -> LoadingOrder? { self.loading.take() }

    /// Puts new documents into the trees. Empty trees are built from below; where there is something already, each looks for
    /// its place.
    mutating func endLoading(_ loaded: LoadingOrder.Loaded) {
        if self.names.isEmpty, self.groups.isEmpty {
            self.names.fill(loaded.names)
            for (id, leaves) in loaded.groups {
                let group = NameTree()
                group.fill(leaves)
                self.groups[id] = group
            }
        } else {
            loaded.names.forEach { self.link($0) }
        }
        for chain in loaded.others { self.link(chain) }
        // They came with their first version, and a deletion since then found them in no tree.
        for chain in loaded.deleted where chain.fields == nil && self.names.removeLoaded(chain) {
            self.groups[CollectionID(chain.path.collectionID)]?.removeLoaded(chain)
            self.link(chain)
        }
    }

    private mutating func link(_ chain: DocumentChain) {
        self.names.insert(chain)
        guard chain.path.segmentCount > 2 else { return }
        let id = CollectionID(chain.path.collectionID)
        let group = self.groups[id] ?? NameTree()
        group.insert(chain)
        self.groups[id] = group
    }

    /// The document's newest version was another.
    private func relink(_ chain: DocumentChain, from before: DocumentChain.Version) {
        guard before.fields == nil || chain.fields == nil else { return }
        // What is being loaded may be in no tree yet.
        guard self.names.remove(chain.path, before) else { return }
        self.names.insert(chain)
        guard chain.path.segmentCount > 2, let group = self.groups[CollectionID(chain.path.collectionID)] else {
            return
        }
        group.remove(chain.path, before)
        group.insert(chain)
    }

    private mutating func unlink(_ chain: DocumentChain) {
        self.names.remove(chain.path, chain.newest)
        guard chain.path.segmentCount > 2 else { return }
        let id = CollectionID(chain.path.collectionID)
        guard let group = self.groups[id] else { return }
        group.remove(chain.path, chain.newest)
        guard group.isEmpty else { return }
        self.groups[id] = nil
        self.groups.letRoomGo()
    }
}
