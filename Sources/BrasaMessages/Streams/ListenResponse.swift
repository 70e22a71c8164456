package import BrasaDocuments

/// One message of the Listen stream.
package enum ListenResponse: Sendable {
    case targetChange(TargetChange)
    case documentChange(DocumentChange)
    case documentDelete(DocumentDelete)
    case documentRemove(DocumentRemove)
    case filter(ExistenceFilter)
    /// Something later than these, to be passed over.
    case unknown

    /// A document that is new to the first targets or has changed there, and does not match the others any more.
    package struct DocumentChange: Sendable {
        package var document: NamedDocument
        package var targetIDs: [Int32]
        package var removedTargetIDs: [Int32]

        package init(_ document: NamedDocument, targetIDs: [Int32], removedTargetIDs: [Int32] = []) {
            self.document = document
            self.targetIDs = targetIDs
            self.removedTargetIDs = removedTargetIDs
        }
    }

    /// A document that is there no more.
    package struct DocumentDelete: Sendable {
        package var name: DocumentName
        package var removedTargetIDs: [Int32]
        package var readTime: Timestamp?

        package init(_ name: DocumentName, removedTargetIDs: [Int32], readTime: Timestamp?) {
            self.name = name
            self.removedTargetIDs = removedTargetIDs
            self.readTime = readTime
        }
    }

    /// A document that left targets, and perhaps still exists.
    package struct DocumentRemove: Sendable {
        package var name: DocumentName
        package var removedTargetIDs: [Int32]
        package var readTime: Timestamp?

        package init(_ name: DocumentName, removedTargetIDs: [Int32], readTime: Timestamp?) {
            self.name = name
            self.removedTargetIDs = removedTargetIDs
            self.readTime = readTime
        }
    }
}
