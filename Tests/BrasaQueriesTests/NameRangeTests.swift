import BrasaDocuments
import BrasaQueries
import Testing

struct NameRangeTests {
    static let root = "projects/p/databases/d/documents"
    static let everything = [
        "a/1", "a/1/b/1", "a/1/b/2", "a/1/b/2/c/1", "a/2", "a/__id3__", "a/é", "a-/1", "b/1", "b/2/b/9", "c/1/a/1",
    ]

    private func parent(_ path: String = "") throws -> ParentName {
        try ParentName(parsing: Array((path.isEmpty ? Self.root : "\(Self.root)/\(path)").utf8))
    }

    private func reference(_ path: String) throws -> Value {
        .reference(try DocumentName(parsing: Array("\(Self.root)/\(path)".utf8)))
    }

    private func selector(_ id: String, group: Bool = false) -> StructuredQuery.CollectionSelector {
        .init(collectionID: UTF8Text(id), allDescendants: group)
    }

    private func filter(
        _ comparison: StructuredQuery.Filter.FieldOperator,
        _ path: String
    ) throws -> StructuredQuery.Filter {
        .field(.documentName, comparison, try self.reference(path))
    }

    private func found(_ query: Query) throws -> [String] {
        let paths = try Self.everything.map { try ResourcePath(parsing: Array($0.utf8)) }.filter(query.names.contains)
            .sorted()
        return (query.order.isNameDescending ? paths.reversed() : paths).map(\.string)
    }

    @Test(arguments: [
        ("", "a", false, ["a/__id3__", "a/1", "a/2", "a/é"]),
        ("a/1", "b", false, ["a/1/b/1", "a/1/b/2"]),
        ("", "b", true, ["a/1/b/1", "a/1/b/2", "b/1", "b/2/b/9"]),
        ("a/1", "c", true, ["a/1/b/2/c/1"]),
        ("b/2", "b", true, ["b/2/b/9"]),
        ("a/1", "", true, ["a/1/b/1", "a/1/b/2", "a/1/b/2/c/1"]),
        ("", "", false, ["a/__id3__", "a/1", "a/2", "a/é", "a-/1", "b/1"]),
        ("x/y", "a", true, []),
    ])
    func `The source decides which documents are in scope`(parent: String, id: String, group: Bool, expected: [String])
        throws
    {
        let query = try Query(StructuredQuery(from: [self.selector(id, group: group)]), parent: self.parent(parent))
        #expect(try self.found(query) == expected)
    }

    @Test func `No selector means every direct child document`() throws {
        let query = try Query(StructuredQuery(), parent: self.parent("a/1"))
        #expect(try self.found(query) == ["a/1/b/1", "a/1/b/2"])
    }

    @Test(arguments: [
        (true, true, ["a/1"]), (true, false, ["a/1", "a/2"]), (false, true, []), (false, false, ["a/2"]),
    ])
    func `Cursors include or exclude their position`(startBefore: Bool, endBefore: Bool, expected: [String]) throws {
        for isDescending in [false, true] {
            let query = try Query(
                StructuredQuery(
                    from: [self.selector("a")],
                    orderBy: [.init(field: .documentName, direction: isDescending ? .descending : .ascending)],
                    startAt: .init(values: [self.reference(isDescending ? "a/2" : "a/1")], before: startBefore),
                    endAt: .init(values: [self.reference(isDescending ? "a/1" : "a/2")], before: endBefore)
                ),
                parent: self.parent()
            )
            let mirrored = ["a/1": "a/2", "a/2": "a/1"]
            #expect(try self.found(query) == (isDescending ? expected.map { mirrored[$0] ?? $0 } : expected))
        }
    }

    @Test func `Filters on names narrow the range`() throws {
        func found(_ comparison: StructuredQuery.Filter.FieldOperator, _ path: String) throws -> [String] {
            let query = StructuredQuery(from: [self.selector("a")], filter: try self.filter(comparison, path))
            return try self.found(Query(query, parent: self.parent()))
        }
        #expect(try found(.equal, "a/1") == ["a/1"])
        #expect(try found(.greaterThan, "a/1") == ["a/2", "a/é"])
        #expect(try found(.greaterThanOrEqual, "a/1") == ["a/1", "a/2", "a/é"])
        #expect(try found(.lessThan, "a/1") == ["a/__id3__"])
        #expect(try found(.lessThanOrEqual, "a/1") == ["a/__id3__", "a/1"])
    }

    @Test func `Filters on names narrow the range to what they say together`() throws {
        func found(_ filter: StructuredQuery.Filter) throws -> [String] {
            try self.found(Query(StructuredQuery(from: [self.selector("a")], filter: filter), parent: self.parent()))
        }
        let two = try self.filter(.equal, "a/2")
        let last = try self.filter(.greaterThan, "a/1")
        let never = StructuredQuery.Filter.field(try FieldPath(names: ["f"]), .equal, .null)
        let list = StructuredQuery.Filter.field(
            .documentName,
            .in,
            .array([try self.reference("a/1"), try self.reference("a/é")])
        )
        #expect(try found(.composite(.and, [list, last])) == ["a/é"])
        #expect(try found(.composite(.or, [two, two])) == ["a/2"])
        #expect(try found(.composite(.or, [last, never])) == ["a/2", "a/é"])
        #expect(try found(.composite(.or, [two, last])) == ["a/2", "a/é"])
        #expect(
            try found(.composite(.or, [self.filter(.lessThanOrEqual, "a/1"), two])) == ["a/__id3__", "a/1", "a/2"]
        )
        #expect(try found(list) == ["a/1", "a/2", "a/é"])
    }

    @Test func `The bounds of a recursive delete select one collection and what is below it`() throws {
        let lowest = "__id-9223372036854775808__"
        let bounds = [
            try self.filter(.greaterThanOrEqual, "a/\(lowest)"), try self.filter(.lessThan, "a\u{0}/\(lowest)"),
        ]
        let query = try Query(
            StructuredQuery(from: [self.selector("", group: true)], filter: .composite(.and, bounds)),
            parent: self.parent()
        )
        #expect(try self.found(query) == ["a/__id3__", "a/1", "a/1/b/1", "a/1/b/2", "a/1/b/2/c/1", "a/2", "a/é"])
    }

    @Test func `A page resumes behind its last document in both directions`() throws {
        let range = try Query(StructuredQuery(from: [self.selector("a")]), parent: self.parent()).names
        let one = try ResourcePath(parsing: Array("a/1".utf8))
        let two = try ResourcePath(parsing: Array("a/2".utf8))
        #expect(range.resumed(after: one, isDescending: false).contains(two))
        #expect(!range.resumed(after: one, isDescending: false).contains(one))
        #expect(range.resumed(after: two, isDescending: true).contains(one))
        #expect(!range.resumed(after: two, isDescending: true).contains(two))
        #expect(range.resumed(after: one, isDescending: false).resumed(after: two, isDescending: true).isEmpty == false)
        #expect(range.resumed(after: two, isDescending: false).resumed(after: two, isDescending: true).isEmpty)
    }
}
