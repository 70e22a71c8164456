package import BrasaDocuments

/// A document that a query found.
package struct FoundDocument: Sendable {
    package let path: ResourcePath
    package let document: Document
    /// The result's place in the query's order, when it had to be computed anyway.
    package let orderKey: OrderPreservingKey?

    package init(path: ResourcePath, document: Document, orderKey: OrderPreservingKey? = nil) {
        self.path = path
        self.document = document
        self.orderKey = orderKey
    }
}
