import BrasaFirestore

/// Guests rate a restaurant, all at once. The restaurant keeps their number and average, so that whoever shows it reads
/// one document and not all of its ratings.
@main
struct RatingsAggregation {
    static func main() async throws {
        let db = Firestore.firestore()
        let restaurant = db.collection("restaurants").document("sunset-noodles")
        try await db.recursiveDelete(restaurant)
        try await restaurant.setData(["name": "Sunset Noodles", "averageRating": 0.0, "ratingCount": 0])

        let guests = ["Ana": 5, "Bao": 4, "Chidi": 2, "Dara": 5, "Emil": 3, "Farah": 4]
        try await withThrowingTaskGroup(of: Restaurant.self) { group in
            for (guest, stars) in guests {
                group.addTask { try await add(Rating(guest: guest, stars: stars), to: restaurant) }
            }
            for try await rated in group {
                print("after \(rated.ratingCount): \(rated.average)")
            }
        }

        let kept = try await restaurant.getDocument(as: Restaurant.self)
        print("the restaurant says: \(kept.ratingCount) ratings, average \(kept.average)")

        let count = AggregateField.count()
        let sum = AggregateField.sum("stars")
        let counted = try await restaurant.collection("ratings").aggregate([count, sum]).getAggregation(source: .server)
        print("its ratings say: \(counted.get(count)) ratings, \(counted.get(sum)) stars")
    }

    /// Writes the rating and what follows from it together, or neither.
    static func add(_ rating: Rating, to restaurant: DocumentReference) async throws -> Restaurant {
        let place = restaurant.collection("ratings").document()
        return try await restaurant.firestore.runTransaction { transaction in
            var rated = try await transaction.getDocument(restaurant).data(as: Restaurant.self)
            rated.add(rating)
            let kept = ["averageRating", "ratingCount"]
            try transaction.setData(from: rated, forDocument: restaurant, mergeFields: kept)
            try transaction.setData(from: rating, forDocument: place)
            return rated
        }
    }
}
