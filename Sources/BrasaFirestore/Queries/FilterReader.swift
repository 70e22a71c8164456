internal import BrasaDocuments
internal import BrasaQueries

/// Reads the operands of filters and cursors for a query.
struct FilterReader {
    let database: DatabaseName
    let query: QueryDefinition

    /// Nil for a composite without members, which asks for nothing.
    func filter(_ filter: Filter) throws(UsageError) -> StructuredQuery.Filter? {
        switch filter.node {
        case .field(let path, let op, let operand):
            return try self.field(try path.stored, op, operand)
        case .composite(let op, let members):
            var filters: [StructuredQuery.Filter] = []
            for member in members {
                if let filter = try self.filter(member) { filters.append(filter) }
            }
            return filters.count > 1 ? .composite(op, filters) : filters.first
        }
    }

    func field(
        _ path: BrasaDocuments.FieldPath,
        _ op: StructuredQuery.Filter.FieldOperator,
        _ operand: Any
    ) throws(UsageError) -> StructuredQuery.Filter {
        switch op {
        case .in, .notIn, .arrayContainsAny:
            guard let members = operand as? [Any], !members.isEmpty else {
                throw UsageError("The array of an 'in', 'notIn' or 'arrayContainsAny' filter must not be empty.")
            }
            if path.isDocumentName, op == .arrayContainsAny { throw Self.arrayOperatorOnID }
            var values: [Value] = []
            for member in members {
                let value = path.isDocumentName ? try self.documentID(member) : try self.value(member)
                if case .array = value, op == .arrayContainsAny {
                    throw UsageError("Arrays directly in arrays are not supported, so no array contains one.")
                }
                values.append(value)
            }
            return .field(path, op, .array(values))
        case .arrayContains where path.isDocumentName: throw Self.arrayOperatorOnID
        default:
            if path.isDocumentName { return .field(path, op, try self.documentID(operand)) }
            return Self.simplest(path, op, try self.value(operand))
        }
    }

    private static let arrayOperatorOnID = UsageError(
        "A document's ID is no array, so no array operator applies to it."
    )

    /// Null and NaN are asked for by operators of their own.
    private static func simplest(
        _ path: BrasaDocuments.FieldPath,
        _ op: StructuredQuery.Filter.FieldOperator,
        _ value: Value
    ) -> StructuredQuery.Filter {
        switch (op, value) {
        case (.equal, .null): .unary(path, .isNull)
        case (.notEqual, .null): .unary(path, .isNotNull)
        case (.equal, .double(let double)) where double.isNaN: .unary(path, .isNaN)
        case (.notEqual, .double(let double)) where double.isNaN: .unary(path, .isNotNaN)
        default: .field(path, op, value)
        }
    }

    func value(_ given: Any) throws(UsageError) -> Value {
        var reader = ValueReader(database: self.database, use: .operand)
        guard let value = try reader.value(given) else { throw UsageError("A filter or cursor needs a value.") }
        return value
    }

    /// The operand of a filter on documents' IDs.
    private func documentID(_ given: Any) throws(UsageError) -> Value {
        if let reference = given as? DocumentReference { return try self.value(reference) }
        guard let id = given as? String else {
            throw UsageError("A document's ID is compared with a String or a DocumentReference.")
        }
        return try self.documentID(id)
    }

    /// A plain ID in a collection, a full path in a collection group.
    func documentID(_ id: String) throws(UsageError) -> Value {
        guard !id.isEmpty else { throw UsageError("A document's ID must not be empty.") }
        guard self.query.isGroup || !id.contains("/") else {
            throw UsageError("A document's ID must not contain a slash, as '\(id)' does.")
        }
        let path: ResourcePath
        do {
            let prefix = self.query.isGroup ? [] : try self.query.collection().bytes.array + [UInt8(ascii: "/")]
            path = try ResourcePath(parsing: prefix + id.utf8)
        } catch {
            throw UsageError("Invalid document ID '\(id)': \(error.message)")
        }
        guard let name = DocumentName(database: self.database, path: path) else {
            throw UsageError("In a collection group a document's ID is a path to a document, which '\(id)' is not.")
        }
        return .reference(name)
    }
}

extension QueryDefinition {
    func collection() throws(DocumentError) -> ResourcePath {
        try self.parent.appending(self.collectionID.bytes)
    }
}
