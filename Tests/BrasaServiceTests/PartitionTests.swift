import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaQueries
import BrasaStatus
import BrasaWire
import Testing

@testable import BrasaService

@Suite struct PartitionTests {
    let service: ServiceUnderTest

    init() throws {
        self.service = try ServiceUnderTest()
    }

    private func request(
        _ count: Int64,
        pageSize: Int32 = 0,
        token: UTF8Text = ""
    ) throws -> PartitionQueryRequest {
        PartitionQueryRequest(
            parent: try parent(),
            query: StructuredQuery(from: [.init(collectionID: "c", allDescendants: true)]),
            partitionCount: count,
            pageToken: token,
            pageSize: pageSize
        )
    }

    private func run(_ request: PartitionQueryRequest) throws -> ServiceUnderTest.Answer<PartitionQueryResponse> {
        try self.service.answer { stub, done in stub.partitionQuery(request, completion: done) }
    }

    private func points(_ response: PartitionQueryResponse) -> [String] {
        response.partitions.compactMap { cursor in
            guard case .reference(let name)? = cursor.values.first, cursor.values.count == 1, cursor.before else {
                return nil
            }
            return name.path.string
        }
    }

    private func commit(_ count: Int) throws {
        for start in stride(from: 0, to: count, by: 200) {
            let numbers = start..<min(start + 200, count)
            try self.service.commit(numbers.map { try set("p/\($0 % 7)/c/\(10_000 + $0)") })
        }
    }

    @Test func `The runs between the cursors are all documents, each once`() throws {
        defer { self.service.close() }
        try self.commit(2_000)
        let response = try self.run(self.request(5)).get()
        let points = self.points(response)
        #expect(points.count == response.partitions.count && !points.isEmpty && points.count <= 5)
        #expect(response.nextPageToken == "" && points == points.sorted())
        var found: [String] = []
        let bounds = [nil] + response.partitions.map(Optional.some) + [nil]
        for (start, end) in zip(bounds, bounds.dropFirst()) {
            let query = StructuredQuery(
                from: [.init(collectionID: "c", allDescendants: true)],
                orderBy: [.init(field: .documentName)],
                startAt: start,
                endAt: end
            )
            let run = try self.service.query(RunQueryRequest(parent: try parent(), query: query))
                .messages.compactMap(\.document).paths
            // Even, within what the store promises: no run has more than half of everything.
            #expect(!run.isEmpty && run.count < 1_000)
            found += run
        }
        #expect(found.count == 2_000 && Set(found).count == 2_000)
    }

    @Test(arguments: [1, 2, 3, 100])
    func `Pages are the whole in parts, and a full last one has no token`(_ size: Int32) throws {
        defer { self.service.close() }
        try self.commit(2_000)
        let whole = self.points(try self.run(self.request(6)).get())
        var found: [String] = []
        var token: UTF8Text = ""
        repeat {
            let page = try self.run(self.request(6, pageSize: size, token: token)).get()
            #expect(!page.partitions.isEmpty && page.partitions.count <= Int(size))
            found += self.points(page)
            token = page.nextPageToken
        } while token != ""
        #expect(found == whole)
    }

    @Test func `A token is good for its own request only`() throws {
        defer { self.service.close() }
        try self.commit(2_000)
        let token = try self.run(self.request(6, pageSize: 1)).get().nextPageToken
        #expect(token != "")
        let invalid = GRPCStatus(.invalidArgument, "invalid page token")
        #expect(try self.run(self.request(7, pageSize: 1, token: token)).status == invalid)
        #expect(try self.run(self.request(6, pageSize: 1, token: "x")).status == invalid)
        #expect(try self.run(self.request(6, pageSize: 2, token: token)).status == .ok)
    }

    @Test func `A small group has no cursors, and what cannot be is refused by its text`() throws {
        defer { self.service.close() }
        try self.service.commit([try set("c/a")])
        #expect(try self.run(self.request(6)).get().partitions.isEmpty)
        var request = try self.request(0)
        #expect(
            try self.run(request).status
                == GRPCStatus(.invalidArgument, "Partition count must be greater than zero.")
        )
        request = try self.request(6, pageSize: -1)
        #expect(try self.run(request).status == GRPCStatus(.invalidArgument, "Page size must be nonnegative."))
        request = try self.request(6)
        request.query = nil
        #expect(try self.run(request).status == GRPCStatus(.invalidArgument, "Query is required."))
    }
}
