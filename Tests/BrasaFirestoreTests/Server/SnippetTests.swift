import Foundation
import Testing

@testable import BrasaFirestore

/// The programs of the documents on transactions and batches, on aggregation at write time and on listeners, against a
/// real server. Their calls stand as they are printed there.
@Suite("Documented programs")
struct SnippetTests {
    @Test("A transaction increments a population")
    func populationTransaction() async throws {
        try await withServer { _, db in
            let sfReference = db.collection("cities").document("SF")
            try await sfReference.setData(["population": 860_000])

            do {
                let _ = try await db.runTransaction({ (transaction, errorPointer) -> Any? in
                    let sfDocument: DocumentSnapshot
                    do {
                        try sfDocument = transaction.getDocument(sfReference)
                    } catch let fetchError as NSError {
                        errorPointer?.pointee = fetchError
                        return nil
                    }

                    guard let oldPopulation = sfDocument.data()?["population"] as? Int else {
                        let error = NSError(
                            domain: "AppErrorDomain",
                            code: -1,
                            userInfo: [
                                NSLocalizedDescriptionKey:
                                    "Unable to retrieve population from snapshot \(sfDocument)"
                            ]
                        )
                        errorPointer?.pointee = error
                        return nil
                    }

                    // Note: this could be done without a transaction
                    //       by updating the population using FieldValue.increment()
                    transaction.updateData(["population": oldPopulation + 1], forDocument: sfReference)
                    return nil
                })
            }
            #expect(try await sfReference.getDocument()["population"] as? Int == 860_001)
        }
    }

    @Test("A transaction gives a value out, or its own error")
    func passingInformation() async throws {
        try await withServer { _, db in
            let sfReference = db.collection("cities").document("SF")
            try await sfReference.setData(["population": 999_999])

            func grow() async throws -> Any? {
                try await db.runTransaction({ (transaction, errorPointer) -> Any? in
                    let sfDocument: DocumentSnapshot
                    do {
                        try sfDocument = transaction.getDocument(sfReference)
                    } catch let fetchError as NSError {
                        errorPointer?.pointee = fetchError
                        return nil
                    }
                    guard let oldPopulation = sfDocument.data()?["population"] as? Int else { return nil }
                    let newPopulation = oldPopulation + 1
                    guard newPopulation <= 1000000 else {
                        let error = NSError(
                            domain: "AppErrorDomain",
                            code: -2,
                            userInfo: [NSLocalizedDescriptionKey: "Population \(newPopulation) too big"]
                        )
                        errorPointer?.pointee = error
                        return nil
                    }
                    transaction.updateData(["population": newPopulation], forDocument: sfReference)
                    return newPopulation
                })
            }
            let object = try await grow()
            #expect("\(object!)" == "1000000")
            let error = await #expect(throws: NSError.self) { _ = try await grow() }
            #expect(error?.domain == "AppErrorDomain")
            #expect(error?.code == -2)
            #expect(try await sfReference.getDocument()["population"] as? Int == 1_000_000)
        }
    }

    @Test("A batch writes three cities at once")
    func batch() async throws {
        try await withServer { _, db in
            try await db.collection("cities").document("SF").setData(["population": 1])
            try await db.collection("cities").document("LA").setData(["population": 2])

            // Get new write batch
            let batch = db.batch()

            // Set the value of 'NYC'
            let nycRef = db.collection("cities").document("NYC")
            batch.setData([:], forDocument: nycRef)

            // Update the population of 'SF'
            let sfRef = db.collection("cities").document("SF")
            batch.updateData(["population": 1000000], forDocument: sfRef)

            // Delete the city 'LA'
            let laRef = db.collection("cities").document("LA")
            batch.deleteDocument(laRef)

            // Commit the batch
            try await batch.commit()

            let snapshot = try await db.collection("cities").getDocuments(source: .server)
            #expect(snapshot.documents.map(\.documentID) == ["NYC", "SF"])
            #expect(snapshot.documents.last?["population"] as? Int == 1_000_000)
        }
    }

    @Test("A rating changes a restaurant's average in one transaction")
    func ratings() async throws {
        try await withServer { _, db in
            let restaurantRef = db.collection("restaurants").document("arinell-pizza")
            try await restaurantRef.setData(["name": "Arinell Pizza", "avgRating": 4.5 as Float, "numRatings": 2])

            func addRatingTransaction(rating: Float) async {
                let ratingRef = restaurantRef.collection("ratings").document()
                do {
                    let _ = try await db.runTransaction({ (transaction, errorPointer) -> Any? in
                        do {
                            let restaurantDocument = try transaction.getDocument(restaurantRef).data()
                            guard var restaurantData = restaurantDocument else { return nil }

                            // Compute new number of ratings
                            let numRatings = restaurantData["numRatings"] as! Int
                            let newNumRatings = numRatings + 1

                            // Compute new average rating
                            let avgRating = restaurantData["avgRating"] as! Float
                            let oldRatingTotal = avgRating * Float(numRatings)
                            let newAvgRating = (oldRatingTotal + rating) / Float(newNumRatings)

                            // Set new restaurant info
                            restaurantData["numRatings"] = newNumRatings
                            restaurantData["avgRating"] = newAvgRating

                            // Commit to Firestore
                            transaction.setData(restaurantData, forDocument: restaurantRef)
                            transaction.setData(["rating": rating], forDocument: ratingRef)
                        } catch {
                            // Error getting restaurant data
                            // ...
                        }
                        return nil
                    })
                } catch {
                    Issue.record(error)
                }
            }
            await addRatingTransaction(rating: 3)
            let restaurant = try await restaurantRef.getDocument()
            #expect(restaurant["numRatings"] as? Int == 3)
            #expect(restaurant["avgRating"] as? Float == 4)
            #expect(restaurant["name"] as? String == "Arinell Pizza")
            let average = try await restaurantRef.collection("ratings").aggregate([.average("rating"), .count()])
                .getAggregation(source: .server)
            #expect(average.get(.average("rating")) as? Double == 3)
            #expect(average.count == 1)
        }
    }

    @Test("A listener tells added, modified and removed cities apart")
    func viewChanges() async throws {
        try await withServer { server, db in
            let (lines, continuation) = AsyncStream<String>.makeStream()
            let registration = db.collection("cities").whereField("state", isEqualTo: "CA")
                .addSnapshotListener { querySnapshot, error in
                    guard let snapshot = querySnapshot else {
                        continuation.yield("Error fetching snapshots: \(error!)")
                        return
                    }
                    snapshot.documentChanges.forEach { diff in
                        if diff.type == .added { continuation.yield("New city: \(diff.document.documentID)") }
                        if diff.type == .modified { continuation.yield("Modified city: \(diff.document.documentID)") }
                        if diff.type == .removed { continuation.yield("Removed city: \(diff.document.documentID)") }
                    }
                }
            let loop = Loop(lines)
            let other = server.client()
            let sf = other.collection("cities").document("SF")
            try await sf.setData(["state": "CA"])
            #expect(try await loop.next() == "New city: SF")
            try await sf.updateData(["population": 1])
            #expect(try await loop.next() == "Modified city: SF")
            try await sf.updateData(["state": "XX"])
            #expect(try await loop.next() == "Removed city: SF")
            registration.remove()
            try await other.terminate()
        }
    }

    @Test("Metadata changes say when a write has arrived")
    func metadataChanges() async throws {
        try await withServer { _, db in
            let reference = db.collection("cities").document("SF")
            try await reference.setData(["a": 0])
            let loop = Loop(reference.snapshots(includeMetadataChanges: true))
            var seen = try await loop.next()
            while seen?.metadata.isFromCache == true { seen = try await loop.next() }
            reference.queueSet(["a": 1])
            let local = try await loop.next()
            #expect(local?["a"] as? Int == 1)
            #expect(local?.metadata.hasPendingWrites == true)
            var last = local
            while last?.metadata.hasPendingWrites == true { last = try await loop.next() }
            #expect(last?["a"] as? Int == 1)
        }
    }
}
