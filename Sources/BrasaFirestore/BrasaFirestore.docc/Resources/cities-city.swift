import BrasaFirestore

/// A document of `cities`.
struct City: Codable, Sendable {
    @DocumentID var id: String?
    var name: String
    var population: Int
    @ServerTimestamp var changed: Timestamp?
}
