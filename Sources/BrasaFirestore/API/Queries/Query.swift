internal import BrasaQueries

/// Documents of a collection or a collection group that meet conditions, in an order. Every method gives a new query.
// @unchecked: all properties are constants of Sendable types, here and in the subclass; the class is not final, so the
// compiler does not look.
public class Query: @unchecked Sendable {
    public let firestore: Firestore
    let definition: QueryDefinition

    init(firestore: Firestore, definition: QueryDefinition) {
        self.firestore = firestore
        self.definition = definition
    }

    public var description: String {
        "<Query: \(self.definition.isGroup ? "group " : "")\(self.definition.collectionID)>"
    }

    /// The query with one more clause. What is wrong with it may come from data: whoever reads the query is told.
    func changed(_ change: (inout QueryDefinition) throws(UsageError) -> Void) -> Query {
        var definition = self.definition
        definition.change(change)
        return Query(firestore: self.firestore, definition: definition)
    }

    var reader: FilterReader {
        FilterReader(database: self.firestore.database, query: self.definition)
    }
}

extension Query: Hashable, CustomStringConvertible {
    public static func == (left: Query, right: Query) -> Bool {
        left.firestore === right.firestore && left.definition == right.definition
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self.firestore))
        hasher.combine(self.definition)
    }
}

extension Query {
    /// Adds a condition. A composite without members adds nothing.
    @discardableResult
    public func whereFilter(_ filter: Filter) -> Query {
        self.changed { definition throws(UsageError) in
            if let filter = try self.reader.filter(filter) { try definition.add(filter) }
        }
    }

    func filtered(_ field: String, _ op: StructuredQuery.Filter.FieldOperator, _ value: Any) -> Query {
        self.changed { definition throws(UsageError) in
            try definition.add(try self.reader.field(try FieldPath(dotted: field).stored, op, value))
        }
    }

    func filtered(_ path: FieldPath, _ op: StructuredQuery.Filter.FieldOperator, _ value: Any) -> Query {
        self.changed { definition throws(UsageError) in
            try definition.add(try self.reader.field(try path.stored, op, value))
        }
    }
}
