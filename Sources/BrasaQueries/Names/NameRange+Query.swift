internal import BrasaDocuments

extension NameRange {
    /// Where a query looks.
    init(parent: ResourcePath, selector: StructuredQuery.CollectionSelector?) throws(QueryError) {
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

    /// Leaves out names that the filter excludes whatever the documents' fields are.
    mutating func narrow(by filter: Query.Filter) {
        switch filter {
        case .all(let filters): for filter in filters { self.narrow(by: filter) }
        case .isIn(.documentName, let values):
            let paths = values.compactMap(\.referencedPath).sorted()
            self.narrow(from: paths.first.map(NameBound.including), to: paths.last.map(NameBound.including))
        case .term(let term) where term.path.isDocumentName: self.narrow(by: term.condition)
        default: break
        }
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
}

extension Value {
    fileprivate var referencedPath: ResourcePath? {
        if case .reference(let name) = self { name.path } else { nil }
    }
}
