package import BrasaDocuments

/// A Document message of a response: GetDocument, UpdateDocument and CreateDocument answer with one alone. Its stored
/// bytes are copied once, into the buffer.
package struct NamedDocument: Sendable {
    package var name: DocumentName
    /// Nil for a name that only stands above other documents (`show_missing`): it has neither fields nor times.
    package var document: Document?

    package init(name: DocumentName, document: Document?) {
        self.name = name
        self.document = document
    }
}
