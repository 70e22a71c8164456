package import BrasaDocuments

/// UpdateDocument: one write and what of the written document to return.
package struct UpdateDocumentRequest: Sendable {
    /// `set`, or `merge` when the request has an update mask.
    package var write: Write
    /// Of the response.
    package var mask: [FieldPath]?

    package init(write: Write, mask: [FieldPath]? = nil) {
        self.write = write
        self.mask = mask
    }
}

package struct DeleteDocumentRequest: Sendable {
    package var name: DocumentName
    package var precondition: Precondition?

    package init(name: DocumentName, precondition: Precondition? = nil) {
        self.name = name
        self.precondition = precondition
    }

    package var write: Write { Write(name: self.name, operation: .delete, precondition: self.precondition) }
}

package struct CreateDocumentRequest: Sendable {
    package var parent: ParentName
    /// Unchecked; `write(id:)` checks it.
    package var collectionID: UTF8Text
    /// Empty when the server is to choose.
    package var documentID: UTF8Text
    /// A name in the request's document is ignored.
    package var fields: EncodedFields
    /// Of the response.
    package var mask: [FieldPath]?

    package init(
        parent: ParentName,
        collectionID: UTF8Text,
        documentID: UTF8Text = "",
        fields: EncodedFields,
        mask: [FieldPath]? = nil
    ) {
        self.parent = parent
        self.collectionID = collectionID
        self.documentID = documentID
        self.fields = fields
        self.mask = mask
    }

    /// The write that creates the document under the request's id, or under `id` when the request has none.
    package func write(id: UTF8Text) throws(DocumentError) -> Write {
        let chosen = self.documentID.bytes.isEmpty ? id : self.documentID
        let path = try self.parent.path.appending(self.collectionID.bytes).appending(chosen.bytes)
        guard let name = DocumentName(database: self.parent.database, path: path) else {
            throw DocumentError(.documentIDInvalid(chosen.string))
        }
        return Write(name: name, operation: .set(self.fields), precondition: .exists(false))
    }
}
