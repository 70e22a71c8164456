package import BrasaDocuments

/// One message of the BatchGetDocuments stream.
package struct BatchGetDocumentsResponse: Sendable {
    package enum Result: Sendable {
        case found(NamedDocument)
        case missing(DocumentName)
    }

    /// Nil in the first message of a call with `new_transaction`, which carries only the transaction.
    package var result: Result?
    package var transaction: [UInt8]
    package var readTime: Timestamp?

    package init(result: Result?, readTime: Timestamp?, transaction: [UInt8] = []) {
        self.result = result
        self.readTime = readTime
        self.transaction = transaction
    }
}

package struct ListDocumentsResponse: Sendable {
    package var documents: [NamedDocument]
    /// Empty on the last page.
    package var nextPageToken: UTF8Text

    package init(documents: [NamedDocument], nextPageToken: UTF8Text = "") {
        self.documents = documents
        self.nextPageToken = nextPageToken
    }
}

package struct ListCollectionIdsResponse: Sendable {
    package var collectionIDs: [UTF8Text]
    /// Empty on the last page.
    package var nextPageToken: UTF8Text

    package init(collectionIDs: [UTF8Text], nextPageToken: UTF8Text = "") {
        self.collectionIDs = collectionIDs
        self.nextPageToken = nextPageToken
    }
}
