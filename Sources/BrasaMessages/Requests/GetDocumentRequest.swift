package import BrasaDocuments

package struct GetDocumentRequest: Sendable {
    package var name: DocumentName
    /// Nil returns all fields, an empty mask none.
    package var mask: [FieldPath]?
    package var consistency: ReadConsistency

    package init(name: DocumentName, mask: [FieldPath]? = nil, consistency: ReadConsistency = .strong) {
        self.name = name
        self.mask = mask
        self.consistency = consistency
    }
}
