import BrasaDocuments
import Testing

@testable import BrasaFirestore

// The library's own types, which share their names with the protocol's.
typealias Timestamp = BrasaFirestore.Timestamp
typealias FieldPath = BrasaFirestore.FieldPath
typealias Query = BrasaFirestore.Query
typealias Filter = BrasaFirestore.Filter

/// Databases that no test connects to.
enum Databases {
    static func new(project: String = "demo-test", database: String = "(default)") -> Firestore {
        Firestore(projectID: project, databaseID: database)
    }
}
