package import BrasaDocuments

extension NameRange {
    /// Where a query looks.
    /// - Throws: what is wrong with the collection's id.
    package init(parent: ResourcePath, selector: StructuredQuery.CollectionSelector?) throws(QueryError) {
        guard let selector, !selector.collectionID.bytes.isEmpty else {
            self.init(parent: parent, collectionID: nil, allDescendants: selector?.allDescendants ?? false)
            return
        }
        do throws(DocumentError) {
            try ResourcePath.checkCollectionID(selector.collectionID)
        } catch {
            throw QueryError(.document(error))
        }
        self.init(parent: parent, collectionID: selector.collectionID, allDescendants: selector.allDescendants)
    }

    /// Leaves out what lies beyond all names that one of the conjunctions allows. Of a single conjunction's terms, those
    /// that give a name exactly or by a range are thereby used up.
    mutating func narrow(by disjunctions: [Conjunction]) {
        // Most queries say nothing about names.
        let saysNames = disjunctions.contains { $0.terms.contains { $0.path.isDocumentName } }
        guard saysNames else { return }
        let ranges = disjunctions.map { conjunction in
            var range = NameRange(parent: .root, collectionID: nil, allDescendants: true)
            for term in conjunction.terms where term.path.isDocumentName { range.narrow(by: term.condition) }
            return range
        }
        guard let first = ranges.first else { return }
        let others = ranges.dropFirst()
        self.narrow(
            from: others.reduce(first.lower) { NameBound.looser($0, $1.lower, isLower: true) },
            to: others.reduce(first.upper) { NameBound.looser($0, $1.upper, isLower: false) }
        )
    }

    /// Leaves out what lies before the start or behind the end of a query that is ordered by name alone.
    mutating func narrow(from start: CursorPosition?, to end: CursorPosition?, order: ResultOrder) {
        guard order.isByNameAlone else { return }
        // Before a position is inside for a start and outside for an end.
        let first = start.flatMap { start in
            start.path.map { NameBound(path: $0, isInclusive: !start.bound.isAfter) }
        }
        let last = end.flatMap { end in end.path.map { NameBound(path: $0, isInclusive: end.bound.isAfter) } }
        let isDescending = order.isNameDescending
        self.narrow(from: isDescending ? last : first, to: isDescending ? first : last)
    }

    private mutating func narrow(by condition: Term.Condition) {
        switch condition {
        case .equal(let value):
            let bound = value.referencedPath.map(NameBound.including)
            self.narrow(from: bound, to: bound)
        case .range(let range): self.narrow(from: Self.bound(range.lower), to: Self.bound(range.upper))
        default: break
        }
    }

    private mutating func narrow(from lower: NameBound?, to upper: NameBound?) {
        self.lower = NameBound.higher(self.lower, lower)
        self.upper = NameBound.lower(self.upper, upper)
    }

    private static func bound(_ bound: ValueRange.Bound?) -> NameBound? {
        guard let bound, let path = bound.value.referencedPath else { return nil }
        return NameBound(path: path, isInclusive: bound.isInclusive)
    }
}

extension NameBound {
    fileprivate static func including(_ path: ResourcePath) -> NameBound {
        NameBound(path: path, isInclusive: true)
    }

    /// Whichever of the two leaves more; nil is no bound.
    fileprivate static func looser(_ left: NameBound?, _ right: NameBound?, isLower: Bool) -> NameBound? {
        guard let left, let right else { return nil }
        let tighter = isLower ? NameBound.higher(left, right) : NameBound.lower(left, right)
        return tighter == left ? right : left
    }
}

extension Value {
    fileprivate var referencedPath: ResourcePath? {
        if case .reference(let name) = self { name.path } else { nil }
    }
}
