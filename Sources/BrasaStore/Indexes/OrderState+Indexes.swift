import BrasaDocuments
import BrasaQueries

extension OrderState {
    /// An index's trees; nil when it was dropped, or never made.
    func index(_ counts: IndexCounts) -> IndexState? {
        self.indexes.first { $0.counts === counts }
    }

    /// Begins to build an index, or goes on: a bounded number of documents and versions. Returns whether there is more to
    /// do.
    mutating func build(_ whole: Index, budget: Int) -> Bool {
        let index = self.index(whole.counts) ?? self.add(whole)
        guard case .building(var place) = index.progress else { return false }
        let scopes = ScanScope.scopes(
            of: NameRange(parent: .root, collectionID: index.definition.collectionID, allDescendants: true)
        )
        var build = IndexBuild(index: index, budget: budget)
        while place.scope < scopes.count {
            if case .overflowing = index.progress { return false }
            guard build.walk(scopes[place.scope], in: self, &place) else {
                index.move(to: .building(place))
                return true
            }
            place = IndexState.Place(scope: place.scope + 1, position: .start)
        }
        index.move(to: .complete)
        return false
    }
}

/// One visit of the build.
struct IndexBuild {
    private let index: IndexState
    /// What the visit may still do, in steps of about a microsecond.
    private var budget: Int

    static let budgetMax = 128
    /// Stands for a step.
    private static let bytesPerStep = 512

    init(index: IndexState, budget: Int) {
        self.index = index
        self.budget = budget
    }

    /// Whether the scope's end was reached.
    mutating func walk(_ scope: ScanScope, in state: borrowing OrderState, _ place: inout IndexState.Place) -> Bool {
        guard let tree = state.tree(scope.tree) else { return true }
        let start = PathPosition.later(scope.start, place.position)
        // Also documents that were deleted, for readers of the past.
        var walk = tree.walk(from: start, at: .min)
        while self.budget > 0 {
            guard let (path, chain) = walk.next(), scope.end.isAfter(path) else { return true }
            self.budget -= 1
            if let depth = scope.depth, path.segmentCount > depth {
                let position = PathPosition.afterSubtree(path.prefix(segments: depth))
                place = IndexState.Place(scope: place.scope, position: position)
                walk.seek(position)
            } else if let through = self.insert(chain, after: place.begun?.path == path ? place.begun?.through : nil) {
                place = IndexState.Place(scope: place.scope, position: .before(path), begun: (path, through))
            } else {
                place = IndexState.Place(scope: place.scope, position: .after(path))
            }
            if case .overflowing = self.index.progress { return true }
        }
        return false
    }

    /// Inserts a document's versions after a time. Returns up to which time, if not all.
    private mutating func insert(_ chain: DocumentChain, after time: Int64?) -> Int64? {
        var time = time ?? .min
        while let version = chain.version(after: time) {
            if self.budget <= 0 { return time }
            self.index.insert(version, of: chain)
            self.budget -= 1 + (version.fields?.bytes.count ?? 0) / Self.bytesPerStep
            time = version.time
        }
        return nil
    }
}
