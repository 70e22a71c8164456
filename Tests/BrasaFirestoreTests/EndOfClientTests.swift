import BrasaApp
import BrasaCacheFile
import BrasaDocuments
import BrasaSync
import Dispatch
import Foundation
import Testing

@testable import BrasaFirestore

@Suite("The end of a client")
struct EndOfClientTests {
    @Test("Tasks that wait for the server are cancelled")
    func waitingTasks() async throws {
        let database = try await Databases.offline()
        let reference = database.document("c/n")
        let loop = Loop(reference.snapshots)
        _ = try await loop.next()
        let write = Task { try await reference.setData(["n": 1]) }
        // The write has begun once it is seen.
        #expect(try await loop.next()?["n"] as? Int == 1)
        let wait = Task { try await database.waitForPendingWrites() }
        try await database.terminate()
        for task in [write, wait] {
            let error = await #expect(throws: NSError.self) { try await task.value }
            // The second when the task came too late to wait.
            let codes = [FirestoreErrorCode.cancelled, .failedPrecondition].map(\.rawValue)
            #expect(error.map { codes.contains($0.code) } == true)
        }
        #expect(try await loop.next() == nil)
    }

    @Test("Listeners hear nothing of it, and removing one does nothing")
    func listeners() async throws {
        let queue = DispatchQueue(label: "handlers")
        let database = try await Databases.offline(queue: queue)
        let (events, continuation) = AsyncStream<Bool>.makeStream()
        let registration = database.document("c/n").addSnapshotListener { _, error in
            continuation.yield(error == nil)
        }
        let loop = Loop(events)
        #expect(try await loop.next() == true)
        try await database.terminate()
        registration.remove()
        await withCheckedContinuation { done in queue.async { done.resume() } }
        continuation.finish()
        #expect(try await loop.next() == nil)
    }

    @Test("While the network is disabled, transactions and aggregates are unavailable")
    func networkOnly() async throws {
        let database = try await Databases.offline()
        let query = database.collection("c")
        try await database.disableNetwork()
        for use in [
            { _ = try await database.runTransaction { _ in 1 } },
            { _ = try await database.runTransaction({ (_, _) -> Any? in nil }) },
            { _ = try await query.count.getAggregation(source: .server) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: NSError.self) { try await use() }
            #expect(error?.code == FirestoreErrorCode.unavailable.rawValue)
        }
        try await database.enableNetwork()
        #expect(try await database.runTransaction { _ in 1 } == 1)
    }
}

@Suite("Cache settings")
struct CacheSettingsTests {
    @Test("Each kind of cache comes back as it was set")
    func kinds() {
        let settings = FirestoreSettings()
        #expect(settings.values.cache.kind == .leastRecentlyUsed(bytes: 104_857_600))
        settings.cacheSettings = PersistentCacheSettings()
        #expect(settings.values.cache.kind == .persistent(bytes: 104_857_600, folder: nil))
        #expect(settings.cacheSettings is PersistentCacheSettings)
        settings.cacheSettings = PersistentCacheSettings(sizeBytes: 2_000_000 as NSNumber)
        #expect(settings.values.cache.kind == .persistent(bytes: 2_000_000, folder: nil))
        settings.cacheSettings = PersistentCacheSettings(
            sizeBytes: NSNumber(value: FirestoreCacheSizeUnlimited),
            folder: URL(fileURLWithPath: "/tmp/x")
        )
        #expect(settings.values.cache.kind == .persistent(bytes: -1, folder: "/tmp/x"))
        settings.cacheSettings = PersistentCacheSettings(folder: URL(fileURLWithPath: "/tmp/x"))
        #expect(settings.values.cache.kind == .persistent(bytes: 104_857_600, folder: "/tmp/x"))
        settings.cacheSettings = MemoryCacheSettings(garbageCollectorSettings: MemoryEagerGCSetting())
        #expect(settings.values.cache.kind == .eager)
        settings.cacheSettings = MemoryCacheSettings(garbageCollectorSettings: MemoryLRUGCSettings(sizeBytes: 5))
        #expect(settings.values.cache.kind == .leastRecentlyUsed(bytes: 5))
        #expect(settings.cacheSettings is MemoryCacheSettings)
    }

    @Test(
        "A size is at least a mebibyte, or unlimited",
        arguments: [(0, false), (1 << 20, true), (-1, true), (-2, false)]
    )
    func sizes(bytes: Int64, isValid: Bool) {
        #expect(((try? CacheKind.checkSize(bytes)) != nil) == isValid)
    }

    @Test("The older properties say the same, but not beside the newer one")
    func olderProperties() throws {
        var cache = FirestoreSettings.Cache()
        cache.isPersistent = true
        cache.bytes = 3_000_000
        #expect(cache.kind == .persistent(bytes: 3_000_000, folder: nil))
        try cache.check()
        cache.given = .eager
        #expect(throws: UsageError.self) { try cache.check() }
        #expect(cache.kind == .eager)
        try FirestoreSettings.Cache(given: .eager).check()
    }

    @Test("What is said in another way is no change")
    func equality() {
        let (plain, given) = (FirestoreSettings(), FirestoreSettings())
        given.cacheSettings = MemoryCacheSettings()
        #expect(plain == given)
        given.cacheSettings = PersistentCacheSettings()
        #expect(plain != given)
    }

    @Test("Apps, projects and databases have folders of their own, whatever their names")
    func locations() throws {
        let database = try DatabaseName(project: "demo", database: "(default)")
        #expect(CacheKind.folder(in: "/x", app: "a", database) == "/x/a/demo/(default)")
        #expect(CacheKind.folder(in: nil, app: "a", database).hasSuffix("/firestore/a/demo/(default)"))
        #expect(CacheKind.folder(in: nil, app: "a", database).hasPrefix("/"))
        let names = ["", ".", "..", "...", "%", "a/b", "a%2fb", "A", "a", "é", "a b", "a.b", "__FIRAPP_DEFAULT"]
        let files = names.map { CacheLocation.fileName($0) }
        #expect(Set(files).count == names.count)
        #expect(files.allSatisfy { !$0.isEmpty && !$0.contains("/") && $0 != "." && $0 != ".." })
        #expect(files.last == "__FIRAPP_DEFAULT")
    }

    @Test("A database knows its app")
    func app() throws {
        FirebaseApp.configure(name: "app of a test", options: FirebaseOptions())
        let app = try #require(FirebaseApp.app(name: "app of a test"))
        #expect(Firestore.firestore(app: app).app === app)
        #expect(Databases.new(project: "p").app.options.projectID == "p")
    }
}
