import BrasaDocuments

/// A database's documents while recovery reads them: found by their path, and in none of its trees yet.
struct LoadingOrder {
    /// Of a checkpoint, for `NameTree.current`.
    private var names = OrderedMapLeaves<DocumentChain>()
    /// Of these, the ones in nested collections.
    private var groups: [CollectionID: OrderedMapLeaves<DocumentChain>] = [:]
    /// Those that did not come in the order of their paths: of the log.
    private var others: [DocumentChain] = []
    /// Those that a record of the log deleted, and perhaps another made again.
    private var deleted: [DocumentChain] = []

    /// For how many of the log's, measured by the checkpoint's, the trees are built anew of both.
    private static let mergedPart = 4

    mutating func add(_ chain: DocumentChain) { self.others.append(chain) }

    mutating func noteDeleted(_ chain: DocumentChain) { self.deleted.append(chain) }

    /// Documents of a checkpoint, which are in order already but for those that somebody else wrote.
    mutating func add(_ placed: RecordedDocuments.Placed) {
        guard placed.isAscending, let first = placed.leaves.first?.first,
            self.names.last.map({ $0.path < first.path }) ?? true
        else {
            for leaf in placed.leaves { self.others += leaf }
            return
        }
        for leaf in placed.leaves { self.names.append(leaf: leaf) }
        for chain in placed.nested { self.addToGroup(chain) }
    }

    private mutating func addToGroup(_ chain: DocumentChain) {
        self.groups[CollectionID(chain.path.collectionID), default: OrderedMapLeaves()].append(chain)
    }

    /// What the trees are made of, once everything was read.
    struct Loaded {
        var names = OrderedMapLeaves<DocumentChain>()
        var groups: [CollectionID: OrderedMapLeaves<DocumentChain>] = [:]
        /// To be put into the trees one by one, in the order of their paths: neighbours meet in the same nodes.
        var others: [DocumentChain] = []
        /// What is to be taken out of them, if it is still deleted.
        var deleted: [DocumentChain] = []
    }

    /// Sorts what was not in order, on several threads when it is much.
    consuming func finish() -> Loaded {
        guard self.others.count > self.names.count / Self.mergedPart else {
            return Loaded(
                names: self.names,
                groups: self.groups,
                others: LoadedDocuments.sorted(self.others),
                deleted: self.deleted
            )
        }
        var chains: [DocumentChain] = []
        chains.reserveCapacity(self.names.count + self.others.count)
        self.names.forEach { chains.append($0) }
        chains += self.others
        let sorted = LoadedDocuments.sorted(chains)
        var merged = LoadingOrder()
        var loaded = Loaded()
        for chain in sorted {
            guard chain.fields != nil else {
                loaded.others.append(chain)
                continue
            }
            merged.names.append(chain)
            if chain.path.segmentCount > 2 { merged.addToGroup(chain) }
        }
        (loaded.names, loaded.groups) = (merged.names, merged.groups)
        return loaded
    }
}
