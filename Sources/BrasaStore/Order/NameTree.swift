import BrasaDocuments
import BrasaQueries

/// Names in path order: of documents that are there now, and apart from them of those that were deleted, which only
/// readers of the past see. A document that was deleted and made again is among the former.
///
/// A reference type without a guard of its own: whoever owns it guards it. Walks see the tree as it stands and are void
/// once it changes.
final class NameTree {
    let current = OrderedMap<DocumentChain>()
    /// Nil: there are none.
    private(set) var deleted: SupersededKeys?

    var isEmpty: Bool { self.current.isEmpty && self.deleted == nil }

    func insert(_ chain: DocumentChain) {
        if chain.fields != nil {
            self.current.insert(chain)
        } else {
            let deleted = self.deleted ?? SupersededKeys()
            deleted.insert(OrderPreservingKey(chain.path).bytes, of: chain, endTime: chain.time)
            self.deleted = deleted
        }
    }

    /// Puts documents into the empty tree that are there now.
    func fill(_ leaves: OrderedMapLeaves<DocumentChain>) { self.current.fill(leaves) }

    /// Takes one out that was put there as a document that is there now. Whether it was.
    @discardableResult
    func removeLoaded(_ chain: DocumentChain) -> Bool { self.current.remove(chain.path) != nil }

    /// Takes out a document with this newest version. Whether it was there.
    @discardableResult
    func remove(_ path: ResourcePath, _ newest: DocumentChain.Version) -> Bool {
        guard newest.fields == nil else { return self.current.remove(path) != nil }
        guard let deleted = self.deleted else { return false }
        let isRemoved = deleted.remove(OrderPreservingKey(path).bytes, endTime: newest.time)
        if deleted.tree.count == 0 { self.deleted = nil }
        return isRemoved
    }

    /// The documents that a reader at `time` may see, and others. Begins at a place.
    func walk(from position: PathPosition, at time: Int64, isDescending: Bool = false) -> NameWalk {
        NameWalk(self, from: position, at: time, isDescending: isDescending)
    }
}

/// The documents of a tree that a reader of one time has to look at, in path order, either way.
struct NameWalk {
    private var current: OrderedMap<DocumentChain>.Cursor
    private let deleted: SupersededKeys?
    /// Nil: there are none, or none is left.
    private var deletedCursor: IndexTree.Cursor?
    /// What comes next from each, once both have to be compared.
    private var currentHead: DocumentChain?
    private var deletedHead: DocumentChain?
    private let time: Int64
    private let isDescending: Bool

    fileprivate init(_ tree: NameTree, from position: PathPosition, at time: Int64, isDescending: Bool) {
        self.current = tree.current.cursor(position.isAfter)
        self.deleted = tree.deleted
        self.time = time
        self.isDescending = isDescending
        self.seekDeleted(position)
    }

    mutating func seek(_ position: PathPosition) {
        self.current.seek(position.isAfter)
        self.currentHead = nil
        self.seekDeleted(position)
    }

    private mutating func seekDeleted(_ position: PathPosition) {
        self.deletedHead = nil
        guard let deleted = self.deleted, deleted.hasEnds(after: self.time) else { return }
        self.deletedCursor = deleted.cursor(position.indexPosition, at: self.time)
    }

    mutating func next() -> (path: ResourcePath, chain: DocumentChain)? {
        self.nextChain().map { ($0.path, $0) }
    }

    private mutating func nextChain() -> DocumentChain? {
        if self.deletedHead == nil { self.fetchDeleted() }
        let current = self.currentHead.take() ?? self.nextCurrent()
        guard let deleted = self.deletedHead else { return current }
        if let current, self.isDescending ? deleted.path < current.path : current.path < deleted.path { return current }
        self.currentHead = current
        self.deletedHead = nil
        return deleted
    }

    private mutating func nextCurrent() -> DocumentChain? {
        self.isDescending ? self.current.previous() : self.current.next()
    }

    private mutating func fetchDeleted() {
        self.deletedHead = (self.isDescending ? self.deletedCursor?.previous() : self.deletedCursor?.next())?.chain
        if self.deletedHead == nil { self.deletedCursor = nil }
    }
}

extension DocumentChain: Keyed {
    var key: ResourcePath { self.path }
}

extension PathPosition {
    /// The same place among order-preserving keys of paths.
    fileprivate var indexPosition: IndexPosition {
        switch self {
        case .start: .start
        case .before(let path): .before(OrderPreservingKey(path).bytes)
        case .after(let path): .after(OrderPreservingKey(path).bytes)
        // A path's key ends with a zero; in the keys of what is below it the next id stands there.
        case .afterSubtree(let path): .after(Array(OrderPreservingKey(path).bytes.dropLast()))
        case .end: .end
        case .later(let one, let other): max(one.indexPosition, other.indexPosition)
        case .earlier(let one, let other): min(one.indexPosition, other.indexPosition)
        }
    }
}
