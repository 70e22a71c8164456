import BrasaDocuments
import BrasaQueries
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaWatch

/// What filling a window again costs when documents came and went within the history: in calls to a scan that looks at few
/// entries each.
@Suite struct ChurnedWindowTests {
    private static let entriesPerCall = 8

    /// A queue whose oldest jobs were done one by one, and the window of its next ten.
    @Test(arguments: ["__name__", "n"])
    func `a window is filled without a look at what was deleted before`(order: String) throws {
        let world = try WatchWorld { $0.queryStepMax = Self.entriesPerCall }
        func name(_ number: Int) -> String { "c/\(10_000 + number)" }
        let query = try self.query(order: order)
        func advances() throws -> Int {
            let filling = try WindowFilling(
                query,
                count: 10,
                missedMax: 0,
                attempt: 1,
                in: world.database,
                at: world.store.watermark,
                of: world.store
            )
            var advances = 1
            while try !filling.advance() { advances += 1 }
            var window = Window(offset: 0, limit: 10)
            #expect(filling.finish(&window) == [])
            #expect(window.shown.count == 10)
            return advances
        }
        for number in 0..<20 { try world.commit([(name(number), Int64(number))]) }
        world.settle()
        // The first asks for the index.
        _ = try advances()
        while world.store.indexStep() {}
        let fresh = try advances()
        for number in 0..<2_000 {
            try world.commit([(name(number), nil), (name(number + 20), Int64(number + 20))])
        }
        world.settle()
        #expect(try advances() <= fresh + 2)
    }

    private func query(order: String) throws -> Query {
        var query = StructuredQuery()
        query.from = [StructuredQuery.CollectionSelector(collectionID: "c")]
        query.orderBy = [StructuredQuery.Order(field: try FieldPath(parsing: order.utf8), direction: .ascending)]
        query.limit = 10
        return try Query(query, parent: try root())
    }
}
