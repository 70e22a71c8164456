import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaQueries
import BrasaStatus
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

    @Test func `A wrong query is refused by its text, before anything is sent`() throws {
        defer { self.service.close() }
        let path = try FieldPath(parsing: "v".utf8)
        let zero = StructuredQuery.FindNearest(
            vectorField: path,
            queryVector: .vector([0, 0]),
            distanceMeasure: .cosine,
            limit: 3
        )
        let cases: [Refusal] = [
            (
                Self.all { $0.filter = .composite(.or, []) },
                GRPCStatus(.invalidArgument, "Composite filter must have at least one sub-filter.")
            ),
            (Self.all { $0.limit = -1 }, GRPCStatus(.invalidArgument, "limit is negative")),
            (
                Self.all { $0.findNearest = zero },
                GRPCStatus(
                    .failedPrecondition,
                    "Cannot compute cosine distance against a vector with a magnitude of zero."
                )
            ),
        ]
        for refusal in cases {
            let stream = try self.run(refusal.query, .newTransaction(.unspecified))
            #expect(stream.messages.isEmpty && stream.status == refusal.status)
        }
        #expect(try self.run(nil).status == GRPCStatus(.invalidArgument, "only structured queries are supported"))
    }

    @Test func `Filters on names are bounds, however they are nested`() throws {
        defer { self.service.close() }
        try self.service.commit(["a", "b", "c", "d"].map { try set("c/\($0)") })
        let key = FieldPath.documentName
        let low = StructuredQuery.Filter.field(key, .greaterThan, .reference(try name("c/a")))
        let high = StructuredQuery.Filter.field(key, .lessThanOrEqual, .reference(try name("c/c")))
        let nested = StructuredQuery.Filter.composite(.and, [.composite(.or, [low]), .composite(.and, [high])])
        #expect(try self.paths(Self.all { $0.filter = nested }) == ["c/b", "c/c"])
    }

    @Test func `Filter, order, offset, limit and projection work together`() throws {
        defer { self.service.close() }
        try self.service.commit((0..<200).map { try set("c/\($0)", [("n", .integer(Int64($0))), ("m", .null)]) })
        let path = try FieldPath(parsing: "n".utf8)
        let stream = try self.run(
            Self.all {
                $0.filter = .field(path, .lessThan, .integer(150))
                $0.orderBy = [.init(field: path, direction: .descending)]
                $0.offset = 100
                $0.limit = 3
                $0.select = [path]
            }
        )
        #expect(stream.messages.first?.skippedResults == 100)
        let documents = stream.messages.compactMap(\.document)
        #expect(documents.paths == ["c/49", "c/48", "c/47"])
        #expect(documents[0].document?.fields == fields([("n", .integer(49))]))
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

    @Test func `A transaction holds what its query found, and nothing else`() throws {
        defer { self.service.close() }
        try self.service.commit((1...4).map { try set("c/\($0)", [("n", .integer(Int64($0)))]) })
        let path = try FieldPath(parsing: "n".utf8)
        let transaction = try self.service.begin()
        let query = Self.all {
            $0.filter = .field(path, .greaterThan, .integer(1))
            $0.orderBy = [.init(field: path)]
            $0.limit = 2
        }
        #expect(try self.run(query, .transaction(transaction)).messages.compactMap(\.document).paths == ["c/2", "c/3"])
        // Neither a document that the filter leaves out nor one behind the limit.
        #expect(try self.service.tryCommit([try set("c/1", [("n", .integer(0))])]).status == .ok)
        #expect(try self.service.tryCommit([try set("c/5", [("n", .integer(5))])]).status == .ok)
        let phantom = try self.service.tryCommit([try set("c/6", [("n", .double(2.5))])])
        #expect(phantom.results.isEmpty)
        try self.service.commit([], transaction: transaction)
        #expect(phantom.status == .ok)
    }

    // MARK: Nearest neighbours

    @Test func `The nearest come first, with their distance if it is asked for`() throws {
        defer { self.service.close() }
        try self.service.commit((0..<700).map { try set("c/\($0)", [("v", .vector([Double($0), 0]))]) })
        try self.service.commit([try set("c/none", [("v", .vector([1]))])])
        let distance = try FieldPath(parsing: "d".utf8)
        let path = try FieldPath(parsing: "v".utf8)
        let stream = try self.run(
            Self.all {
                $0.findNearest = .init(
                    vectorField: path,
                    queryVector: .vector([300, 4]),
                    distanceMeasure: .euclidean,
                    limit: 3,
                    distanceResultField: "d"
                )
                $0.select = [distance]
            }
        )
        let documents = stream.messages.compactMap(\.document)
        #expect(documents.paths == ["c/300", "c/299", "c/301"])
        #expect(documents[0].document?.fields == fields([("d", .double(4))]))
        #expect(stream.status == .ok && documents[0].document?.createTime.microseconds ?? 0 > 0)
    }

    @Test func `A stored vector without direction ends a comparison of directions`() throws {
        defer { self.service.close() }
        try self.service.commit([try set("c/a", [("v", .vector([0, 0]))])])
        let path = try FieldPath(parsing: "v".utf8)
        let stream = try self.run(
            Self.all {
                $0.findNearest = .init(
                    vectorField: path,
                    queryVector: .vector([1, 0]),
                    distanceMeasure: .cosine,
                    limit: 3
                )
            }
        )
        #expect(stream.messages.isEmpty && stream.status?.code == .failedPrecondition)
    }
}
