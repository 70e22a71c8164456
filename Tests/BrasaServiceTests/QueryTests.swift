import BrasaDocuments
import BrasaGRPC
import BrasaQueries
import BrasaWire
import Testing

@testable import BrasaService

@Suite struct QueryTests {
    private typealias Refusal = (query: StructuredQuery, status: GRPCStatus)
    let service: ServiceUnderTest

    init() throws {
        self.service = try ServiceUnderTest()
    }

    private static func all(_ change: (inout StructuredQuery) -> Void = { _ in }) -> StructuredQuery {
        var query = StructuredQuery(from: [.init(collectionID: "c")])
        change(&query)
        return query
    }

    private func run(_ query: StructuredQuery?, _ consistency: ReadConsistency = .strong) throws
        -> ServiceUnderTest.Stream<RunQueryResponse>
    {
        try self.service.query(RunQueryRequest(parent: try parent(), query: query, consistency: consistency))
    }

    private func paths(_ query: StructuredQuery) throws -> [String] {
        try self.run(query).messages.compactMap(\.document).paths
    }

    // MARK: What is refused

    @Test func `What is not built is UNIMPLEMENTED, what is wrong is INVALID_ARGUMENT, each by its text`() throws {
        defer { self.service.close() }
        let path = try FieldPath(parsing: "n".utf8)
        let key = try FieldPath(parsing: "__name__".utf8)
        let name = StructuredQuery.Filter.field(key, .greaterThan, .reference(try name("c/a")))
        let cases: [Refusal] = [
            (
                Self.all { $0.filter = .field(path, .equal, .integer(1)) },
                GRPCStatus(.unimplemented, "Filters on field values are not supported yet.")
            ),
            (
                Self.all { $0.orderBy = [StructuredQuery.Order(field: path)] },
                GRPCStatus(.unimplemented, "Orders by field values are not supported yet.")
            ),
            (
                Self.all { $0.filter = .composite(.or, [name, name]) },
                GRPCStatus(.unimplemented, "Queries with OR are not supported yet.")
            ),
            (
                Self.all { $0.filter = .composite(.or, []) },
                GRPCStatus(.invalidArgument, "Composite filter must have at least one sub-filter.")
            ),
            (
                Self.all { $0.filter = .composite(.unspecified, [name]) },
                GRPCStatus(.invalidArgument, "Unsupported CompositeFilter operator.")
            ),
            (
                Self.all { $0.filter = .field(key, .unspecified, .null) },
                GRPCStatus(.invalidArgument, "Unknown FieldFilter operator.")
            ),
            (
                Self.all { $0.filter = .unary(path, .unspecified) },
                GRPCStatus(.invalidArgument, "Unknown UnaryFilter operator.")
            ),
            (
                Self.all { $0.filter = .unary(path, .isNull) },
                GRPCStatus(.unimplemented, "Queries with a filter on n are not supported yet.")
            ),
            (
                Self.all { $0.filter = .field(key, .equal, .integer(1)) },
                GRPCStatus(.invalidArgument, "__key__ filter value must be a Key")
            ),
            (
                Self.all {
                    $0.findNearest = StructuredQuery.FindNearest(
                        vectorField: nil,
                        queryVector: nil,
                        distanceMeasure: .cosine,
                        limit: nil
                    )
                },
                GRPCStatus(.unimplemented, "Queries with find_nearest are not supported yet.")
            ),
            (Self.all { $0.limit = -1 }, GRPCStatus(.invalidArgument, "limit is negative")),
            (Self.all { $0.offset = -1 }, GRPCStatus(.invalidArgument, "offset is negative")),
            (
                Self.all { $0.from.append(.init(collectionID: "d")) },
                GRPCStatus(.invalidArgument, "StructuredQuery.from cannot have more than one collection selector.")
            ),
        ]
        for refusal in cases {
            let stream = try self.run(refusal.query)
            #expect(stream.messages.isEmpty && stream.status == refusal.status)
        }
        #expect(try self.run(nil).status == GRPCStatus(.invalidArgument, "only structured queries are supported"))
    }

    @Test func `Filters on names are bounds, however they are nested`() throws {
        defer { self.service.close() }
        try self.service.commit(["a", "b", "c", "d"].map { try set("c/\($0)") })
        let key = try FieldPath(parsing: "__name__".utf8)
        let low = StructuredQuery.Filter.field(key, .greaterThan, .reference(try name("c/a")))
        let high = StructuredQuery.Filter.field(key, .lessThanOrEqual, .reference(try name("c/c")))
        let nested = StructuredQuery.Filter.composite(.and, [.composite(.or, [low]), .unset, .composite(.and, [high])])
        #expect(try self.paths(Self.all { $0.filter = nested }) == ["c/b", "c/c"])
    }

    // MARK: The stream

    @Test func `Documents come one a message, all with one read time`() throws {
        defer { self.service.close() }
        let commit = try self.service.commit(["b", "a"].map { try set("c/\($0)", [("n", .integer(1))]) })
        let stream = try self.run(Self.all())
        #expect(stream.status == .ok)
        #expect(stream.messages.compactMap(\.document).paths == ["c/a", "c/b"])
        #expect(Set(stream.messages.map(\.readTime)).count == 1)
        #expect(stream.messages[0].readTime ?? .earliest >= commit.commitTime ?? .latest)
    }

    @Test func `An empty result is one message with the read time`() throws {
        defer { self.service.close() }
        for query in [Self.all(), Self.all { $0.limit = 0 }] {
            let stream = try self.run(query)
            #expect(stream.messages.count == 1 && stream.status == .ok)
            #expect(stream.messages[0].readTime != nil && stream.messages[0].document == nil)
        }
    }

    @Test(arguments: [(1, 2, 2), (3, 3, 0), (9, 3, 0), (2_500, 3, 0)] as [(Int32, Int32, Int)])
    func `An offset is answered first with how many were passed over`(
        _ offset: Int32,
        _ limit: Int32,
        _ expected: Int
    ) throws {
        defer { self.service.close() }
        try self.service.commit(["a", "b", "c"].map { try set("c/\($0)") })
        let stream = try self.run(
            Self.all {
                $0.offset = offset
                $0.limit = limit
            }
        )
        #expect(stream.messages.first?.skippedResults == min(offset, 3))
        #expect(stream.messages.first?.document == nil && stream.messages.first?.readTime != nil)
        #expect(stream.messages.dropFirst().compactMap(\.document).count == expected)
        #expect(stream.messages.count == expected + 1 && stream.status == .ok)
    }

    @Test func `A long offset passes over everything in turns`() throws {
        defer { self.service.close() }
        for start in stride(from: 0, to: 3_000, by: 500) {
            try self.service.commit((start..<(start + 500)).map { try set("c/\(10_000 + $0)") })
        }
        let stream = try self.run(Self.all { $0.offset = 2_990 })
        #expect(stream.messages[0].skippedResults == 2_990)
        #expect(stream.messages.count == 11)
    }

    @Test func `A projection without fields keeps names and times`() throws {
        defer { self.service.close() }
        try self.service.commit([try set("c/a", [("n", .integer(1))])])
        let stream = try self.run(Self.all { $0.select = [] })
        #expect(stream.messages[0].document?.document?.fields == .empty)
        #expect(stream.messages[0].document?.document?.createTime.microseconds ?? 0 > 0)
    }

    @Test func `A new transaction is told alone, and first`() throws {
        defer { self.service.close() }
        try self.service.commit([try set("c/a")])
        let stream = try self.run(Self.all(), .newTransaction(.readWrite(retry: [])))
        #expect(stream.messages.count == 2)
        #expect(!stream.messages[0].transaction.isEmpty)
        #expect(stream.messages[0].readTime == nil && stream.messages[0].document == nil)
        #expect(stream.messages[1].transaction.isEmpty && stream.messages[1].document != nil)
        // It is a transaction like any other.
        try self.service.commit([try set("c/b")], transaction: stream.messages[0].transaction)
    }

    @Test func `Bytes that are no transaction are refused`() throws {
        defer { self.service.close() }
        for bytes in [[], [1], [UInt8](repeating: 9, count: 16)] as [[UInt8]] {
            #expect(try self.run(Self.all(), .transaction(bytes)).status?.message == "Invalid transaction.")
        }
    }

    @Test func `Behind a limit others may write, before it they wait`() throws {
        defer { self.service.close() }
        try self.service.commit(["a", "b", "c"].map { try set("c/\($0)") })
        let transaction = try self.service.begin()
        let query = Self.all { $0.limit = 2 }
        #expect(try self.run(query, .transaction(transaction)).messages.compactMap(\.document).count == 2)
        let behind = try self.service.tryCommit([try set("c/c")])
        #expect(behind.status == .ok)
        let before = try self.service.tryCommit([try set("c/aa")])
        #expect(before.results.isEmpty)
        try self.service.commit([], transaction: transaction)
        #expect(before.status == .ok)
    }
}
