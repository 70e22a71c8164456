import Foundation
import Testing

@testable import BrasaFirestore

@Suite("Results one by one")
struct QueryStreamTests {
    private func fill(_ collection: CollectionReference, count: Int) async throws {
        for start in stride(from: 0, to: count, by: 500) {
            let batch = collection.firestore.batch()
            for n in start..<Swift.min(start + 500, count) {
                let data: [String: Any] = ["n": n, "tag": n % 3, "list": [n % 5]]
                batch.setData(data, forDocument: collection.document("d\(n)"))
            }
            try await batch.commit()
        }
    }

    private func ids(_ query: Query) async throws -> [String] {
        var ids: [String] = []
        for try await document in query.stream() { ids.append(document.documentID) }
        return ids
    }

    @Test("They are the query's, in its order")
    func results() async throws {
        try await withServer { _, db in
            let c = db.collection("c")
            try await self.fill(c, count: 1_300)
            try await db.document("c/d1/c/below").setData(["n": 7, "tag": 1])
            let queries: [Query] = [
                c, db.collection("none"), db.collectionGroup("c"), c.order(by: "n", descending: true), c.limit(to: 50),
                c.limit(to: 51), c.order(by: "tag", descending: true).order(by: "n").limit(to: 777),
                c.whereField("tag", isEqualTo: 1), c.whereField("n", isGreaterThan: 1_190), c.order(by: "tag"),
                c.order(by: "n").start(at: [100]).end(before: [1_250]), c.whereField("list", arrayContains: 2),
                c.whereFilter(.orFilter([.whereField("tag", isEqualTo: 2), .whereField("n", isLessThan: 300)])),
                db.collectionGroup("c").whereField("tag", in: [0, 1]).order(by: "n"),
            ]
            for query in queries {
                let all = try await query.getDocuments(source: .server).documents.map(\.documentID)
                #expect(try await self.ids(query) == all)
            }
            for try await document in c.whereField("n", isEqualTo: 5).stream() {
                #expect(document.reference == c.document("d5") && document["tag"] as? Int == 2)
                #expect(!document.metadata.isFromCache && !document.metadata.hasPendingWrites)
            }
        }
    }

    @Test("They are those of one time, whatever is written meanwhile")
    func oneTime() async throws {
        try await withServer { server, db in
            let c = db.collection("c")
            try await self.fill(c, count: 1_200)
            let other = server.client()
            var numbers: [Int] = []
            for try await document in c.order(by: "n").stream() {
                if numbers.count == 10 {
                    try await other.recursiveDelete(other.collection("c"))
                    try await other.document("c/new").setData(["n": 600])
                }
                numbers.append(try #require(document["n"] as? Int))
            }
            #expect(numbers == Array(0..<1_200))
            #expect(try await self.ids(c) == ["new"])
            try await other.terminate()
        }
    }

    @Test("A loop may go early, and through connections that break")
    func breaks() async throws {
        let server = try await LocalServer()
        let proxy = try await ChaosProxy(to: server.port, seed: 5, .init(drops: 20, resets: 20, delays: 100))
        let writer = server.client()
        try await self.fill(writer.collection("c"), count: 1_000)
        let reader = server.client(through: proxy)
        for count in [1, 10, 11, 400] {
            var left = count
            for try await _ in reader.collection("c").stream() {
                left -= 1
                if left == 0 { break }
            }
            #expect(left == 0)
        }
        for _ in 0..<5 { #expect(try await self.ids(reader.collection("c")).count == 1_000) }
        #expect(proxy.breaks > 0)
        try await writer.terminate()
        try await reader.terminate()
        try await proxy.stop()
        try await server.stop()
    }

    @Test("What cannot be read ends the loop by throwing")
    func errors() async throws {
        try await withServer { _, db in
            func code(_ query: Query) async -> FirestoreErrorCode.Code? {
                do { _ = try await self.ids(query) } catch { return FirestoreErrorCode(error)?.code }
                return nil
            }
            let c = db.collection("c")
            #expect(await code(c.order(by: "n").limit(toLast: 2)) == .invalidArgument)
            try await db.disableNetwork()
            #expect(await code(c) == .unavailable)
            try await db.enableNetwork()
            #expect(await code(c) == nil)
            let cancelled = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await code(c)
            }
            #expect(await cancelled.value == .cancelled)
        }
    }

    @Test("Pages of large documents have few of them")
    func pages() {
        var size = PageSize()
        let first = size.count
        size.note(bytes: first << 20, of: first)
        #expect(size.count == 2)
        for count in [4, 8, 16, 32, 64, 128, 209, 209] {
            size.note(bytes: 2 * 10_000, of: 2)
            #expect(size.count == count)
        }
        for count in [418, 836, 1_000, 1_000] {
            size.note(bytes: 0, of: 209)
            #expect(size.count == count)
        }
        size.note(bytes: 100 << 20, of: 1)
        #expect(size.count == 1)
    }
}
