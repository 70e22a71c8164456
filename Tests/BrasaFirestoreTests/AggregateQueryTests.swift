import BrasaDocuments
import BrasaQueries
import Foundation
import Testing

@testable import BrasaFirestore

@Suite("What an aggregation asks")
struct AggregateQueryTests {
    @Test("The order has no more than was asked for, or than a cursor names, for what is summed to follow")
    func orders() async throws {
        let database = try await Databases.offline()
        let collection = database.collection("c")
        collection.document("d").queueSet(["a": 1, "b": 2])
        let document = try await collection.document("d").getDocument(source: .cache)
        let positive = collection.whereField("b", isGreaterThan: 0)
        let cases: [(query: BrasaFirestore.Query, order: String)] = [
            (collection, ""), (collection.limit(to: 2), ""), (positive, ""), (positive.limit(to: 1), ""),
            (collection.order(by: "a"), "a"), (positive.order(by: "a", descending: true), "a desc"),
            (collection.order(by: "a").limit(toLast: 2), "a desc"),
            (collection.order(by: "a").start(at: [1]), "a"),
            (collection.order(by: "a").start(atDocument: document), "a, __name__"),
            (positive.order(by: "a").end(beforeDocument: document), "a, b, __name__"),
            (collection.order(by: FieldPath.documentID()), "__name__"),
        ]
        for (query, order) in cases {
            for aggregate in [query.count, query.aggregate([.sum("x")])] {
                let asked = try aggregate.structured().query?.orderBy ?? []
                let text = asked.map { "\($0.field.canonical)\($0.direction == .descending ? " desc" : "")" }
                #expect(text.joined(separator: ", ") == order)
            }
        }
        // As for getDocuments: without an order nothing is the last.
        for query in [collection.limit(toLast: 2), positive.limit(toLast: 2)] {
            for aggregate in [query.count, query.aggregate([.sum("x")])] {
                #expect(throws: UsageError.self) { try aggregate.structured() }
                let error = await #expect(throws: NSError.self) { try await aggregate.getAggregation(source: .server) }
                #expect(error?.code == FirestoreErrorCode.invalidArgument.rawValue)
            }
        }
    }
}
