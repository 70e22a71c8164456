import Foundation
import Testing

@testable import BrasaFirestore

/// The programs of the documents on listeners and on what is kept of ratings, against a real server. Their calls stand as
/// they are printed there; what they would print goes to the test.
@Suite("Documented listeners")
struct ListenerSnippetTests {
    /// Lines that a program's closures write.
    private struct Lines {
        let write: @Sendable (String) -> Void
        let loop: Loop<AsyncStream<String>>

        init() {
            let (lines, continuation) = AsyncStream<String>.makeStream()
            self.write = { continuation.yield($0) }
            self.loop = Loop(lines)
        }

        /// The next line that is not like the last one that was asked for.
        func next(after last: String = "") async throws -> String? {
            var line = try await self.loop.next()
            while line == last { line = try await self.loop.next() }
            return line
        }
    }

    @Test("A listener is told a document's data, and what becomes of it")
    func document() async throws {
        try await withServer { server, db in
            let lines = Lines()
            db.collection("cities").document("SF")
                .addSnapshotListener { documentSnapshot, error in
                    guard let document = documentSnapshot else {
                        lines.write("Error fetching document: \(error!)")
                        return
                    }
                    guard let data = document.data() else {
                        lines.write("Document data was empty.")
                        return
                    }
                    lines.write("Current data: \(data)")
                }
            #expect(try await lines.next() == "Document data was empty.")
            let other = server.client()
            try await other.document("cities/SF").setData(["name": "San Francisco"])
            #expect(try await lines.next() == "Current data: [\"name\": \"San Francisco\"]")
            try await other.document("cities/SF").delete()
            #expect(try await lines.next() == "Document data was empty.")
            try await other.terminate()
        }
    }

    @Test("A listener tells local data from the server's")
    func localChanges() async throws {
        try await withServer { _, db in
            let reference = db.collection("cities").document("SF")
            try await reference.setData(["n": 0])
            let lines = Lines()
            reference.addSnapshotListener(includeMetadataChanges: true) { documentSnapshot, error in
                guard let document = documentSnapshot else {
                    lines.write("Error fetching document: \(error!)")
                    return
                }
                let source = document.metadata.hasPendingWrites ? "Local" : "Server"
                lines.write("\(source) data: \(document.data() ?? [:])")
            }
            #expect(try await lines.next() == "Server data: [\"n\": 0]")
            reference.queueSet(["n": 1])
            #expect(try await lines.next(after: "Server data: [\"n\": 0]") == "Local data: [\"n\": 1]")
            #expect(try await lines.next(after: "Local data: [\"n\": 1]") == "Server data: [\"n\": 1]")
        }
    }

    @Test("A listener to the cache alone is told what others bring there")
    func cacheSource() async throws {
        try await withServer { server, db in
            let other = server.client()
            try await other.document("cities/SF").setData(["state": "CA"])
            let lines = Lines()
            let options = SnapshotListenOptions()
                .withSource(ListenSource.cache)
                .withIncludeMetadataChanges(true)
            db.collection("cities").whereField("state", isEqualTo: "CA")
                .addSnapshotListener(options: options) { querySnapshot, error in
                    guard let snapshot = querySnapshot else {
                        lines.write("Error retreiving snapshot: \(error!)")
                        return
                    }
                    for diff in snapshot.documentChanges where diff.type == .added {
                        lines.write("New city: \(diff.document.data())")
                    }
                    let source = snapshot.metadata.isFromCache ? "local cache" : "server"
                    lines.write("Metadata: Data fetched from \(source)")
                }
            #expect(try await lines.next() == "Metadata: Data fetched from local cache")
            _ = try await db.document("cities/SF").getDocument(source: .server)
            #expect(try await lines.next() == "New city: [\"state\": \"CA\"]")
            #expect(try await lines.next() == "Metadata: Data fetched from local cache")
            try await other.terminate()
        }
    }

    @Test("A listener is told all documents of a query")
    func collection() async throws {
        try await withServer { server, db in
            let other = server.client()
            for (name, state) in [("San Francisco", "CA"), ("Los Angeles", "CA"), ("Reno", "NV")] {
                try await other.document("cities/\(name)").setData(["name": name, "state": state])
            }
            let lines = Lines()
            db.collection("cities").whereField("state", isEqualTo: "CA")
                .addSnapshotListener { querySnapshot, error in
                    guard let documents = querySnapshot?.documents else {
                        lines.write("Error fetching documents: \(error!)")
                        return
                    }
                    let cities = documents.compactMap { $0["name"] }
                    lines.write("Current cities in CA: \(cities)")
                }
            #expect(try await lines.next() == "Current cities in CA: [\"Los Angeles\", \"San Francisco\"]")
            try await other.document("cities/Reno").updateData(["state": "CA"])
            #expect(try await lines.next() == "Current cities in CA: [\"Los Angeles\", \"Reno\", \"San Francisco\"]")
            try await other.terminate()
        }
    }

    @Test("A listener that was removed is told nothing more")
    func detach() async throws {
        try await withServer { _, db in
            let lines = Lines()
            let listener = db.collection("cities").addSnapshotListener { querySnapshot, error in
                lines.write("\(querySnapshot?.count ?? -1) cities")
            }
            #expect(try await lines.next() == "0 cities")

            // Stop listening to changes
            listener.remove()

            try await db.document("cities/SF").setData(["n": 1])
            // What comes next is a later listener's.
            let later = db.document("cities/LA").addSnapshotListener { _, _ in lines.write("later") }
            #expect(try await lines.next() == "later")
            later.remove()
        }
    }

    @Test("A listener whose query the server refuses is told the error")
    func errors() async throws {
        try await withServer { (_, db) async throws in
            let lines = Lines()
            // More alternatives than a query may have.
            let filters = (0..<6).map { Filter.whereField("a\($0)", in: Array(0..<6)) }
            db.collection("cities").whereFilter(.andFilter(filters))
                .addSnapshotListener { querySnapshot, error in
                    if let error = error {
                        lines.write("Error retreiving collection: \((error as NSError).code)")
                    }
                }
            let told = try await lines.next()
            #expect(told == "Error retreiving collection: 3")
        }
    }

    private struct Restaurant {
        let name: String
        let avgRating: Float
        let numRatings: Int

        init(name: String, avgRating: Float, numRatings: Int) {
            self.name = name
            self.avgRating = avgRating
            self.numRatings = numRatings
        }
    }

    @Test("A restaurant's ratings are read from its subcollection")
    func ratings() async throws {
        try await withServer { _, db in
            let arinell = Restaurant(name: "Arinell Pizza", avgRating: 4.65, numRatings: 683)
            let restaurant = db.collection("restaurants").document("arinell-pizza")
            try await restaurant.setData([
                "name": arinell.name, "avgRating": arinell.avgRating, "numRatings": arinell.numRatings,
            ])
            #expect(try await restaurant.getDocument(source: .server)["avgRating"] as? Float == 4.65)
            try await restaurant.collection("ratings").document("one").setData(["rating": 5])
            do {
                let snapshot = try await db.collection("restaurants")
                    .document("arinell-pizza")
                    .collection("ratings")
                    .getDocuments()
                #expect("\(snapshot)".contains("restaurants/arinell-pizza/ratings/one"))
                #expect(snapshot.count == 1)
            } catch {
                Issue.record(error, "Error getting ratings")
            }
        }
    }
}
