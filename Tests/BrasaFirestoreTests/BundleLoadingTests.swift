import Dispatch
import Foundation
import Synchronization
import Testing

@testable import BrasaFirestore

/// A bundle in its written form.
struct BundleText {
    private var elements = ""
    private var documents = 0
    private static let database = "projects/demo-test/databases/(default)"

    mutating func add(_ json: String) { self.elements += "\(json.utf8.count)\(json)" }

    mutating func addDocument(_ path: String, n: Int, queries: [String] = [], readSeconds: Int = 20) {
        let name = "\(Self.database)/documents/\(path)"
        let queries = queries.map { "\"\($0)\"" }.joined(separator: ",")
        self.add(
            #"{"documentMetadata":{"name":"\#(name)","readTime":{"seconds":\#(readSeconds)},"exists":true,"#
                + #""queries":[\#(queries)]}}"#
        )
        self.add(
            #"{"document":{"name":"\#(name)","createTime":{"seconds":1},"updateTime":{"seconds":2},"#
                + #""fields":{"n":{"integerValue":"\#(n)"}}}}"#
        )
        self.documents += 1
    }

    /// `query` is the protocol's, as JSON.
    mutating func addQuery(_ name: String, _ query: String, limitType: String = "FIRST") {
        self.add(
            #"{"namedQuery":{"name":"\#(name)","readTime":{"seconds":20},"bundledQuery":{"parent":"#
                + #""\#(Self.database)/documents","structuredQuery":\#(query),"limitType":"\#(limitType)"}}}"#
        )
    }

    func data(id: String = "b", createSeconds: Int = 20, documents: Int? = nil) -> Data {
        let metadata =
            #"{"metadata":{"id":"\#(id)","createTime":{"seconds":\#(createSeconds)},"version":1,"totalDocuments":"#
            + #"\#(documents ?? self.documents),"totalBytes":"\#(self.elements.utf8.count)"}}"#
        return Data("\(metadata.utf8.count)\(metadata)\(self.elements)".utf8)
    }
}

@Suite("Bundles")
struct BundleLoadingTests {
    private static var cities: BundleText {
        var bundle = BundleText()
        for n in 1...3 { bundle.addDocument("cities/c\(n)", n: n, queries: n > 1 ? ["large"] : []) }
        bundle.addQuery(
            "large",
            #"{"from":[{"collectionId":"cities"}],"where":{"fieldFilter":{"field":{"fieldPath":"n"},"#
                + #""op":"GREATER_THAN","value":{"integerValue":"1"}}},"orderBy":[{"field":{"fieldPath":"n"},"#
                + #""direction":"DESCENDING"}]}"#
        )
        bundle.addQuery(
            "last",
            #"{"from":[{"collectionId":"cities"}],"orderBy":[{"field":{"fieldPath":"n"}}],"limit":{"value":2}}"#,
            limitType: "LAST"
        )
        return bundle
    }

    @Test("A bundle's documents are in the cache, and its queries have names")
    func load() async throws {
        let database = try await Databases.offline()
        let data = Self.cities.data()
        let progress = try await database.loadBundle(data)
        #expect(progress.state == .success)
        #expect(progress.documentsLoaded == 3 && progress.totalDocuments == 3)
        #expect(progress.bytesLoaded == progress.totalBytes && progress.totalBytes > 100)
        let cities = database.collection("cities")
        #expect(try await cities.document("c2").getDocument(source: .cache)["n"] as? Int == 2)
        let large = try #require(await database.getQuery(named: "large"))
        #expect(large == cities.whereField("n", isGreaterThan: 1).order(by: "n", descending: true))
        #expect(try await large.getDocuments(source: .cache).documents.map(\.documentID) == ["c3", "c2"])
        let last = try #require(await database.getQuery(named: "last"))
        #expect(last == cities.order(by: "n").limit(toLast: 2))
        #expect(try await last.getDocuments().documents.map(\.documentID) == ["c2", "c3"])
        #expect(await database.getQuery(named: "none") == nil)
        let (names, continuation) = AsyncStream<Query?>.makeStream()
        database.getQuery(named: "large") { continuation.yield($0) }
        #expect(try await Loop(names).next() == .some(large))
    }

    @Test("A task that loads a bundle needs nobody to serve the queue of handlers")
    func queueThatIsNotServed() async throws {
        let queue = DispatchQueue(label: "not served")
        queue.suspend()
        defer { queue.resume() }
        let database = try await Databases.offline(queue: queue)
        #expect(try await database.loadBundle(Self.cities.data()).documentsLoaded == 3)
        #expect(try await database.loadBundle(InputStream(data: Self.cities.data())).state == .success)
    }

    @Test("Observers are told every step in order, and the handler after them")
    func observers() async throws {
        let database = try await Databases.offline(queue: DispatchQueue(label: "concurrent", attributes: .concurrent))
        let log = Mutex<[String]>([])
        @Sendable func note(_ name: String) -> (LoadBundleTaskProgress) -> Void {
            { progress in log.withLock { $0.append("\(name) \(progress.state) \(progress.documentsLoaded)") } }
        }
        let progress = await withCheckedContinuation { continuation in
            // Nothing is told before the test has added its observers.
            let gate = DispatchSemaphore(value: 0)
            database.settings.dispatchQueue.async(flags: .barrier) { gate.wait() }
            let task = database.loadBundle(Self.cities.data()) { progress, error in
                log.withLock { $0.append(error == nil ? "handler" : "error") }
                continuation.resume(returning: progress)
            }
            let first = task.addObserver(note("first"))
            task.addObserver(note("second"))
            task.removeObserverWith(handle: first)
            task.removeObserverWith(handle: 77)
            task.addObserver(note("third"))
            gate.signal()
        }
        let steps = (0...3).map { "inProgress \($0)" } + ["success 3"]
        #expect(log.withLock { $0 } == steps.flatMap { ["second \($0)", "third \($0)"] } + ["handler"])
        #expect(progress?.state == .success)
    }

    @Test("A bundle that is no bundle is an error and changes nothing")
    func broken() async throws {
        let database = try await Databases.offline()
        var tooFew = Self.cities.data()
        tooFew.removeLast(10)
        for data in [Data(), Data("hello".utf8), tooFew, Self.cities.data(documents: 4)] {
            let error = await #expect(throws: NSError.self) { try await database.loadBundle(data) }
            #expect(error?.domain == FirestoreErrorDomain)
            #expect(error?.code == FirestoreErrorCode.unknown.rawValue)
        }
        #expect(try await database.collection("cities").getDocuments().isEmpty)
        let (results, continuation) = AsyncStream<(LoadBundleTaskProgress?, Bool)>.makeStream()
        database.loadBundle(Data()) { continuation.yield(($0, $1 != nil)) }
        let result = try #require(try await Loop(results).next())
        #expect(result.0?.state == .error && result.0?.totalDocuments == 0 && result.1)
    }

    @Test("A bundle comes from a stream as well, and an older one is nothing to do")
    func stream() async throws {
        let database = try await Databases.offline()
        #expect(try await database.loadBundle(InputStream(data: Self.cities.data())).documentsLoaded == 3)
        var older = BundleText()
        older.addDocument("cities/old", n: 1)
        #expect(try await database.loadBundle(InputStream(data: older.data(createSeconds: 19))).state == .success)
        #expect(try await database.collection("cities").getDocuments().count == 3)
        let missing = try #require(InputStream(fileAtPath: "/nonexistent/bundle"))
        let error = await #expect(throws: NSError.self) { try await database.loadBundle(missing) }
        #expect(error?.code == FirestoreErrorCode.unknown.rawValue)
    }

    @Test("A listener hears of what a bundle brings")
    func listener() async throws {
        let database = try await Databases.offline()
        let loop = Loop(database.collection("cities").snapshots)
        #expect(try await loop.next()?.count == 0)
        try await database.loadBundle(Self.cities.data())
        let snapshot = try #require(try await loop.next())
        #expect(snapshot.count == 3)
        #expect(snapshot.metadata.isFromCache && !snapshot.metadata.hasPendingWrites)
    }
}
