import BrasaDocuments
import BrasaQueries
import Foundation
import Testing

@testable import BrasaFirestore

@Suite("Queries from users")
struct QueryTests {
    let database = Databases.new()
    var cities: CollectionReference { self.database.collection("cities") }

    private func path(_ text: String) -> BrasaDocuments.FieldPath { sound(try FieldPath([text]).stored) }

    private func reference(_ path: String) -> Value { .reference(sound(try self.database.document(path).name)) }

    private func snapshot(_ path: String, _ data: [String: Any]?) throws -> DocumentSnapshot {
        let reference = self.database.document(path)
        var fields: EncodedFields?
        if let data, case .set(let encoded) = try WriteReader(name: reference.name).set(data).operation {
            fields = encoded
        }
        return DocumentSnapshot(
            reference: reference,
            fields: fields,
            metadata: SnapshotMetadata(hasPendingWrites: false, isFromCache: false)
        )
    }

    @Test("A collection is a query for all its documents, by name")
    func plain() throws {
        let query = try self.database.document("a/b").collection("c").definition.structured()
        #expect(query.from == [StructuredQuery.CollectionSelector(collectionID: "c")])
        #expect(query.filter == nil)
        #expect(query.orderBy == [StructuredQuery.Order(field: .documentName, direction: .ascending)])
        #expect(query.limit == nil)
        let group = self.database.collectionGroup("c").definition
        #expect(
            try group.structured().from == [StructuredQuery.CollectionSelector(collectionID: "c", allDescendants: true)]
        )
        #expect(group.parent.isRoot)
    }

    @Test("What filters and operations were given stays as it was")
    func mutableOperands() throws {
        let text = NSMutableString(string: "a")
        let list = NSMutableArray(array: [text, NSMutableDictionary(dictionary: ["k": text])])
        let filter = Filter.whereField("f", isEqualTo: list)
        let operation = FieldValue.arrayUnion([text, NSMutableData(data: Data([1]))])
        text.append("b")
        list.add(1)
        let expected = Value.array([.string("a"), .map([Value.MapEntry(key: "k", value: .string("a"))])])
        #expect(
            try self.cities.whereFilter(filter).definition.structured().filter
                == .field(self.path("f"), .equal, expected)
        )
        let write = try WriteReader(name: self.database.document("c/a").name).set(["l": operation])
        guard case .appendMissingElements(let elements)? = write.transforms.first?.operation else {
            Issue.record("no elements are added")
            return
        }
        #expect(elements == [.string("a"), .bytes([1])])
    }

    @Test("Every operator has its protocol number")
    func operators() throws {
        let rows: [(Query, StructuredQuery.Filter.FieldOperator, Value)] = [
            (self.cities.whereField("a", isEqualTo: 1), .equal, .integer(1)),
            (self.cities.whereField("a", isNotEqualTo: 1), .notEqual, .integer(1)),
            (self.cities.whereField("a", isLessThan: 1), .lessThan, .integer(1)),
            (self.cities.whereField("a", isLessThanOrEqualTo: 1), .lessThanOrEqual, .integer(1)),
            (self.cities.whereField("a", isGreaterThan: 1), .greaterThan, .integer(1)),
            (self.cities.whereField("a", isGreaterThanOrEqualTo: 1), .greaterThanOrEqual, .integer(1)),
            (self.cities.whereField("a", arrayContains: 1), .arrayContains, .integer(1)),
            (
                self.cities.whereField("a", arrayContainsAny: [1, 2]), .arrayContainsAny,
                .array([.integer(1), .integer(2)])
            ),
            (self.cities.whereField("a", in: ["x", [1]]), .in, .array([.string("x"), .array([.integer(1)])])),
            (self.cities.whereField("a", notIn: ["x"]), .notIn, .array([.string("x")])),
        ]
        for (query, op, value) in rows {
            #expect(query.definition.filters == [.field(self.path("a"), op, value)])
        }
        let nulls: [(Query, StructuredQuery.Filter.UnaryOperator)] = [
            (self.cities.whereField("a", isEqualTo: NSNull()), .isNull),
            (self.cities.whereField("a", isNotEqualTo: NSNull()), .isNotNull),
            (self.cities.whereField("a", isEqualTo: Double.nan), .isNaN),
            (self.cities.whereField(FieldPath(["a"]), isNotEqualTo: Double.nan), .isNotNaN),
        ]
        for (query, op) in nulls { #expect(query.definition.filters == [.unary(self.path("a"), op)]) }
    }

    @Test("Filters nest; a composite of one is that one, of none is nothing")
    func composites() {
        let a = Filter.whereField("a", isEqualTo: 1)
        let b = Filter.whereField("b", isGreaterOrEqualTo: 2)
        let stored: [StructuredQuery.Filter] = [
            .field(self.path("a"), .equal, .integer(1)), .field(self.path("b"), .greaterThanOrEqual, .integer(2)),
        ]
        #expect(self.cities.whereFilter(.orFilter([a, b])).definition.filters == [.composite(.or, stored)])
        #expect(self.cities.whereFilter(.andFilter([.orFilter([a])])).definition.filters == [stored[0]])
        #expect(self.cities.whereFilter(.andFilter([.orFilter([])])) == self.cities)
        #expect(self.cities.whereFilter(a).whereFilter(b).definition.filters == stored)
    }

    @Test("The order has the range fields by path, in the direction of the last order, and the name")
    func order() throws {
        let query = self.cities.whereField("z", isGreaterThan: 1).whereField("b", isLessThan: 2)
            .whereField("c", isEqualTo: 3).order(by: "m").order(by: "n", descending: true)
        let clauses = try query.definition.structured().orderBy
        #expect(clauses.map(\.field.canonical) == ["m", "n", "b", "z", "__name__"])
        #expect(clauses.map(\.direction) == [.ascending, .descending, .descending, .descending, .descending])
    }

    @Test("Cursors have values of the explicit orders; the later one counts")
    func cursors() throws {
        let ordered = self.cities.order(by: "a").order(by: FieldPath.documentID())
        let query = try ordered.start(at: [1]).start(after: [2, "SF"]).end(before: [3]).end(at: [4]).definition
            .structured()
        #expect(query.startAt == .init(values: [.integer(2), self.reference("cities/SF")], before: false))
        #expect(query.endAt == .init(values: [.integer(4)], before: false))
        let other = try ordered.start(at: [1]).end(before: [3]).definition.structured()
        #expect(other.startAt?.before == true)
        #expect(other.endAt?.before == true)
        let group = self.database.collectionGroup("c").order(by: FieldPath.documentID()).start(at: ["a/b/c/d"])
        #expect(try group.definition.structured().startAt?.values == [self.reference("a/b/c/d")])
    }

    @Test("A cursor at a document names one position")
    func documentCursors() throws {
        let document = try self.snapshot("cities/SF", ["a": 5, "b": ["c": "x"]])
        let query = self.cities.order(by: "b.c").whereField("a", isGreaterThan: 1).end(atDocument: document)
        let structured = try query.definition.structured()
        #expect(structured.endAt?.values == [.string("x"), .integer(5), self.reference("cities/SF")])
        #expect(structured.orderBy.count == 3)
        #expect(self.cities.start(afterDocument: document).definition.start?.values == [self.reference("cities/SF")])
        #expect(self.cities.start(atDocument: document).definition.start?.isInclusive == true)
        #expect(self.cities.end(beforeDocument: document).definition.end?.isInclusive == false)
    }

    @Test("A document that has no place in the order is no cursor")
    func documentCursorsRefused() throws {
        let reader = CursorReader(self.cities.order(by: "a").reader)
        #expect(throws: UsageError.self) { try reader.values(of: try self.snapshot("cities/SF", nil)) }
        #expect(throws: UsageError.self) { try reader.values(of: try self.snapshot("cities/SF", ["b": 1])) }
        let time = BrasaDocuments.Timestamp(microseconds: 1)
        let pending = EncodedFields(encoding: [
            Value.MapEntry(key: "a", value: PendingTimestamp(localWriteTime: time, replacing: nil).value)
        ])
        let document = DocumentSnapshot(
            reference: self.cities.document("SF"),
            fields: pending,
            metadata: SnapshotMetadata(hasPendingWrites: true, isFromCache: true)
        )
        #expect(throws: UsageError.self) { try reader.values(of: document) }
    }

    @Test("Cursors' values must fit the orders")
    func cursorsRefused() {
        let byName = CursorReader(self.cities.order(by: FieldPath.documentID()).reader)
        for values in [["a", "b"], [1], ["a/b"], [""]] as [[Any]] {
            #expect(throws: UsageError.self, "\(values)") { try byName.values(values) }
        }
        let group = CursorReader(self.database.collectionGroup("c").order(by: FieldPath.documentID()).reader)
        #expect(throws: UsageError.self) { try group.values(["a"]) }
        let byField = CursorReader(self.cities.order(by: "a").reader)
        #expect(throws: UsageError.self) { try byField.values([FieldValue.serverTimestamp()]) }
    }

    @Test("Documents' IDs are compared as references")
    func documentIDs() throws {
        let path = FieldPath.documentID()
        let expected = StructuredQuery.Filter.field(.documentName, .equal, self.reference("cities/SF"))
        #expect(self.cities.whereField(path, isEqualTo: "SF").definition.filters == [expected])
        #expect(self.cities.whereField(path, isEqualTo: self.cities.document("SF")).definition.filters == [expected])
        let group = self.database.collectionGroup("cities")
        #expect(group.whereField(path, isEqualTo: "cities/SF").definition.filters == [expected])
        let list = self.cities.whereField(path, in: ["SF", "LA"]).definition.filters
        #expect(
            list == [.field(.documentName, .in, .array([self.reference("cities/SF"), self.reference("cities/LA")]))]
        )
        for (reader, operand) in [
            (self.cities.reader, ""), (self.cities.reader, "a/b"), (self.cities.reader, 1), (group.reader, "a"),
            (group.reader, "a/b/c"),
        ] as [(FilterReader, Any)] {
            #expect(throws: UsageError.self, "\(operand)") { try reader.field(.documentName, .equal, operand) }
            #expect(throws: UsageError.self, "\(operand)") { try reader.field(.documentName, .in, [operand]) }
        }
        #expect(throws: UsageError.self) { try self.cities.reader.field(.documentName, .arrayContains, "SF") }
        #expect(throws: UsageError.self) { try self.cities.reader.field(.documentName, .arrayContainsAny, ["SF"]) }
    }

    @Test("Operators that cannot be together are refused, in composites too")
    func conflicts() {
        let notEqual = Filter.whereField("a", isNotEqualTo: 1)
        let notIn = Filter.whereField("a", notIn: [1])
        let isIn = Filter.whereField("b", in: [1])
        let any = Filter.whereField("b", arrayContainsAny: [1])
        let refused = [
            (notEqual, notEqual), (notIn, notIn), (notIn, notEqual), (notEqual, notIn), (notIn, isIn), (isIn, notIn),
            (any, notIn), (notIn, any), (Filter.whereField("a", isNotEqualTo: NSNull()), notIn),
            (Filter.orFilter([isIn, Filter.whereField("c", isEqualTo: 1)]), notIn),
        ]
        for (first, second) in refused {
            #expect(throws: UsageError.self) { try self.add(first, second) }
            #expect(throws: UsageError.self) { try self.add(.andFilter([first, second])) }
        }
        for (first, second) in [(isIn, any), (any, any), (isIn, isIn), (isIn, notEqual), (any, notEqual)] {
            #expect(throws: Never.self) { try self.add(first, second) }
        }
    }

    private func add(_ filters: Filter...) throws {
        var definition = self.cities.definition
        for filter in filters {
            if let filter = try self.cities.reader.filter(filter) { try definition.add(filter) }
        }
    }

    @Test("Empty lists, bad limits and late orders are refused")
    func refused() {
        for op in [StructuredQuery.Filter.FieldOperator.in, .notIn, .arrayContainsAny] {
            #expect(throws: UsageError.self) { try self.cities.reader.field(self.path("a"), op, [Any]()) }
        }
        #expect(throws: UsageError.self) { try self.cities.reader.field(self.path("a"), .arrayContainsAny, [[1]]) }
        var definition = self.cities.definition
        #expect(throws: UsageError.self) { try definition.limit(to: 0, .first) }
        #expect(throws: UsageError.self) { try definition.limit(to: -1, .last) }
        #expect(self.cities.limit(to: Int(Int32.max) + 1).definition.limit == nil)
        definition.start(at: QueryDefinition.Bound(values: [], isInclusive: true))
        #expect(throws: UsageError.self) {
            try definition.add(StructuredQuery.Order(field: self.path("a"), direction: .ascending))
        }
    }

    @Test("Queries are equal by content and database")
    func equality() {
        let query = self.cities.whereField("a", isEqualTo: 1).order(by: "b").limit(to: 5)
        #expect(query == self.cities.whereField("a", isEqualTo: 1).order(by: "b").limit(to: 5))
        #expect(query != self.cities.whereField("a", isEqualTo: 1).order(by: "b").limit(toLast: 5))
        #expect(query != Databases.new().collection("cities").whereField("a", isEqualTo: 1).order(by: "b").limit(to: 5))
    }

}
