import BrasaDocuments
import BrasaQueries

/// Things that belong to ranges of names, each with a token, found by a document that their range may hold.
struct RangeIndex<Element> {
    /// A range without its bounds.
    private struct Scope: Hashable {
        let parent: ResourcePath
        let collectionID: [UInt8]?
        let allDescendants: Bool
    }

    /// What scopes have in common that one document can be in. There are few kinds, however many scopes.
    private struct Kind: Hashable {
        let depth: Int
        let hasCollectionID: Bool
        let allDescendants: Bool
    }

    private var elements: [Scope: [UInt64: Element]] = [:]
    /// How many scopes there are of each kind.
    private var kinds: [Kind: Int] = [:]

    mutating func insert(_ element: Element, _ token: UInt64, in range: NameRange) {
        let scope = Self.scope(of: range)
        if self.elements[scope] == nil { self.kinds[Self.kind(of: scope), default: 0] += 1 }
        self.elements[scope, default: [:]][token] = element
    }

    /// - Parameter range: the one that it was inserted with.
    mutating func remove(_ token: UInt64, from range: NameRange) {
        let scope = Self.scope(of: range)
        guard self.elements[scope]?.removeValue(forKey: token) != nil else { return }
        guard self.elements[scope]?.isEmpty ?? false else { return }
        self.elements[scope] = nil
        let kind = Self.kind(of: scope)
        let count = self.kinds[kind, default: 0] - 1
        self.kinds[kind] = count > 0 ? count : nil
    }

    /// Of all ranges in whose scope the document is, in no order; it may still lie outside the bounds.
    func elements(around path: ResourcePath) -> [Element] {
        guard path.isDocument else { return [] }
        var found: [Element] = []
        for kind in self.kinds.keys {
            guard let scope = Self.scope(of: kind, around: path), let elements = self.elements[scope] else { continue }
            found += elements.values
        }
        return found
    }

    private static func scope(of range: NameRange) -> Scope {
        Scope(
            parent: range.parent,
            collectionID: range.collectionID?.bytes,
            allDescendants: range.allDescendants
        )
    }

    private static func kind(of scope: Scope) -> Kind {
        Kind(
            depth: scope.parent.segmentCount,
            hasCollectionID: scope.collectionID != nil,
            allDescendants: scope.allDescendants
        )
    }

    /// The scope of a kind that a document is in.
    private static func scope(of kind: Kind, around path: ResourcePath) -> Scope? {
        let depth = path.segmentCount - 2
        guard kind.allDescendants ? kind.depth <= depth : kind.depth == depth else { return nil }
        var parent = path
        while parent.segmentCount > kind.depth, let next = parent.parent { parent = next }
        return Scope(
            parent: parent,
            collectionID: kind.hasCollectionID ? Array(path.collectionID) : nil,
            allDescendants: kind.allDescendants
        )
    }
}
