import ArgumentParser
import BrasaFirestore
import Foundation

struct FiguresCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "figures",
        abstract: "Measure the cache: fill it, then start up with it, query it and write to it without a server."
    )

    enum Phase: String, ExpressibleByArgument, CaseIterable {
        case fill, start, query, write
    }

    @Argument(help: "fill (needs the server), start, query or write.")
    var phase: Phase

    @OptionGroup var database: WorkerDatabase

    @Option(help: "Documents to fill the cache with.")
    var documents = 100_000

    @Option(help: "Writes to measure.")
    var writes = 2_000

    /// Of ten documents each.
    private var groups: Int { max(self.documents / 10, 1) }

    func run() async throws {
        let start = ContinuousClock.now
        let firestore = self.database.open()
        let collection = firestore.collection("cached")
        switch self.phase {
        case .fill: try await self.fill(firestore, collection)
        case .start: try await self.start(firestore, collection, since: start)
        case .query: try await self.query(firestore, collection)
        case .write: try await self.write(firestore, collection)
        }
        try await firestore.terminate()
    }

    /// The server's documents come into the cache by a listener, as they do in life.
    private func fill(_ firestore: Firestore, _ collection: CollectionReference) async throws {
        let body = String(repeating: "x", count: 150)
        // By another client, so that the cache begins empty.
        let writer = Firestore(projectID: "cache")
        for first in stride(from: 0, to: self.documents, by: 500) {
            let batch = writer.batch()
            for number in first..<min(first + 500, self.documents) {
                let fields: [String: Any] = ["n": number, "group": number % self.groups, "body": body]
                batch.setData(fields, forDocument: writer.document("cached/d\(number)"))
            }
            try await batch.commit()
        }
        try await writer.terminate()
        let start = ContinuousClock.now
        for try await snapshot in collection.snapshots(includeMetadataChanges: true) {
            if !snapshot.metadata.isFromCache { break }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print("\(self.documents) documents from the server into the cache: \(String(format: "%.1f", seconds)) s")
        print("the cache's files: \(String(format: "%.1f", Double(self.database.fileBytes()) / 1e6)) MB")
    }

    private func start(
        _ firestore: Firestore,
        _ collection: CollectionReference,
        since start: ContinuousClock.Instant
    ) async throws {
        func report(_ what: String) {
            let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
            print("\(what): \(String(format: "%.1f", milliseconds)) ms after the start")
        }
        try await firestore.disableNetwork()
        report("the cache is open")
        _ = try await collection.document("d\(self.documents / 2)").getDocument(source: .cache)
        report("one document is read")
        for try await snapshot in collection.document("d1").snapshots where snapshot.exists { break }
        report("a document's listener has its first snapshot")
        let few = collection.order(by: FieldPath.documentID()).limit(to: 10)
        for try await snapshot in few.snapshots where snapshot.documents.count == 10 { break }
        report("a listener to ten documents has its first snapshot")
        for try await snapshot in collection.snapshots where snapshot.documents.count == self.documents { break }
        report("a listener to all \(self.documents) has its first snapshot")
    }

    /// Two queries that return ten documents, before there is an index for them and after.
    private func query(_ firestore: Firestore, _ collection: CollectionReference) async throws {
        try await firestore.disableNetwork()
        let queries = [
            ("an equality", collection.whereField("group", isEqualTo: self.groups / 2)),
            ("an order with a limit", collection.order(by: "n").limit(to: 10)),
        ]
        var scans: [Double] = []
        for (name, query) in queries {
            scans.append(try await self.report("\(name), 10 of \(self.documents), no index", query, times: 7))
        }
        firestore.persistentCacheIndexManager?.enableIndexAutoCreation()
        let start = ContinuousClock.now
        for (_, query) in queries { _ = try await query.getDocuments(source: .cache) }
        for ((_, query), scan) in zip(queries, scans) {
            // Nothing says when an index is complete; until then a query looks at everything.
            while try await self.microseconds(query) > scan / 3, start.duration(to: .now) < .seconds(600) {
                try await Task.sleep(for: .milliseconds(200))
            }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print("both indexes were filled after \(String(format: "%.1f", seconds)) s")
        for (name, query) in queries {
            _ = try await self.report("\(name), 10 of \(self.documents), by an index", query, times: 1_000)
        }
        print("the cache's files: \(String(format: "%.1f", Double(self.database.fileBytes()) / 1e6)) MB")
    }

    /// Gives the median.
    private func report(_ what: String, _ query: Query, times: Int) async throws -> Double {
        var latencies: [Double] = []
        for _ in 0..<times { latencies.append(try await self.microseconds(query)) }
        latencies.sort()
        let (median, slow) = (latencies[times / 2], latencies[(times - 1) * 99 / 100])
        print("\(what): p50 \(String(format: "%.0f", median)) µs, p99 \(String(format: "%.0f", slow)) µs")
        return median
    }

    private func microseconds(_ query: Query) async throws -> Double {
        let start = ContinuousClock.now
        _ = try await query.getDocuments(source: .cache)
        return (ContinuousClock.now - start) / .microseconds(1)
    }

    private func write(_ firestore: Firestore, _ collection: CollectionReference) async throws {
        try await firestore.disableNetwork()
        var latencies: [Double] = []
        for number in 0..<self.writes {
            let document = collection.document("w\(number)")
            let start = ContinuousClock.now
            document.setData(["n": number], completion: nil)
            // What the engine reads now has the write in it, stored.
            _ = try await document.getDocument(source: .cache)
            latencies.append((ContinuousClock.now - start) / .microseconds(1))
        }
        latencies.sort()
        let shares = [(0.5, "50"), (0.9, "90"), (0.99, "99")].map { share, name in
            "p\(name) \(String(format: "%.0f", latencies[Int(share * Double(latencies.count - 1))])) µs"
        }
        print("a write is queued on disk, and seen: \(shares.joined(separator: ", "))")
    }
}
