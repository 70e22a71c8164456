import Foundation
import Synchronization
import Testing

@testable import BrasaFirestore

@Suite("Offline data")
struct OfflineDataTests {
    @Test("Settings choose a cache; only one on disk has an index manager")
    func settings() async throws {
        try await withFolder { server, folder in
            let settings = FirestoreSettings()
            settings.cacheSettings = MemoryCacheSettings(garbageCollectorSettings: MemoryLRUGCSettings())
            let memory = server.client()
            memory.settings = settings
            #expect(memory.persistentCacheIndexManager == nil)

            settings.cacheSettings = PersistentCacheSettings(sizeBytes: 100 * 1024 * 1024 as NSNumber)
            #expect((settings.cacheSettings as? PersistentCacheSettings)?.cache.bytesMax == 104_857_600)

            let db = server.client(folder)
            if let indexManager = db.persistentCacheIndexManager {
                indexManager.enableIndexAutoCreation()
            } else {
                Issue.record("a cache on disk has indexes")
            }
            try await memory.terminate()
            try await db.terminate()
        }
    }

    @Test("A listener that asks for metadata hears of the cache, then of the server")
    func listening() async throws {
        try await withFolder { server, folder in
            let before = server.client(folder)
            try await before.document("cities/SF").setData(["name": "San Francisco", "state": "CA"])
            try await before.document("cities/LA").setData(["name": "Los Angeles", "state": "CA"])
            #expect(try await before.collection("cities").getDocuments().count == 2)
            try await before.terminate()

            let db = server.client(folder)
            let (events, continuation) = AsyncStream<String>.makeStream()
            db.collection("cities").whereField("state", isEqualTo: "CA")
                .addSnapshotListener(includeMetadataChanges: true) { querySnapshot, error in
                    guard let snapshot = querySnapshot else {
                        continuation.yield("Error: \(error!)")
                        return
                    }
                    for diff in snapshot.documentChanges {
                        if diff.type == .added {
                            continuation.yield("New city: \(diff.document.data()["name"] as? String ?? "")")
                        }
                    }
                    let source = snapshot.metadata.isFromCache ? "local cache" : "server"
                    continuation.yield("Data fetched from \(source)")
                }
            let loop = Loop(events)
            for expected in [
                "New city: Los Angeles", "New city: San Francisco", "Data fetched from local cache",
                "Data fetched from server",
            ] {
                #expect(try await loop.next() == expected)
            }
            try await db.terminate()
        }
    }

    @Test("While the network is disabled the cache answers, and writes wait")
    func network() async throws {
        try await withFolder { server, folder in
            let (db, other) = (server.client(folder), server.client())
            try await db.document("cities/SF").setData(["n": 1])
            _ = try await db.document("cities/SF").getDocument()
            let disabled: (any Error)? = await withCheckedContinuation { done in
                db.disableNetwork { (error) in done.resume(returning: error) }
            }
            #expect(disabled == nil)

            let known = try await db.document("cities/SF").getDocument()
            #expect(known["n"] as? Int == 1 && known.metadata.isFromCache && !known.metadata.hasPendingWrites)
            for source in [FirestoreSource.default, .cache, .server] {
                await Self.expect(.unavailable) { _ = try await db.document("cities/none").getDocument(source: source) }
            }
            #expect(try await db.collection("none").getDocuments().isEmpty)
            #expect(try await db.collection("none").getDocuments(source: .cache).metadata.isFromCache)
            await Self.expect(.unavailable) { _ = try await db.collection("cities").getDocuments(source: .server) }
            await Self.expect(.unavailable) { _ = try await db.runTransaction { _ in 1 } }
            await Self.expect(.unavailable) {
                _ = try await db.collection("cities").count.getAggregation(source: .server)
            }

            db.document("cities/SF").queueSet(["n": 2])
            // Somebody else in the meantime: the last to reach the server wins.
            try await other.document("cities/SF").setData(["n": 3])
            #expect(try await db.document("cities/SF").getDocument().metadata.hasPendingWrites)
            let enabled: (any Error)? = await withCheckedContinuation { done in
                db.enableNetwork { (error) in done.resume(returning: error) }
            }
            #expect(enabled == nil)
            try await db.waitForPendingWrites()
            #expect(try await other.document("cities/SF").getDocument(source: .server)["n"] as? Int == 2)
            #expect(try await db.runTransaction { _ in 1 } == 1)
            try await other.terminate()
            try await db.terminate()
        }
    }

    @Test("Writes that wait outlive their client, and are sent in order by the next")
    func restart() async throws {
        try await withFolder { server, folder in
            let first = server.client(folder)
            try await first.disableNetwork()
            let reference = first.document("c/n")
            reference.queueSet(["n": 1, "list": [Int](), "changed": FieldValue.serverTimestamp()])
            for n in 0..<20 {
                reference.queueUpdate(["n": FieldValue.increment(Int64(1)), "list": FieldValue.arrayUnion([n])])
            }
            let batch = first.batch()
            batch.setData(["n": 0], forDocument: first.document("c/batch"))
                .setData(["n": 0], forDocument: first.document("c/gone"))
            batch.queueCommit()
            first.document("c/gone").queueDelete()
            #expect(try await first.collection("c").getDocuments().count == 2)
            try await first.terminate()

            let second = server.client(folder)
            try await second.disableNetwork()
            let pending = try await second.collection("c").getDocuments()
            #expect(pending.documents.map(\.documentID) == ["batch", "n"])
            #expect(pending.metadata.hasPendingWrites && pending.metadata.isFromCache)
            #expect(pending.documents[1]["n"] as? Int == 21)
            #expect(pending.documents[1]["list"] as? [Int] == Array(0..<20))
            #expect(pending.documents[1].get("changed", serverTimestampBehavior: .estimate) is Timestamp)
            try await second.enableNetwork()
            try await second.waitForPendingWrites()
            let other = server.client()
            let stored = try await other.document("c/n").getDocument(source: .server)
            #expect(stored["n"] as? Int == 21)
            #expect(stored["list"] as? [Int] == Array(0..<20))
            #expect(stored["changed"] is Timestamp)
            #expect(try await other.collection("c").getDocuments(source: .server).count == 2)
            try await other.terminate()
            try await second.terminate()
        }
    }

    @Test("A folder has one client at a time; the second is told so by every call")
    func secondClient() async throws {
        try await withFolder { server, folder in
            let (first, second) = (server.client(folder), server.client(folder))
            try await first.document("c/n").setData(["n": 1])
            for use in [
                { try await second.document("c/n").setData(["n": 2]) },
                { _ = try await second.document("c/n").getDocument() },
                { _ = try await second.collection("c").getDocuments(source: .cache) },
                { _ = try await Loop(second.collection("c").snapshots).next() },
                { try await second.waitForPendingWrites() }, { try await second.enableNetwork() },
                { try await second.loadBundle(Data()) },
            ] as [() async throws -> Void] {
                let error = await Self.expect(.failedPrecondition, use)
                #expect(error?.localizedDescription.contains("in use") == true)
                #expect(error?.localizedDescription.contains(folder.url.path) == true)
            }
            try await second.terminate()
            await Self.expect(.failedPrecondition) { try await second.clearPersistence() }
            try await first.terminate()
            let third = server.client(folder)
            try await third.disableNetwork()
            #expect(try await third.document("c/n").getDocument()["n"] as? Int == 1)
            try await third.terminate()
        }
    }

    @Test("Whatever is under way when a client is terminated comes to an end")
    func endUnderWay() async throws {
        try await withFolder { server, folder in
            for round in 0..<5 {
                let db = server.client(folder)
                if round % 2 == 0 { try await db.disableNetwork() }
                let (begun, continuation) = AsyncStream<Void>.makeStream()
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for n in 0..<40 {
                        group.addTask {
                            let reference = db.document("c/d\(n % 4)")
                            do {
                                continuation.yield()
                                switch n % 4 {
                                case 0: try await reference.setData(["n": n])
                                case 1: _ = try await reference.getDocument()
                                case 2: for try await _ in reference.parent.snapshots {}
                                default: try await db.waitForPendingWrites()
                                }
                            } catch {
                                #expect(FirestoreErrorCode(error) != nil)
                            }
                        }
                    }
                    let loop = Loop(begun)
                    for _ in 0..<(round * 8 + 1) { _ = try await loop.next() }
                    try await db.terminate()
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test("A terminated client is let go of, though its listeners were never removed")
    func release() async throws {
        let (server, folder) = (try await LocalServer(), CacheFolderForTest())
        weak var core: ClientCore?
        do {
            let db = server.client(folder)
            // A stream that stands would be given time to end.
            try await server.stop()
            try await db.disableNetwork()
            core = try db.core()
            let (events, continuation) = AsyncStream<Void>.makeStream()
            db.collection("c").addSnapshotListener { _, _ in continuation.yield() }
            db.document("c/n").addSnapshotListener { _, _ in continuation.yield() }
            db.addSnapshotsInSyncListener { continuation.yield() }
            db.document("c/n").queueSet(["n": 1])
            let loop = Loop(events)
            for _ in 0..<3 { _ = try await loop.next() }
            try await db.terminate()
        }
        while core != nil { await Task.yield() }
    }

    @Test("Persistence is cleared before the first use or after the end, with what is queued")
    func clearing() async throws {
        try await withFolder { server, folder in
            let first = server.client(folder)
            try await first.disableNetwork()
            first.document("c/n").queueSet(["n": 1])
            _ = try await first.document("c/n").getDocument()
            await Self.expect(.failedPrecondition) { try await first.clearPersistence() }
            try await first.terminate()

            let second = server.client(folder)
            let cleared: (any Error)? = await withCheckedContinuation { done in
                second.clearPersistence { done.resume(returning: $0) }
            }
            #expect(cleared == nil)
            // That was no use.
            second.settings = second.settings
            try await second.disableNetwork()
            await Self.expect(.unavailable) { _ = try await second.document("c/n").getDocument() }
            try await second.waitForPendingWrites()
            try await second.terminate()
            try await second.clearPersistence()
            try await second.clearPersistence()
            try await server.client().clearPersistence()
        }
    }

    @Test("A damaged cache is told of by every call, and cleared")
    func damage() async throws {
        try await withFolder { server, folder in
            let first = server.client(folder)
            try await first.document("c/n").setData(["n": 1])
            try await first.terminate()
            try Data(repeating: 7, count: 10_000).write(to: try folder.file())

            let second = server.client(folder)
            let error = await Self.expect(.dataLoss) { _ = try await second.document("c/n").getDocument() }
            #expect(error?.localizedDescription.contains("damaged") == true)
            await Self.expect(.dataLoss) { try await second.document("c/n").setData(["n": 2]) }
            try await second.terminate()
            try await second.clearPersistence()
            let third = server.client(folder)
            #expect(try await third.document("c/n").getDocument()["n"] as? Int == 1)
            try await third.terminate()
        }
    }

    @Test("Bundles and their named queries are there after a restart, and the server tells what is newer")
    func bundles() async throws {
        try await withFolder { server, folder in
            let other = server.client()
            try await other.document("cities/c9").setData(["n": 9])
            var bundle = BundleText()
            for n in 1...3 { bundle.addDocument("cities/c\(n)", n: n, queries: ["all"]) }
            bundle.addQuery("all", #"{"from":[{"collectionId":"cities"}]}"#)
            let first = server.client(folder)
            try await first.disableNetwork()
            #expect(try await first.loadBundle(bundle.data()).documentsLoaded == 3)
            try await first.terminate()

            let second = server.client(folder)
            try await second.disableNetwork()
            let query = try #require(await second.getQuery(named: "all"))
            #expect(query == second.collection("cities"))
            #expect(try await query.getDocuments(source: .cache).count == 3)
            // The same bundle once more is nothing to do.
            #expect(try await second.loadBundle(bundle.data()).state == .success)
            try await second.enableNetwork()
            // The server has none of the bundle's documents.
            #expect(try await query.getDocuments(source: .server).documents.map(\.documentID) == ["c9"])
            try await second.terminate()
            try await other.terminate()
        }
    }

    @Test("Queries on the cache find the same with automatic indexes, without them, and after their deletion")
    func indexes() async throws {
        try await withFolder { server, folder in
            let db = server.client(folder)
            try await db.disableNetwork()
            for start in stride(from: 0, to: 400, by: 100) {
                let batch = db.batch()
                for n in start..<(start + 100) {
                    batch.setData(["n": n, "tag": n % 100], forDocument: db.document("c/d\(n)"))
                }
                batch.queueCommit()
            }
            let query = db.collection("c").whereField("tag", isEqualTo: 7).order(by: "n", descending: true)
            func find() async throws -> [Int] {
                try await query.getDocuments(source: .cache).documents.compactMap { $0["n"] as? Int }
            }
            let expected = [307, 207, 107, 7]
            #expect(try await find() == expected)
            let manager = try #require(db.persistentCacheIndexManager)
            manager.enableIndexAutoCreation()
            for _ in 0..<3 { #expect(try await find() == expected) }
            db.document("c/d107").queueUpdate(["tag": 8])
            #expect(try await find() == [307, 207, 7])
            manager.disableIndexAutoCreation()
            #expect(try await find() == [307, 207, 7])
            manager.deleteAllIndexes()
            #expect(try await find() == [307, 207, 7])
            try await db.terminate()
        }
    }

    @Test("Indexes can be listed as JSON")
    func indexConfiguration() async throws {
        try await withFolder { server, folder in
            let configuration = """
                {"indexes": [{"collectionGroup": "c", "fields": [{"fieldPath": "n", "order": "ASCENDING"}]}]}
                """
            for db in [server.client(folder), server.client()] as [any ConfiguresIndexes] {
                try await db.setIndexConfiguration(configuration)
                try await db.setIndexConfiguration(InputStream(data: Data(configuration.utf8)))
                await Self.expect(.invalidArgument) { try await db.setIndexConfiguration("{") }
                let error: (any Error)? = await withCheckedContinuation { done in
                    db.setIndexConfiguration(InputStream(data: Data("]".utf8))) { done.resume(returning: $0) }
                }
                #expect(error.flatMap { FirestoreErrorCode($0) }?.code == .invalidArgument)
                try await (db as? Firestore)?.terminate()
            }
        }
    }

    @discardableResult
    private static func expect(
        _ code: FirestoreErrorCode.Code,
        _ use: () async throws -> Void
    ) async -> NSError? {
        let error = await #expect(throws: NSError.self) { try await use() }
        #expect(error?.domain == FirestoreErrorDomain)
        #expect(error.flatMap { FirestoreErrorCode.Code(rawValue: $0.code) } == code)
        return error
    }
}

/// For calls of what is deprecated.
private protocol ConfiguresIndexes {
    func setIndexConfiguration(_ json: String) async throws
    func setIndexConfiguration(_ stream: InputStream) async throws
    func setIndexConfiguration(_ stream: InputStream, completion: (((any Error)?) -> Void)?)
}

extension Firestore: ConfiguresIndexes {}
