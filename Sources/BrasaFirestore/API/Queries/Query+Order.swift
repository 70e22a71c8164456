internal import BrasaDocuments
internal import BrasaQueries

extension Query {
    /// Orders by a field, ascending. Documents without it are no results.
    @discardableResult
    public func order(by field: String) -> Query { self.order(by: field, descending: false) }
    @discardableResult
    public func order(by path: FieldPath) -> Query { self.order(by: path, descending: false) }

    /// Orders by a field. Documents without it are no results.
    @discardableResult
    public func order(by field: String, descending: Bool) -> Query {
        self.changed { definition throws(UsageError) in
            try definition.add(try Self.order(try FieldPath(dotted: field), descending))
        }
    }
    @discardableResult
    public func order(by path: FieldPath, descending: Bool) -> Query {
        self.changed { definition throws(UsageError) in try definition.add(try Self.order(path, descending)) }
    }

    private static func order(
        _ path: FieldPath,
        _ isDescending: Bool
    ) throws(UsageError) -> StructuredQuery.Order {
        StructuredQuery.Order(field: try path.stored, direction: isDescending ? .descending : .ascending)
    }

    /// Keeps the first results, of whatever number of them.
    @discardableResult
    public func limit(to limit: Int) -> Query {
        self.changed { definition throws(UsageError) in try definition.limit(to: limit, .first) }
    }

    /// Keeps the last results; needs an order.
    @discardableResult
    public func limit(toLast limit: Int) -> Query {
        self.changed { definition throws(UsageError) in try definition.limit(to: limit, .last) }
    }
}

extension Query {
    /// Begins at the values of the first orders, included.
    @discardableResult
    public func start(at fieldValues: [Any]) -> Query { self.bounded(fieldValues, isStart: true, isInclusive: true) }

    /// Begins behind the values of the first orders.
    @discardableResult
    public func start(after fieldValues: [Any]) -> Query {
        self.bounded(fieldValues, isStart: true, isInclusive: false)
    }

    /// Ends at the values of the first orders, included.
    @discardableResult
    public func end(at fieldValues: [Any]) -> Query { self.bounded(fieldValues, isStart: false, isInclusive: true) }

    /// Ends before the values of the first orders.
    @discardableResult
    public func end(before fieldValues: [Any]) -> Query {
        self.bounded(fieldValues, isStart: false, isInclusive: false)
    }

    /// Begins at a document's place in the order, included.
    @discardableResult
    public func start(atDocument document: DocumentSnapshot) -> Query {
        self.bounded(document, isStart: true, isInclusive: true)
    }

    /// Begins behind a document's place in the order.
    @discardableResult
    public func start(afterDocument document: DocumentSnapshot) -> Query {
        self.bounded(document, isStart: true, isInclusive: false)
    }

    /// Ends at a document's place in the order, included.
    @discardableResult
    public func end(atDocument document: DocumentSnapshot) -> Query {
        self.bounded(document, isStart: false, isInclusive: true)
    }

    /// Ends before a document's place in the order.
    @discardableResult
    public func end(beforeDocument document: DocumentSnapshot) -> Query {
        self.bounded(document, isStart: false, isInclusive: false)
    }

    private func bounded(_ values: [Any], isStart: Bool, isInclusive: Bool) -> Query {
        self.bounded(isStart: isStart, isInclusive: isInclusive) { () throws(UsageError) in
            try CursorReader(self.reader).values(values)
        }
    }

    private func bounded(_ document: DocumentSnapshot, isStart: Bool, isInclusive: Bool) -> Query {
        self.bounded(isStart: isStart, isInclusive: isInclusive) { () throws(UsageError) in
            try CursorReader(self.reader).values(of: document)
        }
    }

    private func bounded(
        isStart: Bool,
        isInclusive: Bool,
        values: () throws(UsageError) -> [Value]
    ) -> Query {
        self.changed { definition throws(UsageError) in
            let bound = QueryDefinition.Bound(values: try values(), isInclusive: isInclusive)
            if isStart { definition.start(at: bound) } else { definition.end(at: bound) }
        }
    }
}
