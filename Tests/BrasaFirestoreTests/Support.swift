import BrasaDocuments
import Synchronization
import Testing

@testable import BrasaFirestore

// The library's own types, which share their names with the protocol's.
typealias Timestamp = BrasaFirestore.Timestamp
typealias FieldPath = BrasaFirestore.FieldPath
typealias Query = BrasaFirestore.Query
typealias Filter = BrasaFirestore.Filter

/// For paths and references that a test knows to be sound.
func sound<Value>(_ value: @autoclosure () throws -> Value) -> Value {
    do {
        return try value()
    } catch {
        preconditionFailure("\(error)")
    }
}

/// Counts what several tasks do.
final class Count: Sendable {
    private let count = Atomic(0)

    var value: Int { self.count.load(ordering: .relaxed) }

    func add() { self.count.add(1, ordering: .relaxed) }
}

/// Databases that no test connects to.
enum Databases {
    static func new(project: String = "demo-test", database: String = "(default)") -> Firestore {
        Firestore(projectID: project, databaseID: database)
    }
}
