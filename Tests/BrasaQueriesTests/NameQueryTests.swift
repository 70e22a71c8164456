import BrasaDocuments
import BrasaQueries
import Testing

struct NameQueryTests {
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

    private func selector(_ id: String, group: Bool = false) -> CollectionSelector {
        CollectionSelector(collectionID: UTF8Text(id), allDescendants: group)
    }

    private func found(_ query: NameQuery) throws -> [String] {
        let paths = try Self.everything.map { try ResourcePath(parsing: Array($0.utf8)) }.filter(query.range.contains)
            .sorted()
        return (query.isDescending ? paths.reversed() : paths).map(\.string)
    }

    private func refusal(_ body: () throws(QueryError) -> NameQuery) -> QueryError? {
        do throws(QueryError) {
            _ = try body()
            return nil
        } catch {
            return error
        }
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
        let query = try NameQuery(parent: self.parent(parent), from: [self.selector(id, group: group)])
        #expect(try self.found(query) == expected)
    }

    @Test func `No selector means every direct child document`() throws {
        let query = try NameQuery(parent: self.parent("a/1"), from: [])
        #expect(try self.found(query) == ["a/1/b/1", "a/1/b/2"])
    }

    @Test(arguments: [
        (true, true, ["a/1"]), (true, false, ["a/1", "a/2"]), (false, true, []), (false, false, ["a/2"]),
    ])
    func `Cursors include or exclude their position`(startBefore: Bool, endBefore: Bool, expected: [String]) throws {
        for isDescending in [false, true] {
            let query = try NameQuery(
                parent: self.parent(),
                from: [self.selector("a")],
                orders: [QueryOrder(path: .documentName, isDescending: isDescending)],
                startAt: QueryCursor(values: [self.reference(isDescending ? "a/2" : "a/1")], isBefore: startBefore),
                endAt: QueryCursor(values: [self.reference(isDescending ? "a/1" : "a/2")], isBefore: endBefore)
            )
            let mirrored = ["a/1": "a/2", "a/2": "a/1"]
            #expect(try self.found(query) == (isDescending ? expected.map { mirrored[$0] ?? $0 } : expected))
        }
    }

    @Test func `Filters on names narrow the range`() throws {
        func found(_ comparison: QueryFilter.Comparison, _ path: String) throws -> [String] {
            try self.found(
                NameQuery(
                    parent: self.parent(),
                    from: [self.selector("a")],
                    filters: [QueryFilter(path: .documentName, comparison: comparison, value: self.reference(path))]
                )
            )
        }
        #expect(try found(.equal, "a/1") == ["a/1"])
        #expect(try found(.greaterThan, "a/1") == ["a/2", "a/é"])
        #expect(try found(.greaterThanOrEqual, "a/1") == ["a/1", "a/2", "a/é"])
        #expect(try found(.lessThan, "a/1") == ["a/__id3__"])
        #expect(try found(.lessThanOrEqual, "a/1") == ["a/__id3__", "a/1"])
    }

    @Test func `The bounds of a recursive delete select one collection and what is below it`() throws {
        let lowest = "__id-9223372036854775808__"
        let query = try NameQuery(
            parent: self.parent(),
            from: [self.selector("", group: true)],
            filters: [
                QueryFilter(path: .documentName, comparison: .greaterThanOrEqual, value: self.reference("a/\(lowest)")),
                QueryFilter(path: .documentName, comparison: .lessThan, value: self.reference("a\u{0}/\(lowest)")),
            ]
        )
        #expect(try self.found(query) == ["a/__id3__", "a/1", "a/1/b/1", "a/1/b/2", "a/1/b/2/c/1", "a/2", "a/é"])
    }

    @Test func `Limit, offset and projection are kept, and an empty cursor bounds nothing`() throws {
        let query = try NameQuery(
            parent: self.parent(),
            from: [self.selector("a")],
            startAt: QueryCursor(values: [], isBefore: false),
            offset: 3,
            limit: 0,
            select: []
        )
        #expect(query.limit == 0)
        #expect(query.offset == 3)
        #expect(query.projection == FieldMask([]))
        #expect(query.range.lower == nil)
        #expect(try NameQuery(parent: self.parent(), from: []).projection == nil)
    }

    @Test func `A query that breaks a rule is refused with its reason`() throws {
        let parent = try self.parent()
        let other = try DocumentName(parsing: Array("projects/p/databases/e/documents/c/d".utf8))
        let here = try self.reference("a/1")
        let a = self.selector("a")
        let byName = QueryOrder(path: .documentName, isDescending: false)
        let x = try FieldPath(parsing: Array("x".utf8))
        let byField = QueryOrder(path: x, isDescending: false)
        func cursor(_ values: Value...) -> QueryCursor { QueryCursor(values: values, isBefore: true) }
        let cases: [(String, () throws(QueryError) -> NameQuery)] = [
            (
                "StructuredQuery.from cannot have more than one collection selector.",
                { () throws(QueryError) in try NameQuery(parent: parent, from: [a, a]) }
            ),
            ("limit is negative", { () throws(QueryError) in try NameQuery(parent: parent, from: [a], limit: -1) }),
            ("offset is negative", { () throws(QueryError) in try NameQuery(parent: parent, from: [a], offset: -1) }),
            (
                #"Collection id "." is invalid because it is reserved."#,
                { () throws(QueryError) in try NameQuery(parent: parent, from: [self.selector(".")]) }
            ),
            (
                #"Collection id "a/b" is invalid because it contains "/"."#,
                { () throws(QueryError) in try NameQuery(parent: parent, from: [self.selector("a/b")]) }
            ),
            (
                "Cursor has too many values.",
                { () throws(QueryError) in
                    try NameQuery(parent: parent, from: [a], orders: [byName], startAt: cursor(here, here))
                }
            ),
            (
                "Cursor __key__ value is not a document reference.",
                { () throws(QueryError) in try NameQuery(parent: parent, from: [a], endAt: cursor(.integer(1))) }
            ),
            (
                "order by clause cannot contain more fields after the key",
                { () throws(QueryError) in try NameQuery(parent: parent, from: [a], orders: [byName, byField]) }
            ),
            (
                "order by clause cannot contain duplicate fields __key__",
                { () throws(QueryError) in try NameQuery(parent: parent, from: [a], orders: [byName, byName]) }
            ),
            (
                "kind is required for all orders except __key__ ascending",
                { () throws(QueryError) in try NameQuery(parent: parent, from: [], orders: [byField]) }
            ),
            (
                "kind is required for all orders except __key__ ascending",
                { () throws(QueryError) in
                    try NameQuery(
                        parent: parent,
                        from: [],
                        orders: [QueryOrder(path: .documentName, isDescending: true)]
                    )
                }
            ),
            (
                "kind is required for filter: x",
                { () throws(QueryError) in
                    try NameQuery(
                        parent: parent,
                        from: [],
                        filters: [QueryFilter(path: x, comparison: .equal, value: .null)]
                    )
                }
            ),
            (
                "__key__ filter value must be a Key",
                { () throws(QueryError) in
                    try NameQuery(
                        parent: parent,
                        from: [a],
                        filters: [QueryFilter(path: .documentName, comparison: .equal, value: .null)]
                    )
                }
            ),
            (
                "The request was for database 'projects/p/databases/d' but was attempting to access database 'projects/p/databases/e'",
                { () throws(QueryError) in try NameQuery(parent: parent, from: [a], startAt: cursor(.reference(other)))
                }
            ),
        ]
        for (message, body) in cases {
            let error = self.refusal(body)
            #expect(error?.message == message)
            #expect(error?.code == .invalidArgument)
        }
        let later = self.refusal { () throws(QueryError) in try NameQuery(parent: parent, from: [a], orders: [byField])
        }
        #expect(later?.code == .unimplemented)
    }

    @Test func `A page resumes behind its last document in both directions`() throws {
        let range = try NameQuery(parent: self.parent(), from: [self.selector("a")]).range
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
