import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaQueries
import BrasaStatus
import BrasaWire
import Testing

@Suite struct AggregationTests {
    private typealias Aggregation = StructuredAggregationQuery.Aggregation
    let service: ServiceUnderTest
    let path: FieldPath

    init() throws {
        self.service = try ServiceUnderTest()
        self.path = try FieldPath(parsing: "n".utf8)
    }

    private func run(
        _ aggregations: [Aggregation],
        _ query: StructuredQuery? = StructuredQuery(from: [.init(collectionID: "c")]),
        _ consistency: ReadConsistency = .strong
    ) throws -> ServiceUnderTest.Stream<RunAggregationQueryResponse> {
        try self.service.aggregate(
            RunAggregationQueryRequest(
                parent: try parent(),
                query: StructuredAggregationQuery(query: query, aggregations: aggregations),
                consistency: consistency
            )
        )
    }

    /// The only message's result, by alias.
    private func results(
        _ aggregations: [Aggregation],
        _ query: StructuredQuery? = StructuredQuery(from: [.init(collectionID: "c")])
    ) throws -> [String: Value] {
        let stream = try self.run(aggregations, query)
        #expect(stream.status == .ok && stream.messages.count == 1 && stream.messages[0].readTime != nil)
        let fields = try #require(stream.messages.first?.result)
        return Dictionary(uniqueKeysWithValues: fields.map { ($0.alias.string, $0.value) })
    }

    private func commit(_ count: Int) throws {
        for start in stride(from: 0, to: count, by: 200) {
            let numbers = start..<min(start + 200, count)
            try self.service.commit(numbers.map { try set("c/\(10_000 + $0)", [("n", .integer(Int64($0)))]) })
        }
    }

    @Test func `Several aggregations are answered together, in one message`() throws {
        defer { self.service.close() }
        try self.commit(1_000)
        let results = try self.results([
            .init(.count(upTo: nil)), .init(.sum(self.path), alias: "total"), .init(.average(self.path)),
        ])
        #expect(results == ["field_1": .integer(1_000), "total": .integer(499_500), "field_2": .double(499.5)])
    }

    @Test func `Nothing sums to zero and has no average`() throws {
        defer { self.service.close() }
        for limit in [nil, 0] as [Int32?] {
            let query = StructuredQuery(from: [.init(collectionID: "c")], limit: limit)
            let results = try self.results([.init(.sum(self.path)), .init(.average(self.path))], query)
            #expect(results == ["field_1": .integer(0), "field_2": .null])
        }
    }

    @Test(
        arguments: [
            (nil, 0, nil, 3_000), (2, 0, nil, 2), (0, 0, nil, 0), (nil, 0, 1_500, 1_500), (nil, 2_990, nil, 10),
            (nil, 2_990, 4, 4), (3, 2_990, 4, 3), (nil, 5_000, nil, 0), (5_000, 0, nil, 3_000),
        ] as [(Int64?, Int32, Int32?, Int64)]
    )
    func `Counting minds offset, limit and bound`(
        _ upTo: Int64?,
        _ offset: Int32,
        _ limit: Int32?,
        _ expected: Int64
    ) throws {
        defer { self.service.close() }
        try self.commit(3_000)
        let query = StructuredQuery(from: [.init(collectionID: "c")], offset: offset, limit: limit)
        #expect(try self.results([.init(.count(upTo: upTo))], query) == ["field_1": .integer(expected)])
    }

    /// The index that the first time asks for answers the others.
    @Test(arguments: [1, 3])
    func `A limit and an offset take what is summed from the smallest on`(_ times: Int) throws {
        defer { self.service.close() }
        let numbers: [Int64] = [5, 4, 3, 2, 1, 0]
        try self.service.commit(
            try numbers.enumerated().map { try set("c/\($0)", [("n", .integer($1)), ("m", .integer(-$1))]) }
                + [try set("c/none"), try set("c/text", [("n", .string("")), ("m", .integer(-100))])]
        )
        let other = try FieldPath(parsing: "m".utf8)
        let sum = Aggregation(.sum(self.path), alias: "sum")
        let cases: [(asked: [Aggregation], offset: Int32, limit: Int32?, sum: Int64, count: Int64?)] = [
            ([sum], 0, 3, 3, nil), ([sum], 2, 2, 5, nil), ([sum], 4, nil, 9, nil), ([sum], 0, 100, 15, nil),
            ([sum, .init(.count(upTo: nil), alias: "n")], 1, 2, 3, 2),
            // By `m` first, then by `n`.
            ([sum, .init(.sum(other), alias: "m")], 0, 2, 5, nil),
        ]
        for _ in 0..<times {
            for (asked, offset, limit, total, count) in cases {
                let query = StructuredQuery(from: [.init(collectionID: "c")], offset: offset, limit: limit)
                let results = try self.results(asked, query)
                #expect(results["sum"] == .integer(total))
                #expect(results["n"] == count.map { .integer($0) })
            }
            try self.service.buildIndexes()
        }
    }

    @Test func `Documents of any collection are summed from the smallest on`() throws {
        defer { self.service.close() }
        try self.service.commit(try (0..<6).map { try set("c\($0)/d", [("n", .integer(Int64(5 - $0)))]) })
        let query = StructuredQuery(from: [.init(collectionID: "", allDescendants: true)], limit: 2)
        #expect(try self.results([.init(.sum(self.path))], query) == ["field_1": .integer(1)])
    }

    @Test func `Without a query every child of the parent counts`() throws {
        defer { self.service.close() }
        try self.service.commit([try set("a/1"), try set("b/1"), try set("a/1/c/1")])
        #expect(try self.results([.init(.count(upTo: nil))], nil) == ["field_1": .integer(2)])
    }

    @Test func `The nearest documents are aggregated, not all`() throws {
        defer { self.service.close() }
        try self.service.commit((0..<9).map { try set("c/\($0)", [("n", .vector([Double($0)]))]) })
        let query = StructuredQuery(
            from: [.init(collectionID: "c")],
            findNearest: .init(
                vectorField: self.path,
                queryVector: .vector([0]),
                distanceMeasure: .euclidean,
                limit: 4,
                distanceResultField: "d"
            )
        )
        let distance = try FieldPath(parsing: "d".utf8)
        let results = try self.results([.init(.count(upTo: nil)), .init(.sum(distance))], query)
        #expect(results == ["field_1": .integer(4), "field_2": .double(6)])
    }

    @Test func `What cannot be is refused by its text`() throws {
        defer { self.service.close() }
        let none = try self.run([])
        #expect(none.status == GRPCStatus(.invalidArgument, "Aggregations can not be empty."))
        let request = RunAggregationQueryRequest(parent: try parent(), query: nil)
        let stream = try self.service.aggregate(request)
        #expect(
            stream.messages.isEmpty
                && stream.status == GRPCStatus(.invalidArgument, "Only structured aggregation queries are supported.")
        )
    }

    @Test func `A new transaction is told with the result, and holds what was counted`() throws {
        defer { self.service.close() }
        try self.commit(3)
        let stream = try self.run(
            [.init(.count(upTo: nil))],
            StructuredQuery(from: [.init(collectionID: "c")]),
            .newTransaction(.readWrite(retry: []))
        )
        #expect(stream.messages.count == 1)
        let transaction = stream.messages[0].transaction
        #expect(!transaction.isEmpty && stream.messages[0].result?.first?.value == .integer(3))
        let phantom = try self.service.tryCommit([try set("c/new")])
        #expect(phantom.results.isEmpty)
        try self.service.commit([], transaction: transaction)
        #expect(phantom.status == .ok)
    }

    @Test func `Behind a limit that ended the count others may write`() throws {
        defer { self.service.close() }
        try self.commit(10)
        let transaction = try self.service.begin()
        let query = StructuredQuery(
            from: [.init(collectionID: "c")],
            orderBy: [.init(field: self.path)],
            limit: 4
        )
        let stream = try self.run([.init(.count(upTo: nil))], query, .transaction(transaction))
        #expect(stream.messages.first?.result?.first?.value == .integer(4))
        #expect(try self.service.tryCommit([try set("c/x", [("n", .integer(4))])]).status == .ok)
        let before = try self.service.tryCommit([try set("c/y", [("n", .integer(2))])])
        #expect(before.results.isEmpty)
        try self.service.commit([], transaction: transaction)
        #expect(before.status == .ok)
    }
}
