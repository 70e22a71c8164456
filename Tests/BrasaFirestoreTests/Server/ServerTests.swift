import BrasaDocuments
import BrasaSync
import Foundation
import Testing

@testable import BrasaFirestore

@Suite("With a server")
struct ServerTests {
    @Test("Every value type comes back equal")
    func values() async throws {
        try await withServer { server, db in
            let other = server.client()
            let reference = db.document("values/all")
            let data: [String: Any] = [
                "null": NSNull(), "boolean": true, "integer": Int64.max, "negative": -1, "double": 4.65,
                "nan": Double.nan, "text": "é\u{0}x", "bytes": Data([0, 255]),
                "time": Timestamp(seconds: 1, nanoseconds: 2000),
                "place": GeoPoint(latitude: -1, longitude: 1), "vector": VectorValue([1, 2]), "reference": reference,
                "list": [1, "x", ["k": [true]]] as [Any], "map": ["a": ["b": 1], "c.d": 2] as [String: Any],
                "empty": [String: Any](), "none": [Any](),
            ]
            try await reference.setData(data)
            let read = try await other.document("values/all").getDocument(source: .server)
            #expect(!read.metadata.isFromCache)
            guard case .set(let fields) = try WriteReader(name: reference.name).set(data).operation else { return }
            #expect(read.fields == fields)
            #expect(read["reference"] as? DocumentReference == other.document("values/all"))
            try await other.terminate()
        }
    }

    @Test("What the server refuses is an error, and the local write is undone")
    func refused() async throws {
        try await withServer { _, db in
            let reference = db.document("c/missing")
            let error = await #expect(throws: NSError.self) { try await reference.updateData(["a": 1]) }
            #expect(error?.code == FirestoreErrorCode.notFound.rawValue)
            let after = try await reference.getDocument()
            #expect(!after.exists)
        }
    }

    @Test("Operations are computed by the server")
    func operations() async throws {
        try await withServer { _, db in
            let reference = db.document("c/n")
            try await reference.setData(["n": 1, "list": [1, 2], "old": 1, "m": ["x": 1, "y": 2]])
            try await reference.updateData([
                "n": FieldValue.increment(2), "list": FieldValue.arrayUnion([2, 3]), "old": FieldValue.delete(),
                "time": FieldValue.serverTimestamp(), "m.x": 5, "max": FieldValue.maximum(7),
            ])
            try await reference.setData(["list": FieldValue.arrayRemove([1]), "m": ["z": 3]], merge: true)
            let data = try #require(try await reference.getDocument(source: .server).data())
            #expect(data["n"] as? Int == 3)
            #expect(data["list"] as? [Int] == [2, 3])
            #expect(data["old"] == nil)
            #expect(data["time"] is Timestamp)
            #expect(data["m"] as? [String: Int] == ["x": 5, "y": 2, "z": 3])
            #expect(data["max"] as? Int == 7)
        }
    }

    @Test("Queries, cursors, limits and aggregates")
    func queries() async throws {
        try await withServer { _, db in
            let collection = db.collection("cities")
            let batch = db.batch()
            for n in 0..<20 {
                batch.setData(["n": n, "half": Double(n) / 2, "tag": n % 3], forDocument: collection.document("d\(n)"))
            }
            try await batch.commit()
            func numbers(_ query: Query) async throws -> [Int] {
                try await query.getDocuments(source: .server).documents.compactMap { $0["n"] as? Int }
            }
            let ordered = collection.order(by: "n")
            #expect(try await numbers(ordered.start(at: [5]).limit(to: 3)) == [5, 6, 7])
            #expect(try await numbers(ordered.limit(toLast: 2)) == [18, 19])
            #expect(try await numbers(ordered.order(by: FieldPath.documentID()).end(before: [2])) == [0, 1])
            let middle = try await collection.document("d10").getDocument()
            #expect(try await numbers(ordered.start(afterDocument: middle).limit(to: 2)) == [11, 12])
            let filter = Filter.orFilter([.whereField("n", isLessThan: 2), .whereField("n", in: [7, 9])])
            #expect(try await numbers(ordered.whereFilter(filter)) == [0, 1, 7, 9])
            #expect(try await numbers(db.collectionGroup("cities").whereField("n", isEqualTo: 3)) == [3])
            let aggregate = try await collection.whereField("tag", isEqualTo: 0)
                .aggregate([.count(), .sum("n"), .average("half")]).getAggregation(source: .server)
            #expect(aggregate.count == 7)
            #expect(aggregate.get(.sum("n")) as? Int64 == 63)
            #expect(aggregate.get(.average("half")) as? Double == 4.5)
            let last = try await ordered.limit(toLast: 4).aggregate([.sum("n")]).getAggregation(source: .server)
            #expect(last.get(.sum("n")) as? Int == 70)
            func sum(_ query: Query) async throws -> Int? {
                try await query.aggregate([.sum("left")]).getAggregation(source: .server).get(.sum("left")) as? Int
            }
            for n in 0..<4 { try await collection.document("d\(n)").updateData(["left": 9 - n]) }
            // The smallest, which are not the first by name; of each number in order there is one.
            #expect(try await sum(collection.limit(to: 2)) == 6 + 7)
            #expect(try await sum(ordered.limit(to: 2)) == 9 + 8)
            #expect(try await sum(collection.whereField("n", isGreaterThan: 0).limit(to: 1)) == 8)
            #expect(try await sum(ordered.start(at: [1]).limit(toLast: 2)) == 7 + 6)
            let second = try await collection.document("d1").getDocument()
            let behind = ordered.start(afterDocument: second).limit(to: 2).aggregate([.sum("n")])
            #expect(try await behind.getAggregation(source: .server).get(.sum("n")) as? Int == 5)
        }
    }

    @Test("Codable values go in and come out, with the document's ID")
    func codable() async throws {
        struct City: Codable, Equatable {
            @DocumentID var id: String?
            var name: String
            @ServerTimestamp var changed: Date?
        }
        try await withServer { _, db in
            let reference = db.collection("cities").document("SF")
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                do {
                    try reference.setData(from: City(name: "San Francisco")) { error in
                        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
            let city = try await reference.getDocument(as: City.self)
            #expect(city.id == "SF")
            #expect(city.name == "San Francisco")
            #expect(city.changed != nil)
            #expect(try await db.document("cities/none").getDocument(as: City?.self) == nil)
        }
    }

    @Test("Sixteen clients increment one counter fifty times each")
    func contention() async throws {
        let server = try await LocalServer()
        let reruns = try await Self.contend(server, through: nil)
        #expect(try await Self.total(server) == 800)
        print("contention: \(reruns) reruns for 800 increments")
        try await server.stop()
    }

    @Test("Through connections that break, no increment is lost or done twice")
    func brokenConnections() async throws {
        let server = try await LocalServer()
        let proxy = try await ChaosProxy(to: server.port, seed: 7)
        _ = try await Self.contend(server, through: proxy)
        #expect(try await Self.total(server) == 800)
        #expect(proxy.breaks > 0)
        try await proxy.stop()
        try await server.stop()
    }

    @Test("Attempts enough let clients count exactly through the public calls and their waits")
    func patience() async throws {
        let server = try await LocalServer()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let db = server.client()
                    let reference = db.document("counters/one")
                    let options = TransactionOptions()
                    options.maxAttempts = 100
                    for _ in 0..<5 {
                        try await db.runTransaction(with: options) { transaction in
                            let count = try await transaction.getDocument(reference)["n"] as? Int ?? 0
                            transaction.setData(["n": count + 1], forDocument: reference)
                        }
                    }
                    try await db.terminate()
                }
            }
            try await group.waitForAll()
        }
        #expect(try await Self.total(server) == 20)
        try await server.stop()
    }

    private static func contend(_ server: LocalServer, through proxy: ChaosProxy?) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    let db = server.client(through: proxy)
                    let reference = db.document("counters/one")
                    var runner = TransactionRunner(firestore: db, calls: try db.core().calls, attemptsMax: .max)
                    // Short waits: what is tried is the count, not the patience.
                    let gate = try db.core().gate
                    runner.clock.sleep = { duration throws(SyncError) in try await gate.sleep(duration / 100) }
                    var runs = 0
                    for _ in 0..<50 {
                        try await runner.run { transaction in
                            runs += 1
                            let count = try await transaction.getDocument(reference)["n"] as? Int ?? 0
                            transaction.setData(["n": count + 1], forDocument: reference)
                        }
                    }
                    try await db.terminate()
                    return runs - 50
                }
            }
            return try await group.reduce(0, +)
        }
    }

    private static func total(_ server: LocalServer) async throws -> Int? {
        let db = server.client()
        let total = try await db.document("counters/one").getDocument(source: .server)["n"] as? Int
        try await db.terminate()
        return total
    }

    @Test("Offline writes wait, and arrive when the network is back")
    func offline() async throws {
        try await withServer { server, db in
            let reference = db.document("c/n")
            try await db.disableNetwork()
            reference.queueSet(["a": 1])
            #expect(try await reference.getDocument().metadata.isFromCache)
            let waiting = Task { try await db.waitForPendingWrites() }
            try await db.enableNetwork()
            try await waiting.value
            let other = server.client()
            #expect(try await other.document("c/n").getDocument(source: .server)["a"] as? Int == 1)
            try await other.terminate()
        }
    }

    @Test("Listeners through connections that break see the last state")
    func listenersThroughBreaks() async throws {
        let server = try await LocalServer()
        let proxy = try await ChaosProxy(to: server.port, seed: 11)
        let (writer, listener) = (server.client(), server.client(through: proxy))
        let loop = Loop(listener.document("c/n").snapshots)
        for n in 0..<20 { try await writer.document("c/n").setData(["n": n]) }
        var last: Int?
        while last != 19 { last = try await loop.next()?["n"] as? Int }
        try await writer.terminate()
        try await listener.terminate()
        try await proxy.stop()
        try await server.stop()
    }

    @Test("A bulk writer fills a collection, and a recursive delete empties it")
    func bulk() async throws {
        try await withServer { _, db in
            var options = BulkWriterOptions()
            options.initialWritesPerSecond = 1_000_000
            let writer = db.bulkWriter(options: options)
            for n in 0..<3_000 {
                try await writer.setData(["n": n], forDocument: db.document("bulk/d\(n)"))
                if n % 100 == 0 { try await writer.create(["n": n], forDocument: db.document("bulk/d\(n)/below/x")) }
            }
            try await writer.setData(["n": 0], forDocument: db.document("bulk2/x"))
            await writer.close()
            let count = db.collection("bulk").count
            #expect(try await count.getAggregation(source: .server).count == 3_000)
            try await db.recursiveDelete(db.collection("bulk"))
            #expect(try await count.getAggregation(source: .server).count == 0)
            #expect(try await db.collectionGroup("below").count.getAggregation(source: .server).count == 0)
            #expect(try await db.document("bulk2/x").getDocument(source: .server).exists)
        }
    }

    @Test("A thousand listeners of one client see every last state, though all connections break")
    func manyListeners() async throws {
        let server = try await LocalServer()
        let proxy = try await ChaosProxy(to: server.port, seed: 3, ChaosProxy.Mischief(drops: 2, resets: 2, delays: 50))
        let (writer, reader) = (server.client(), server.client(through: proxy))
        let documents = (0..<1_000).map { "c/d\($0)" }
        func write(_ n: Int) async throws {
            for start in stride(from: 0, to: documents.count, by: 250) {
                let batch = writer.batch()
                for path in documents[start..<(start + 250)] {
                    batch.setData(["n": n], forDocument: writer.document(path))
                }
                try await batch.commit()
            }
        }
        try await write(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (ready, continuation) = AsyncStream<Void>.makeStream()
            for path in documents {
                group.addTask {
                    var isReady = false
                    for try await snapshot in reader.document(path).snapshots {
                        if !isReady, snapshot.exists {
                            isReady = true
                            continuation.yield()
                        }
                        if snapshot["n"] as? Int == 3 { break }
                    }
                }
            }
            var count = 0
            for await _ in ready {
                count += 1
                if count == documents.count { break }
            }
            for n in 1...3 { try await write(n) }
            try await group.waitForAll()
        }
        try await writer.terminate()
        try await reader.terminate()
        try await proxy.stop()
        try await server.stop()
    }
}
