import BrasaDocuments
import BrasaQueries
import Testing

struct PartitionQueryTests {
    private func refusal(
        count: Int64 = 5,
        below parentPath: String = "",
        _ change: (inout StructuredQuery) throws -> Void
    ) throws -> String? {
        let query = try structured { query in
            query.from = [.init(collectionID: "c", allDescendants: true)]
            query.orderBy = [.init(field: .documentName)]
            try change(&query)
        }
        return try self.refusal(of: query, count: count, below: parentPath)
    }

    private func refusal(of query: StructuredQuery?, count: Int64, below parentPath: String) throws -> String? {
        let parent = try parent(parentPath)
        do throws(QueryError) {
            _ = try PartitionQuery(query, parent: parent, count: count)
            return nil
        } catch {
            return error.message
        }
    }

    @Test func `Only whole collection groups in the order of names are split`() throws {
        #expect(try self.refusal { _ in } == nil)
        #expect(try self.refusal { $0.orderBy = [] } == nil)
        #expect(try self.refusal(of: nil, count: 1, below: "") == "Query is required.")
        for count in [0, -1, .min] as [Int64] {
            #expect(try self.refusal(count: count) { _ in } == "Partition count must be greater than zero.")
        }
        #expect(try self.refusal(count: .max) { _ in } == nil)
        #expect(try self.refusal { $0.limit = 1 } == "Query limit is not supported.")
        #expect(try self.refusal { $0.offset = 1 } == "Query offset is not supported.")
        #expect(try self.refusal { $0.select = [] } == "Property masks are not supported.")
        #expect(
            try self.refusal { $0.endAt = .init(values: [], before: true) } == "Query cursors are not supported."
        )
        #expect(
            try self.refusal { $0.from = [.init(collectionID: "c")] } == "Query must select all descendant collections."
        )
        #expect(try self.refusal(below: "x/y") { _ in } == "Ancestor queries are not supported.")
        #expect(
            try self.refusal { $0.orderBy[0].direction = .descending } == "Query must be ordered by __name__ ascending."
        )
    }
}
