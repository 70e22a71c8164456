import BrasaFirestore
import Foundation

/// A document of `restaurants`.
struct Restaurant: Codable, Sendable {
    var name: String
    var averageRating: Double
    var ratingCount: Int

    /// For people to read.
    var average: String { String(format: "%.2f", self.averageRating) }

    mutating func add(_ rating: Rating) {
        let sum = self.averageRating * Double(self.ratingCount) + Double(rating.stars)
        self.ratingCount += 1
        self.averageRating = sum / Double(self.ratingCount)
    }
}

/// A document of a restaurant's `ratings`. The server fills in when it was written.
struct Rating: Codable, Sendable {
    var guest: String
    var stars: Int
    @ServerTimestamp var rated: Timestamp?
}
