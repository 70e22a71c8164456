package import BrasaDocuments

package struct BatchGetDocumentsRequest: Sendable {
    package var database: DatabaseName
    /// All in that database, in the request's order, perhaps repeated.
    package var documents: [DocumentName]
    package var mask: [FieldPath]?
    package var consistency: ReadConsistency

    package init(
        database: DatabaseName,
        documents: [DocumentName],
        mask: [FieldPath]? = nil,
        consistency: ReadConsistency = .strong
    ) {
        self.database = database
        self.documents = documents
        self.mask = mask
        self.consistency = consistency
    }
}
