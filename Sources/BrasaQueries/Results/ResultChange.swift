package import BrasaDocuments

/// One step from one state of a query's results to the next. The steps of a transition are made one after the other:
/// first what is removed, then what is added, then what is modified, each in the query's order. Indexes are those at
/// that step.
package struct ResultChange: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case added(newIndex: Int)
        case modified(oldIndex: Int, newIndex: Int)
        case removed(oldIndex: Int)
    }

    package let kind: Kind
    package let path: ResourcePath
    /// The new document, or the last one that was a result.
    package let document: Document

    package init(_ kind: Kind, path: ResourcePath, document: Document) {
        self.kind = kind
        self.path = path
        self.document = document
    }
}
