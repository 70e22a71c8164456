import BrasaDocuments
import BrasaQueries

/// The part of a database that a scan walks: a range of one of its trees.
struct ScanScope: Sendable {
    enum Tree: Sendable {
        case names
        case group(CollectionID)
    }

    var tree: Tree
    /// In ascending order, whichever way the scan goes.
    var start: PathPosition
    var end: PathPosition
    /// Only documents with this many segments; deeper ones are skipped, or stand for their missing ancestor. Nil: all.
    var depth: Int?

    static let everything = ScanScope(tree: .names, start: .start, end: .end, depth: nil)
}

extension ScanScope {
    /// What a range's documents are in: one scope, or for a collection group of the whole database two, which do not
    /// overlap; none when the range is empty.
    static func scopes(of range: NameRange) -> [ScanScope] {
        guard !range.isEmpty else { return [] }
        let childDepth = range.parent.segmentCount + 2
        guard let id = range.collectionID else {
            let depth = range.allDescendants ? nil : childDepth
            return [self.scope(of: range, tree: .names, below: range.parent, depth: depth)]
        }
        // Nothing is stored under an id that is none.
        guard let collection = try? range.parent.appending(id.bytes) else { return [] }
        let direct = self.scope(of: range, tree: .names, below: collection, depth: childDepth)
        guard range.allDescendants else { return [direct] }
        let tree = Tree.group(CollectionID(id.bytes))
        let nested = self.scope(of: range, tree: tree, below: range.parent, depth: nil)
        return range.parent.isRoot ? [direct, nested] : [nested]
    }

    private static func scope(
        of range: NameRange,
        tree: Tree,
        below ancestor: ResourcePath,
        depth: Int?
    ) -> ScanScope {
        var scope = ScanScope(tree: tree, start: .after(ancestor), end: .afterSubtree(ancestor), depth: depth)
        if let lower = range.lower {
            scope.start = .later(scope.start, lower.isInclusive ? .before(lower.path) : .after(lower.path))
        }
        if let upper = range.upper {
            scope.end = .earlier(scope.end, upper.isInclusive ? .after(upper.path) : .before(upper.path))
        }
        return scope
    }
}

/// Bounds on one visit to a database's order, since it is held meanwhile: whoever asks for more steps than a chunk has gets
/// a chunk.
struct ScanBudget {
    static let stepsMax = 1024

    let entries: Int
    let steps: Int

    init(entries: Int, steps: Int = Self.stepsMax) {
        self.entries = entries
        self.steps = min(steps, Self.stepsMax)
    }
}

/// What one visit brought, and where to go on; nil: there is no more.
struct ScanPart<Found: Sendable>: Sendable {
    var found: Found
    var resume: PathPosition?
    /// What was looked at for it.
    var steps = 0
}
