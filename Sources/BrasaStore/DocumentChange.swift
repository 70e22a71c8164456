package import BrasaDocuments

/// What a commit does to one document.
package struct DocumentChange: Sendable {
    package enum Outcome: Sendable {
        /// A nil create time: the commit's.
        case set(EncodedFields, createTime: Timestamp?)
        case delete
    }

    package let database: DatabaseHandle
    package let path: ResourcePath
    package let outcome: Outcome

    package init(database: DatabaseHandle, path: ResourcePath, outcome: Outcome) {
        self.database = database
        self.path = path
        self.outcome = outcome
    }
}
