internal import BrasaDocuments
internal import BrasaQueries

/// Where the documents of one conjunction of a query are in an index.
struct IndexAccess {
    let index: FieldIndex
    /// Among whole keys; ascending, not overlapping.
    let intervals: [KeyInterval]
    /// Whether what is read comes in the query's order.
    let isOrdered: Bool
    /// Whether it has to be read backwards for that.
    let isReversed: Bool
    /// Whether all that an index can know of the conjunction is known to this one.
    let isFull: Bool
    /// How much of the conjunction narrows down what is read.
    let restrictionCount: Int

    /// Nil when documents of the conjunction may be missing in the index.
    init?(_ index: FieldIndex, for shape: ConjunctionShape, of query: Query) {
        let definition = index.definition
        guard definition.scope == shape.scope, let wanted = shape.definition([])?.parts,
            definition.collectionID == shape.names.collectionID
        else { return nil }
        var unknown = shape.bound
        var rest = definition.parts[...]
        var prefix = definition.prefix(parent: shape.names.parent).bytes
        while let part = rest.first, let place = unknown.firstIndex(where: { $0.part.isSame(as: part) }) {
            let key = unknown.remove(at: place).key
            prefix += part.kind == .descending ? key.map { ~$0 } : key
            rest.removeFirst()
        }
        // A document that lacks a field of an index is not in it.
        guard rest.allSatisfy({ $0.kind != .contains && shape.requires($0.path) }) else { return nil }

        var suffixes: [KeyInterval]
        self.isOrdered = rest.elementsEqual(wanted)
        if self.isOrdered {
            suffixes = shape.suffixes(start: query.start, end: query.end, resume: nil).intervals
        } else if let own = rest.first, let first = wanted.first, own.path == first.path {
            suffixes = shape.suffixes(start: nil, end: nil, resume: nil).intervals
            if own.kind != first.kind { suffixes = suffixes.reversed().map(\.complemented) }
        } else {
            suffixes = [.all]
        }
        self.index = index
        self.intervals = suffixes.map { $0.prefixed(by: prefix) }
        self.isReversed = shape.isReversed
        self.isFull = self.isOrdered && unknown.isEmpty
        self.restrictionCount = shape.bound.count - unknown.count + (suffixes == [.all] ? 0 : 1)
    }

    /// Whether reading this is better than the other.
    func isBetter(than other: IndexAccess) -> Bool {
        guard self.isFull == other.isFull else { return self.isFull }
        guard self.restrictionCount == other.restrictionCount else {
            return self.restrictionCount > other.restrictionCount
        }
        return self.isOrdered && !other.isOrdered
    }
}

extension IndexDefinition.Part {
    /// Whether the same values of a document are in both, in whatever direction.
    fileprivate func isSame(as other: IndexDefinition.Part) -> Bool {
        self.path == other.path && (self.kind == .contains) == (other.kind == .contains)
    }
}

extension ConjunctionShape {
    /// Whether all of its documents have the field.
    fileprivate func requires(_ path: FieldPath) -> Bool {
        self.sortFields.contains { $0.path == path } || self.bound.contains { $0.part.path == path }
    }
}
