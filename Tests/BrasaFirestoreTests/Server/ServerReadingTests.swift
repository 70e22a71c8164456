import Foundation
import Testing

@testable import BrasaFirestore

@Suite("What only a server answers")
struct ServerReadingTests {
    private func fill(_ collection: CollectionReference, count: Int) async throws {
        let batch = collection.firestore.batch()
        for n in 0..<count {
            let data: [String: Any] = ["n": n, "tag": n % 3, "m": ["x": n, "y": -n]]
            batch.setData(data, forDocument: collection.document("d\(n)"))
        }
        try await batch.commit()
    }

    private func code(_ body: () async throws -> Void) async -> FirestoreErrorCode.Code? {
        do { try await body() } catch { return FirestoreErrorCode(error)?.code }
        return nil
    }

    @Test("Projections leave only some fields")
    func projections() async throws {
        try await withServer { _, db in
            let c = db.collection("c")
            try await self.fill(c, count: 30)
            let ordered = c.order(by: "n")
            let some = try await ordered.select(["tag", FieldPath(["m", "x"])]).getDocuments()
            #expect(some.count == 30 && !some.metadata.isFromCache && some.documentChanges.count == 30)
            let seventh = some.documents[7]
            #expect(Set(seventh.data().keys) == ["tag", "m"])
            #expect(seventh["tag"] as? Int == 1)
            #expect(seventh["m"] as? [String: Int] == ["x": 7])
            let names = try await ordered.select([]).limit(toLast: 3).getDocuments(source: .server)
            #expect(names.documents.map(\.documentID) == ["d27", "d28", "d29"])
            #expect(names.documents.allSatisfy { $0.data().isEmpty && $0.updateTime != nil })
            // Pages begin behind what orders them, though nobody has asked for that.
            var streamed: [[String: Any]] = []
            for try await document in ordered.select(["tag"]).offset(2).stream() { streamed.append(document.data()) }
            #expect(streamed.count == 28)
            #expect(streamed.allSatisfy { $0.count == 1 && $0["tag"] is Int })
            #expect(try await c.select(["tag"]).count.getAggregation(source: .server).count == 30)
        }
    }

    @Test("An offset leaves out the first results")
    func offsets() async throws {
        try await withServer { _, db in
            let c = db.collection("c")
            try await self.fill(c, count: 30)
            func numbers(_ query: Query) async throws -> [Int] {
                try await query.getDocuments().documents.compactMap { $0["n"] as? Int }
            }
            let ordered = c.order(by: "n")
            #expect(try await numbers(ordered.offset(27)) == [27, 28, 29])
            #expect(try await numbers(ordered.offset(4).limit(to: 2)) == [4, 5])
            #expect(try await numbers(ordered.offset(4).limit(toLast: 2)) == [24, 25])
            #expect(try await numbers(ordered.offset(30)) == [])
            var streamed: [Int] = []
            for try await document in ordered.offset(3).limit(to: 20).stream() {
                streamed.append(try #require(document["n"] as? Int))
            }
            #expect(streamed == Array(3..<23))
            #expect(try await ordered.offset(10).count.getAggregation(source: .server).count == 20)
            #expect(await self.code { _ = try await numbers(ordered.offset(-1)) } == .invalidArgument)
        }
    }

    @Test("Neither cache nor listeners answer them")
    func serverOnly() async throws {
        try await withServer { _, db in
            let c = db.collection("c")
            try await self.fill(c, count: 3)
            for query in [c.select(["n"]), c.offset(1)] {
                #expect(await self.code { _ = try await query.getDocuments(source: .cache) } == .invalidArgument)
                #expect(await self.code { for try await _ in query.snapshots { break } } == .invalidArgument)
            }
            try await db.disableNetwork()
            #expect(await self.code { _ = try await c.offset(1).getDocuments() } == .unavailable)
            #expect(await self.code { _ = try await db.getAll([c.document("d1")]) } == .unavailable)
            let told = await withCheckedContinuation { continuation in
                c.offset(1).getDocuments { snapshot, error in
                    continuation.resume(returning: (snapshot == nil, error.flatMap { FirestoreErrorCode($0)?.code }))
                }
            }
            #expect(told.0)
            #expect(told.1 == .unavailable)
        }
    }

    @Test("The nearest vectors")
    func nearest() async throws {
        try await withServer { _, db in
            let points = db.collection("points")
            let vectors: [String: [Double]] = ["east": [1, 0], "north": [0, 1], "west": [-1, 0], "far": [30, 40]]
            for (name, vector) in vectors {
                try await points.document(name).setData(["v": VectorValue(vector), "isFar": name == "far"])
            }
            try await points.document("none").setData(["v": [1, 0], "isFar": false])
            func names(_ query: VectorQuery) async throws -> [String] {
                try await query.getDocuments().documents.map(\.documentID)
            }
            let east = VectorValue([2, 0])
            #expect(
                try await names(
                    points.findNearest(vectorField: "v", queryVector: east, limit: 3, distanceMeasure: .euclidean)
                )
                    == ["east", "north", "west"]
            )
            #expect(
                try await names(
                    points.findNearest(vectorField: "v", queryVector: east, limit: 2, distanceMeasure: .dotProduct)
                )
                    == ["far", "east"]
            )
            let near = points.whereField("isFar", isEqualTo: false).select(["distance"]).findNearest(
                vectorField: FieldPath(["v"]),
                queryVector: east,
                limit: 10,
                distanceMeasure: .cosine,
                distanceResultField: "distance",
                distanceThreshold: 1.5
            )
            let snapshot = try await near.getDocuments()
            #expect(snapshot.documents.map(\.documentID) == ["east", "north"])
            #expect(snapshot.documents.compactMap { $0["distance"] as? Double } == [0, 1])
            #expect(snapshot.readTime != nil && snapshot.count == 2 && snapshot.query == near)
            for limit in [0, -1, 1_001, .max] {
                let query = points.findNearest(
                    vectorField: "v",
                    queryVector: east,
                    limit: limit,
                    distanceMeasure: .euclidean
                )
                #expect(await self.code { _ = try await query.getDocuments() } == .invalidArgument)
            }
        }
    }

    @Test("Documents read together come in the order of their references")
    func together() async throws {
        try await withServer { _, db in
            let c = db.collection("c")
            try await self.fill(c, count: 4)
            let asked = ["d3", "none", "d0", "d3"].map { c.document($0) }
            let all = try await db.getAll(asked)
            #expect(all.map(\.reference) == asked)
            #expect(all.map(\.exists) == [true, false, true, true])
            #expect(Set(all.map(\.readTime)).count == 1 && all[0].readTime != nil)
            let part = try await db.getAll(asked, fieldMask: ["m.y"])
            #expect(part[0].data()?.count == 1)
            #expect(part[0]["m"] as? [String: Int] == ["y": -3])
            #expect(try await db.getAll([]).isEmpty)
            let foreign = Databases.new().document("c/d0")
            #expect(await self.code { _ = try await db.getAll([foreign]) } == .invalidArgument)
        }
    }

    @Test("Collections of a document and of the root")
    func collections() async throws {
        try await withServer { _, db in
            for n in 0..<400 { db.document("c\(n)/d").queueSet(["n": n]) }
            try await db.document("c0/d/below/e").setData([:])
            try await db.document("c0/missing/lower/e/lowest/f").setData([:])
            #expect(try await db.listCollections().map(\.path).sorted() == (0..<400).map { "c\($0)" }.sorted())
            #expect(try await db.document("c0/d").listCollections() == [db.collection("c0/d/below")])
            #expect(try await db.document("c0/missing").listCollections().map(\.collectionID) == ["lower"])
            #expect(try await db.document("c1/d").listCollections().isEmpty)
        }
    }

    @Test("Reads at a time, one by one and in a transaction")
    func past() async throws {
        try await withServer { server, db in
            let c = db.collection("c")
            try await self.fill(c, count: 3)
            let time = try #require(try await db.getAll([c.document("d0")])[0].readTime)
            let other = server.client()
            try await other.document("c/d0").delete()
            try await other.document("c/d1").setData(["n": 100])
            try await other.document("later/d").setData([:])
            #expect(try await c.document("d0").getDocument(readTime: time)["n"] as? Int == 0)
            let past = try await c.order(by: "n").getDocuments(readTime: time)
            #expect(past.documents.compactMap { $0["n"] as? Int } == [0, 1, 2])
            #expect(try await db.listCollections(readTime: time).map(\.path) == ["c"])
            #expect(try await db.getAll([c.document("d1")], readTime: time)[0]["n"] as? Int == 1)
            let options = TransactionOptions()
            options.readTime = time
            let sum = try await db.runTransaction(with: options) { transaction in
                let query = try await transaction.getDocuments(c.whereField("n", isGreaterThan: 0))
                let one = try await transaction.getDocument(c.document("d1"))
                return query.count + (one["n"] as? Int ?? 0)
            }
            #expect(sum == 3)
            #expect(try await c.document("d0").getDocument(source: .server).exists == false)
            try await other.terminate()
        }
    }

    @Test("A transaction that only reads sees one state, whatever others write meanwhile")
    func oneState() async throws {
        try await withServer { server, db in
            let c = db.collection("c")
            try await self.fill(c, count: 3)
            let other = server.client()
            let options = TransactionOptions()
            options.isReadOnly = true
            let seen = try await db.runTransaction(with: options) { transaction in
                let first = try await transaction.getDocument(c.document("d0"))
                try await other.recursiveDelete(other.collection("c"))
                let rest = try await transaction.getDocuments(c)
                return (first.exists, rest.count)
            }
            #expect(seen.0)
            #expect(seen.1 == 3)
            #expect(try await c.getDocuments(source: .server).isEmpty)
            try await other.terminate()
        }
    }

    @Test("Snapshots know when their document was created, changed and read")
    func times() async throws {
        try await withServer { server, db in
            let reference = db.document("c/d")
            try await reference.setData(["n": 1])
            let first = try await db.getAll([reference])[0]
            let (created, changed) = (try #require(first.createTime), try #require(first.updateTime))
            #expect(created == changed)
            let other = server.client()
            try await other.document("c/d").updateData(["n": 2])
            for snapshot in [
                try await reference.getDocument(source: .server), try await db.getAll([reference])[0],
                try await db.collection("c").getDocuments(source: .server).documents[0],
                try await db.collection("c").select(["n"]).getDocuments().documents[0],
            ] {
                #expect(snapshot.createTime == created)
                #expect(snapshot.updateTime?.compare(created) == .orderedDescending)
                #expect(snapshot.readTime != nil)
            }
            let query = try await db.collection("c").getDocuments(source: .server)
            #expect(query.readTime != nil)
            for try await snapshot in reference.snapshots(includeMetadataChanges: true)
            where !snapshot.metadata.isFromCache {
                #expect(snapshot.createTime == created && snapshot.updateTime != created && snapshot.readTime == nil)
                break
            }
            let missing = try await db.document("c/none").getDocument(source: .server)
            #expect(missing.createTime == nil && missing.updateTime == nil && missing.readTime != nil)
            // A queued write has no time yet.
            try await db.disableNetwork()
            reference.queueSet(["n": 3])
            let queued = try await reference.getDocument(source: .cache)
            #expect(queued.createTime == nil && queued.updateTime == nil && queued.metadata.hasPendingWrites)
            try await db.enableNetwork()
            try await other.terminate()
        }
    }

    private struct City: Codable {
        var name: String
        var population: Int
    }

    @Test("Encoded values can be waited for")
    func encoding() async throws {
        try await withServer { server, db in
            let other = server.client()
            let city = City(name: "Fez", population: 1)
            try await db.document("cities/fez").setData(encoding: city)
            #expect(
                try await other.document("cities/fez").getDocument(source: .server).data(as: City.self).name == "Fez"
            )
            try await db.document("cities/fez").setData(
                encoding: City(name: "x", population: 2),
                mergeFields: ["population"]
            )
            let fez = try await other.document("cities/fez").getDocument(source: .server).data(as: City.self)
            #expect(fez.name == "Fez" && fez.population == 2)
            let added = try await db.collection("cities").addDocument(encoding: city)
            #expect(try await other.document(added.path).getDocument(source: .server).exists)
            try await other.terminate()
        }
    }

    @Test("A deleted app's databases have ended, and its name is free")
    func deletedApp() async throws {
        let server = try await LocalServer()
        let name = "app to be deleted"
        func configure() throws -> Firestore {
            let options = FirebaseOptions()
            options.projectID = "demo-test"
            FirebaseApp.configure(name: name, options: options)
            let db = Firestore.firestore(app: try #require(FirebaseApp.app(name: name)))
            db.useEmulator(withHost: "127.0.0.1", port: server.port)
            return db
        }
        let db = try configure()
        try await db.document("c/d").setData(["n": 1])
        let app = try #require(FirebaseApp.app(name: name))
        #expect(await app.delete())
        #expect(FirebaseApp.app(name: name) == nil)
        #expect(await self.code { _ = try await db.document("c/d").getDocument() } == .failedPrecondition)
        #expect(await app.delete() == false)
        let next = try configure()
        #expect(next != db)
        #expect(try await next.document("c/d").getDocument()["n"] as? Int == 1)
        let isKnown = await withCheckedContinuation { continuation in
            next.app.delete { continuation.resume(returning: $0) }
        }
        #expect(isKnown)
        try await server.stop()
    }
}
