import BrasaDocuments
import BrasaSync
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import BrasaFirestore

@Suite("Reading, writing and listening without a server")
struct OfflineTests {
    @Test("A local write is seen at once, as pending and from the cache")
    func latencyCompensation() async throws {
        let database = try await Databases.offline()
        let reference = database.document("cities/SF")
        reference.queueSet(["name": "SF", "population": 1, "changed": FieldValue.serverTimestamp()])
        let snapshot = try await reference.getDocument()
        #expect(snapshot.exists)
        #expect(snapshot["population"] as? Int == 1)
        #expect(snapshot.metadata.hasPendingWrites)
        #expect(snapshot.metadata.isFromCache)
        #expect(snapshot["changed"] is NSNull)
        #expect(snapshot.get("changed", serverTimestampBehavior: .estimate) is Timestamp)
        #expect(snapshot.data(with: .estimate)?["changed"] is Timestamp)
        #expect(snapshot.documentID == "SF")
    }

    @Test("A document that was never seen is unavailable, one that was deleted is missing")
    func missing() async throws {
        let database = try await Databases.offline()
        let reference = database.document("cities/SF")
        for source in [FirestoreSource.default, .server, .cache] {
            let error = await #expect(throws: NSError.self) { try await reference.getDocument(source: source) }
            #expect(error?.code == FirestoreErrorCode.unavailable.rawValue)
        }
        reference.queueSet(["a": 1])
        reference.queueDelete()
        let snapshot = try await reference.getDocument(source: .cache)
        #expect(!snapshot.exists)
        #expect(snapshot.data() == nil)
        #expect(snapshot["a"] == nil)
    }

    @Test("Queries run on the cache, in order and within their limits")
    func queries() async throws {
        let database = try await Databases.offline()
        let cities = database.collection("cities")
        for (id, population) in [("a", 3), ("b", 1), ("c", 2), ("d", 4)] {
            cities.document(id).queueSet(["population": population, "even": population % 2 == 0])
        }
        func ids(_ query: Query) async throws -> [String] { try await query.getDocuments().documents.map(\.documentID) }
        #expect(try await ids(cities) == ["a", "b", "c", "d"])
        #expect(try await ids(cities.order(by: "population")) == ["b", "c", "a", "d"])
        #expect(try await ids(cities.order(by: "population", descending: true).limit(to: 2)) == ["d", "a"])
        #expect(try await ids(cities.order(by: "population").limit(toLast: 2)) == ["a", "d"])
        #expect(try await ids(cities.whereField("even", isEqualTo: true)) == ["c", "d"])
        #expect(try await ids(cities.order(by: "population").start(after: [1]).end(before: [4])) == ["c", "a"])
        let a = try await cities.document("a").getDocument()
        #expect(try await ids(cities.order(by: "population").start(atDocument: a)) == ["a", "d"])
        #expect(try await ids(database.collectionGroup("cities").whereField("population", isGreaterThan: 3)) == ["d"])
        let error = await #expect(throws: NSError.self) { try await cities.limit(toLast: 1).getDocuments() }
        #expect(error?.code == FirestoreErrorCode.invalidArgument.rawValue)
        let server = await #expect(throws: NSError.self) { try await cities.getDocuments(source: .server) }
        #expect(server?.code == FirestoreErrorCode.unavailable.rawValue)
    }

    @Test("What a server would refuse is an error of the read, not the end of the program")
    func refusedQueries() async throws {
        let database = try await Databases.offline()
        let query = database.collection("cities").whereField("a", in: Array(0..<31))
        let error = await #expect(throws: NSError.self) { try await query.getDocuments() }
        #expect(error?.code == FirestoreErrorCode.invalidArgument.rawValue)
        let loop = Loop(query.snapshots)
        await #expect(throws: NSError.self) { try await loop.next() }
        #expect(try await loop.next() == nil)
    }

    @Test("A batch is applied whole, and cannot be used again")
    func batch() async throws {
        let database = try await Databases.offline()
        let batch = database.batch()
        batch.setData(["a": 1], forDocument: database.document("c/1"))
            .setData(["b": 1], forDocument: database.document("c/2"))
            .updateData(["a": 2, "x.y": 3], forDocument: database.document("c/1"))
            .deleteDocument(database.document("c/2"))
        batch.queueCommit()
        let documents = try await database.collection("c").getDocuments().documents
        #expect(documents.map(\.documentID) == ["1"])
        #expect(documents.first?["a"] as? Int == 2)
        #expect(documents.first?["x.y"] as? Int == 3)
        await #expect(throws: NSError.self) { try await batch.commit() }
        try await database.batch().commit()
    }

    @Test("A listener hears of every change, with its kind and its places")
    func listener() async throws {
        let database = try await Databases.offline()
        let cities = database.collection("cities")
        cities.document("a").queueSet(["n": 1])
        let loop = Loop(cities.order(by: "n").snapshots)
        let first = try #require(try await loop.next())
        #expect(first.documentChanges.map(\.type) == [.added])
        #expect(first.documentChanges[0].oldIndex == UInt(NSNotFound))
        #expect(first.documentChanges[0].newIndex == 0)
        #expect(first.metadata.isFromCache)
        #expect(first.count == 1)
        cities.document("b").queueSet(["n": 0])
        let second = try #require(try await loop.next())
        #expect(second.documents.map(\.documentID) == ["b", "a"])
        #expect(second.documentChanges.map(\.document.documentID) == ["b"])
        cities.document("b").queueUpdate(["n": 2])
        let third = try #require(try await loop.next())
        #expect(third.documentChanges.map(\.type) == [.modified])
        #expect(third.documentChanges[0].oldIndex == 0)
        #expect(third.documentChanges[0].newIndex == 1)
        cities.document("a").queueDelete()
        let fourth = try #require(try await loop.next())
        #expect(fourth.documentChanges.map(\.type) == [.removed])
        #expect(fourth.documentChanges[0].document["n"] as? Int == 1)
        #expect(fourth != third)
        #expect(fourth == fourth)
    }

    @Test("A document's listener hears that it exists and that it does not")
    func documentListener() async throws {
        let database = try await Databases.offline()
        let reference = database.document("cities/SF")
        let loop = Loop(reference.snapshots(includeMetadataChanges: true))
        #expect(try await loop.next()?.exists == false)
        reference.queueSet(["a": 1])
        #expect(try await loop.next()?.data()?["a"] as? Int == 1)
        reference.queueDelete()
        #expect(try await loop.next()?.exists == false)
    }

    @Test("Closures are called on the user's queue, in order, until they are removed")
    func closures() async throws {
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "own")
        queue.setSpecific(key: key, value: true)
        let database = try await Databases.offline(queue: queue)
        let reference = database.document("c/n")
        let (events, continuation) = AsyncStream<(Int?, Bool)>.makeStream()
        let registration = reference.addSnapshotListener { snapshot, error in
            continuation.yield((snapshot?["n"] as? Int, DispatchQueue.getSpecific(key: key) == true && error == nil))
        }
        let loop = Loop(events)
        #expect(try await loop.next()?.0 == nil)
        for n in 0..<10 { reference.queueSet(["n": n]) }
        for n in 0..<10 {
            let event = try await loop.next()
            #expect(event?.0 == n)
            #expect(event?.1 == true)
        }
        registration.remove()
        registration.remove()
        reference.queueSet(["n": 11])
        _ = try await reference.getDocument()
        await withCheckedContinuation { done in queue.async { done.resume() } }
        continuation.finish()
        #expect(try await loop.next() == nil)
    }

    @Test("A cancelled loop ends without an error")
    func cancellation() async throws {
        let database = try await Databases.offline()
        let (started, continuation) = AsyncStream<Void>.makeStream()
        let loop = Task {
            var count = 0
            for try await _ in database.collection("c").snapshots {
                count += 1
                continuation.yield()
            }
            return count
        }
        let begun = Loop(started)
        _ = try await begun.next()
        loop.cancel()
        #expect(try await loop.value == 1)
    }

    @Test("After the end every use is an error, and firestore() is another object")
    func terminate() async throws {
        let database = try await Databases.offline()
        let reference = database.document("c/n")
        try await database.terminate()
        try await database.terminate()
        _ = database.collection("c").document("x").path
        for use in [
            { try await reference.setData(["a": 1]) }, { _ = try await reference.getDocument() },
            { _ = try await reference.parent.getDocuments() }, { try await database.enableNetwork() },
            { _ = try await database.runTransaction { _ in 1 } },
            { _ = try await Loop(reference.snapshots).next() },
            { _ = try await Loop(reference.parent.snapshots).next() },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: NSError.self) { try await use() }
            #expect(error?.code == FirestoreErrorCode.failedPrecondition.rawValue)
        }
    }

    @Test("Wrong arguments are errors where functions throw")
    func arguments() async throws {
        let reference = try await Databases.offline().document("c/n")
        for use in [
            { try await reference.setData(["__x__": 1]) }, { try await reference.updateData(["a..b": 1]) },
            { try await reference.setData(["a": 1], mergeFields: ["b"]) },
            { try await reference.setData(["a": FieldValue.delete()]) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: NSError.self) { try await use() }
            #expect(error?.domain == FirestoreErrorDomain)
            #expect(error?.code == FirestoreErrorCode.invalidArgument.rawValue)
        }
        do {
            try await reference.setData(["": 1])
            Issue.record("accepted")
        } catch FirestoreErrorCode.invalidArgument {
        }
    }

    @Test("Snapshots-in-sync listeners are called after the others")
    func inSync() async throws {
        let database = try await Databases.offline()
        let (events, continuation) = AsyncStream<String>.makeStream()
        let reference = database.document("c/n")
        reference.addSnapshotListener { snapshot, _ in continuation.yield("n=\(snapshot?["n"] as? Int ?? 0)") }
        let loop = Loop(events)
        #expect(try await loop.next() == "n=0")
        let registration = database.addSnapshotsInSyncListener { continuation.yield("in sync") }
        #expect(try await loop.next() == "in sync")
        reference.queueSet(["n": 1])
        #expect(try await loop.next() == "n=1")
        #expect(try await loop.next() == "in sync")
        registration.remove()
        reference.queueSet(["n": 2])
        #expect(try await loop.next() == "n=2")
        reference.queueSet(["n": 3])
        #expect(try await loop.next() == "n=3")
    }

    @Test("However slow the queue, one call of a snapshots-in-sync listener waits on it, and one follows")
    func slowInSync() async throws {
        let queue = DispatchQueue(label: "handlers")
        let database = try await Databases.offline(queue: queue)
        let (events, continuation) = AsyncStream<String>.makeStream()
        let reference = database.document("c/n")
        reference.addSnapshotListener { snapshot, _ in continuation.yield("n=\(snapshot?["n"] as? Int ?? 0)") }
        let loop = Loop(events)
        #expect(try await loop.next() == "n=0")
        database.addSnapshotsInSyncListener { continuation.yield("in sync") }
        #expect(try await loop.next() == "in sync")
        queue.suspend()
        for number in 1...50 { reference.queueSet(["n": number]) }
        #expect(try await reference.getDocument(source: .cache)["n"] as? Int == 50)
        queue.resume()
        var heard: [String] = []
        while heard.last != "n=50" { heard.append(try #require(try await loop.next())) }
        heard.append(try #require(try await loop.next()))
        #expect(heard.last == "in sync")
        #expect(heard.filter { $0 == "in sync" }.count == 2)
    }

    @Test("On a concurrent queue, too, snapshots-in-sync listeners are called after the others")
    func concurrentInSync() async throws {
        let queue = DispatchQueue(label: "handlers", attributes: .concurrent)
        let database = try await Databases.offline(queue: queue)
        let (events, continuation) = AsyncStream<String>.makeStream()
        let reference = database.document("c/n")
        let loop = Loop(events)
        database.addSnapshotsInSyncListener { continuation.yield("in sync") }
        #expect(try await loop.next() == "in sync")
        reference.addSnapshotListener { snapshot, _ in
            // Time for others to overtake it.
            Thread.sleep(forTimeInterval: 0.05)
            continuation.yield("n=\(snapshot?["n"] as? Int ?? 0)")
        }
        #expect(try await loop.next() == "n=0")
        #expect(try await loop.next() == "in sync")
        reference.queueSet(["n": 1])
        #expect(try await loop.next() == "n=1")
        #expect(try await loop.next() == "in sync")
    }

    @Test("Aggregates are asked for once each and found by what they are")
    func aggregates() async throws {
        let database = try await Databases.offline()
        let query = database.collection("c").whereField("a", isEqualTo: 1)
        let snapshot = try await query.aggregate([.count(), .sum("a"), .count(), .average(FieldPath(["b.c"]))])
            .getAggregation(source: .server)
        #expect(snapshot.count == 0)
        #expect(snapshot.get(.sum("a")) as? Int64 == 1)
        #expect(snapshot.get(.average(FieldPath(["b.c"]))) as? Double == 2)
        #expect(try await query.count.getAggregation(source: .server).count == 0)
    }

    @Test("An answer without one of the aggregates is the server's error")
    func missingAggregate() async throws {
        let server = FakeDatastore()
        let database = try await Databases.offline(calls: server)
        let query = database.collection("c").aggregate([.sum("a"), .count()])
        for count in [0, 1] {
            server.limitAggregates(to: count)
            let error = await #expect(throws: NSError.self) { try await query.getAggregation(source: .server) }
            #expect(error?.code == FirestoreErrorCode.internal.rawValue)
        }
        server.limitAggregates(to: 2)
        #expect(try await query.getAggregation(source: .server).count == 1)
    }

    @Test("After the end of the client loops and recursive deletes throw")
    func afterTermination() async throws {
        let database = try await Databases.offline()
        let (query, document) = (database.collection("c"), database.document("c/a"))
        try await database.terminate()
        var errors: [NSError?] = []
        errors.append(await #expect(throws: NSError.self) { for try await _ in query.snapshots {} })
        errors.append(await #expect(throws: NSError.self) { for try await _ in document.snapshots {} })
        errors.append(await #expect(throws: NSError.self) { try await database.recursiveDelete(query) })
        errors.append(await #expect(throws: NSError.self) { try await database.recursiveDelete(document) })
        for error in errors { #expect(error?.code == FirestoreErrorCode.failedPrecondition.rawValue) }
    }
}
