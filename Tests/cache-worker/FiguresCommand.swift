import ArgumentParser
import BrasaFirestore
import Foundation

struct FiguresCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "figures",
        abstract: "Measure the cache: fill it, then start up with it and write to it without a server."
    )

    enum Phase: String, ExpressibleByArgument, CaseIterable {
        case fill, start, write
    }

    @Argument(help: "fill (needs the server), start or write.")
    var phase: Phase

    @OptionGroup var database: WorkerDatabase

    @Option(help: "Documents to fill the cache with.")
    var documents = 100_000

    @Option(help: "Writes to measure.")
    var writes = 2_000

    private static let batch = 500

    func run() async throws {
        let start = ContinuousClock.now
        let firestore = self.database.open()
        let collection = firestore.collection("cached")
        switch self.phase {
        case .fill: try await self.fill(firestore, collection)
        case .start: try await self.start(firestore, collection, since: start)
        case .write: try await self.write(firestore, collection)
        }
        try await firestore.terminate()
    }

    /// The server's documents come into the cache by a listener, as they do in life.
    private func fill(_ firestore: Firestore, _ collection: CollectionReference) async throws {
        let body = String(repeating: "x", count: 150)
        let writer = firestore.bulkWriter()
        for number in 0..<self.documents {
            let fields: [String: Any] = ["n": number, "group": number % 10_000, "body": body]
            _ = try await writer.setData(fields, forDocument: collection.document("d\(number)"))
        }
        await writer.close()
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
