package import BrasaDocuments
import Synchronization

/// What a document was before a commit changed it.
package struct BeforeImage: Sendable, Equatable {
    package let fields: EncodedFields
    package let createTime: Timestamp
    package let updateTime: Timestamp
}

/// While it lives, the records of a database's commits say what the documents were that they change or delete, as far as
/// the bound on a record's bytes leaves room. Nothing asks for it yet.
package final class BeforeImageSubscription: Sendable {
    private let database: DatabaseHandle

    fileprivate init(_ database: DatabaseHandle) {
        self.database = database
        database.beforeImageSubscriptions.add(1, ordering: .relaxed)
    }

    deinit { self.database.beforeImageSubscriptions.subtract(1, ordering: .relaxed) }
}

extension Store {
    package func subscribeToBeforeImages(of database: DatabaseHandle) -> BeforeImageSubscription {
        BeforeImageSubscription(database)
    }
}

extension BeforeImage {
    /// Nil for a deletion.
    init?(_ version: DocumentChain.Version) {
        guard let fields = version.fields else { return nil }
        self.init(
            fields: fields,
            createTime: Timestamp(microseconds: version.createTime),
            updateTime: Timestamp(microseconds: version.time)
        )
    }
}

/// What a record says of what a document was before.
enum RecordedImage: Sendable, Equatable {
    /// There was no document, or nobody asked.
    case none
    case kept(BeforeImage)
    /// There was one, for which the record had no room.
    case leftOut
}

/// A change as a record has it.
struct RecordedChange {
    let change: DocumentChange
    let before: RecordedImage
}
