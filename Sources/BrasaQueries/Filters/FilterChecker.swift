internal import BrasaDocuments

/// Turns a filter as asked into a checked one, and finds out what rules about whole queries need to know.
struct FilterChecker {
    let database: DatabaseName
    /// A query of any collection may filter on names only.
    let isKindless: Bool

    /// Fields with an inequality, which become part of the order.
    private(set) var inequalities: Set<FieldPath> = []
    private var hasNameEquality = false
    private var negations = 0
    private var hasNotIn = false
    private var hasDisjunction = false

    init(database: DatabaseName, isKindless: Bool) {
        self.database = database
        self.isKindless = isKindless
    }

    /// Whether the filter says anything about names.
    var filtersNames: Bool { self.hasNameEquality || self.inequalities.contains(.documentName) }

    /// Nil when the filter excludes nothing.
    mutating func check(_ filter: StructuredQuery.Filter, otherClauses: Int) throws(QueryError) -> Query.Filter? {
        let checked = try self.checked(filter)
        try DisjunctionCount(of: filter).check(otherClauses: otherClauses)
        guard self.negations <= 1 else { throw QueryError(.severalNegations) }
        if self.hasNotIn, self.hasDisjunction { throw QueryError(.notInWithDisjunction) }
        guard self.inequalities.count <= QueryLimits.inequalityFieldsMax else {
            throw QueryError(.tooManyInequalityFields(self.inequalities.sortedByText))
        }
        if self.hasNameEquality, !self.inequalities.isEmpty, !self.inequalities.contains(.documentName) {
            throw QueryError(.nameEqualityWithInequality)
        }
        return checked == .all([]) ? nil : checked
    }

    private mutating func checked(_ filter: StructuredQuery.Filter) throws(QueryError) -> Query.Filter {
        switch filter {
        case .unset: throw QueryError(.filterTypeUnset)
        case .composite(let op, let parts): return try self.composite(op, parts)
        case .unary(let path, let op): return try self.unary(path, op)
        case .field(let path, let op, let value):
            guard op != .unspecified else { throw QueryError(.fieldOperatorUnspecified) }
            guard let path else { throw QueryError(.document(DocumentError(.fieldPathEmpty))) }
            guard let value else { throw QueryError(.document(DocumentError(.valueTypeUnset))) }
            try self.checkKind(path)
            if path.isDocumentName { try self.checkName(op, value) }
            return try self.field(path, op, value)
        }
    }

    private mutating func composite(
        _ op: StructuredQuery.Filter.CompositeOperator,
        _ parts: [StructuredQuery.Filter]
    ) throws(QueryError) -> Query.Filter {
        switch op {
        case .unspecified: throw QueryError(.compositeOperatorUnspecified)
        case .and: break
        case .or:
            guard !parts.isEmpty else { throw QueryError(.emptyOr) }
            self.hasDisjunction = true
        }
        var filters: [Query.Filter] = []
        filters.reserveCapacity(parts.count)
        for part in parts { filters.append(try self.checked(part)) }
        if let only = filters.first, filters.count == 1 { return only }
        return op == .and ? .all(filters) : .any(filters)
    }

    private mutating func unary(
        _ path: FieldPath?,
        _ op: StructuredQuery.Filter.UnaryOperator
    ) throws(QueryError) -> Query.Filter {
        guard op != .unspecified else { throw QueryError(.unaryOperatorUnspecified) }
        guard let path else { throw QueryError(.document(DocumentError(.fieldPathEmpty))) }
        try self.checkKind(path)
        if path.isDocumentName { throw QueryError(.filterNotReference) }
        switch op {
        case .unspecified: return .any([])
        case .isNull: return .term(Term(path, .equal(.null)))
        case .isNaN: return .term(Term(path, .equal(.double(.nan))))
        case .isNotNull: return self.negation(path, .isNotNull)
        case .isNotNaN: return self.negation(path, .isNotNaN)
        }
    }

    private mutating func field(
        _ path: FieldPath,
        _ op: StructuredQuery.Filter.FieldOperator,
        _ value: Value
    ) throws(QueryError) -> Query.Filter {
        let isIncomparable = ValueClass(of: value).isIncomparable
        switch op {
        case .unspecified: throw QueryError(.fieldOperatorUnspecified)
        case .lessThan: return self.range(path, ValueRange(to: .init(value, isInclusive: false)))
        case .lessThanOrEqual: return self.range(path, ValueRange(to: .init(value, isInclusive: true)))
        case .greaterThan: return self.range(path, ValueRange(from: .init(value, isInclusive: false)))
        case .greaterThanOrEqual: return self.range(path, ValueRange(from: .init(value, isInclusive: true)))
        case .equal:
            if path.isDocumentName { self.hasNameEquality = true }
            return isIncomparable ? .any([]) : .term(Term(path, .equal(value)))
        case .notEqual:
            if value.isNaN { return self.negation(path, .isNotNaN) }
            let filter = self.negation(path, .notEqual(value))
            return value.isNull ? .any([]) : filter
        case .arrayContains:
            if case .array = value { return .any([]) }
            return isIncomparable ? .any([]) : .term(Term(path, .arrayContains(value)))
        case .in:
            self.hasDisjunction = true
            if path.isDocumentName { self.hasNameEquality = true }
            return .isIn(path, Self.comparable(try Self.members(of: value, op)))
        case .arrayContainsAny:
            self.hasDisjunction = true
            let members = Self.comparable(try Self.members(of: value, op))
            return .containsAny(path, members.filter { if case .array = $0 { false } else { true } })
        case .notIn:
            self.hasNotIn = true
            let members = try Self.members(of: value, op)
            let filter = self.negation(path, .notIn(members))
            return members.contains { $0.isNull } ? .any([]) : filter
        }
    }

    private mutating func range(_ path: FieldPath, _ range: ValueRange) -> Query.Filter {
        self.inequalities.insert(path)
        return range.valueClass.isIncomparable ? .any([]) : .term(Term(path, .range(range)))
    }

    private mutating func negation(_ path: FieldPath, _ condition: Term.Condition) -> Query.Filter {
        self.inequalities.insert(path)
        self.negations += 1
        return .term(Term(path, condition))
    }

    private func checkKind(_ path: FieldPath) throws(QueryError) {
        if self.isKindless, !path.isDocumentName { throw QueryError(.kindRequiredForFilter(path)) }
    }

    /// A name is compared with names of the same database, whichever their collections.
    private func checkName(_ op: StructuredQuery.Filter.FieldOperator, _ value: Value) throws(QueryError) {
        switch op {
        case .arrayContains, .arrayContainsAny: throw QueryError(.keyIsReserved)
        case .in, .notIn:
            for member in try Self.members(of: value, op) {
                _ = try self.database.path(of: member, else: .filterNotReference)
            }
        default: _ = try self.database.path(of: value, else: .filterNotReference)
        }
    }

    private static func members(
        of value: Value,
        _ op: StructuredQuery.Filter.FieldOperator
    ) throws(QueryError) -> [Value] {
        guard case .array(let members) = value else { throw QueryError(.operandNotArray(op)) }
        guard !members.isEmpty else { throw QueryError(.operandEmpty(op)) }
        let countMax = op == .notIn ? QueryLimits.notInMembersMax : QueryLimits.inMembersMax
        guard members.count <= countMax else { throw QueryError(.operandTooLong(op)) }
        return members
    }

    private static func comparable(_ members: [Value]) -> [Value] {
        members.filter { !ValueClass(of: $0).isIncomparable }
    }
}

extension DatabaseName {
    /// The path in a reference to a document of this database.
    func path(of value: Value, else reason: QueryError.Reason) throws(QueryError) -> ResourcePath {
        guard case .reference(let name) = value else { throw QueryError(reason) }
        guard name.database == self else {
            let error = DocumentError(.otherDatabase(requested: self.string, accessed: name.database.string))
            throw QueryError(.document(error))
        }
        return name.path
    }
}
