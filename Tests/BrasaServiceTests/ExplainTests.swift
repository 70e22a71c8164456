import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaQueries
import BrasaSimulation
import BrasaStore
import BrasaWire
import Testing

@Suite struct ExplainTests {
    let service: ServiceUnderTest
    let path: FieldPath

    init() throws {
        var store = SimulatedServer.smallStore
        store.indexBytesMax = 100_000
        self.service = try ServiceUnderTest(store: store)
        self.path = try FieldPath(parsing: "n".utf8)
    }

    private func commit(_ count: Int) throws {
        for start in stride(from: 0, to: count, by: 200) {
            let numbers = start..<min(start + 200, count)
            try self.service.commit(numbers.map { try set("c/\(10_000 + $0)", [("n", .integer(Int64($0)))]) })
        }
    }

    private func run(
        analyze: Bool,
        _ consistency: ReadConsistency = .strong,
        _ change: (inout StructuredQuery) -> Void = { _ in }
    ) throws -> ServiceUnderTest.Stream<RunQueryResponse> {
        var query = StructuredQuery(from: [.init(collectionID: "c")])
        change(&query)
        let request = RunQueryRequest(
            parent: try parent(),
            query: query,
            consistency: consistency,
            explain: ExplainOptions(analyze: analyze)
        )
        return try self.service.query(request)
    }

    @Test func `A plan is one message, without documents, times and figures`() throws {
        defer { self.service.close() }
        try self.commit(3)
        let stream = try self.run(analyze: false)
        #expect(stream.messages.count == 1 && stream.status == .ok)
        #expect(stream.messages[0].document == nil && stream.messages[0].readTime == nil)
        let index = try #require(stream.messages[0].metrics?.indexesUsed?.first)
        #expect(index["query_scope"] == .text("Collection"))
        #expect(index["properties"] == .text("(__name__ ASC)"))
        #expect(stream.messages[0].metrics?.execution == nil)
    }

    @Test(arguments: [0, 1, 2, 64, 65, 200])
    func `An analysis goes with the last message`(_ count: Int) throws {
        defer { self.service.close() }
        try self.commit(count)
        let stream = try self.run(analyze: true)
        #expect(stream.status == .ok && stream.messages.count == max(count, 1))
        #expect(stream.messages.compactMap(\.document).count == count)
        #expect(stream.messages.dropLast().allSatisfy { $0.metrics == nil })
        #expect(stream.messages.allSatisfy { $0.readTime != nil })
        let execution = try #require(stream.messages.last?.metrics?.execution)
        #expect(execution.resultsReturned == Int64(count))
        #expect(execution.readOperations == Int64(max(count, 1)))
        #expect(execution.duration > .zero)
        #expect(execution.debug["documents_scanned"] == .text(UTF8Text(String(count))))
        guard case .fields(let billing) = execution.debug["billing_details"] else {
            Issue.record("no billing details")
            return
        }
        #expect(billing["documents_billable"] == .text(UTF8Text(String(count))))
        #expect(billing["min_query_cost"] == .text(count == 0 ? "1" : "0"))
    }

    @Test func `Skipped results and a new transaction keep their own messages`() throws {
        defer { self.service.close() }
        try self.commit(5)
        let stream = try self.run(analyze: true, .newTransaction(.unspecified)) { $0.offset = 3 }
        #expect(stream.messages.count == 4)
        #expect(!stream.messages[0].transaction.isEmpty && stream.messages[1].skippedResults == 3)
        #expect(stream.messages.map { $0.metrics != nil } == [false, false, false, true])
        let past = try self.run(analyze: true) { $0.offset = 9 }
        #expect(past.messages.count == 1 && past.messages[0].skippedResults == 5)
        #expect(past.messages[0].metrics?.execution?.resultsReturned == 0)
    }

    @Test func `An index that was built is named, and its figures are what was read of it`() throws {
        defer { self.service.close() }
        try self.commit(2_000)
        let query: (inout StructuredQuery) -> Void = {
            $0.filter = .field(self.path, .greaterThanOrEqual, .integer(1_990))
        }
        let scanned = try self.run(analyze: true, .strong, query)
        #expect(scanned.messages.compactMap(\.document).count == 10)
        #expect(scanned.messages.last?.metrics?.execution?.debug["documents_scanned"] == .text("2000"))
        try self.service.buildIndexes()
        let indexed = try self.run(analyze: true, .strong, query)
        #expect(indexed.messages.compactMap(\.document).paths == scanned.messages.compactMap(\.document).paths)
        let metrics = try #require(indexed.messages.last?.metrics)
        #expect(metrics.indexesUsed?.map { $0["properties"] } == [.text("(n ASC, __name__ ASC)")])
        #expect(metrics.execution?.debug["index_entries_scanned"] == .text("10"))
        #expect(metrics.execution?.debug["documents_scanned"] == .text("10"))

        let listed: ServiceUnderTest.Answer<ListIndexesResponse> = try self.service.answer { _, done in
            self.service.admin.listIndexes(ListIndexesRequest(), completion: done)
        }
        let index = try #require(try listed.get().indexes.first)
        #expect(index.database == ServiceUnderTest.database && index.collectionID == "c")
        #expect(index.properties == "(n ASC, __name__ ASC)" && index.scope == .collection && index.state == .ready)
        #expect(index.entries == 2_000 && index.bytes > 0 && index.uses >= 1)
        #expect(index.createTime != nil && index.lastUseTime != nil)
    }

    @Test func `An index that does not fit in memory is named, and listed as such`() throws {
        defer { self.service.close() }
        try self.commit(6_000)
        let query: (inout StructuredQuery) -> Void = {
            $0.filter = .field(self.path, .greaterThanOrEqual, .integer(5_990))
        }
        let scanned = try self.run(analyze: true, .strong, query)
        #expect(scanned.messages.last?.metrics?.indexesUsed?.map { $0["does_not_fit"] } == [nil])
        try self.service.buildIndexes()
        for analyze in [true, false] {
            let used = try self.run(analyze: analyze, .strong, query).messages.last?.metrics?.indexesUsed
            #expect(used?.map { $0["properties"] } == [.text("(__name__ ASC)")])
            #expect(used?.map { $0["does_not_fit"] } == [.text("(n ASC, __name__ ASC)")])
        }
        // Another query lacks nothing.
        #expect(try self.run(analyze: false).messages[0].metrics?.indexesUsed?.map { $0["does_not_fit"] } == [nil])
        let listed: ServiceUnderTest.Answer<ListIndexesResponse> = try self.service.answer { _, done in
            self.service.admin.listIndexes(ListIndexesRequest(), completion: done)
        }
        #expect(try listed.get().indexes.map(\.state) == [.doesNotFit])
        #expect(self.service.engine.store.statistics.indexes == [.doesNotFit: 1])
    }

    @Test func `An aggregation is explained in its one message`() throws {
        defer { self.service.close() }
        try self.commit(30)
        for analyze in [false, true] {
            let request = RunAggregationQueryRequest(
                parent: try parent(),
                query: StructuredAggregationQuery(
                    query: StructuredQuery(from: [.init(collectionID: "c")]),
                    aggregations: [.init(.sum(self.path))]
                ),
                explain: ExplainOptions(analyze: analyze)
            )
            let stream = try self.service.aggregate(request)
            #expect(stream.messages.count == 1 && stream.status == .ok)
            #expect((stream.messages[0].result != nil) == analyze && (stream.messages[0].readTime != nil) == analyze)
            #expect(stream.messages[0].metrics?.indexesUsed?.isEmpty == false)
            let execution = stream.messages[0].metrics?.execution
            #expect(execution?.resultsReturned == (analyze ? 1 : nil))
            #expect(execution?.debug["documents_scanned"] == (analyze ? .text("30") : nil))
        }
    }
}
