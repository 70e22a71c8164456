package import BrasaDocuments

/// What an index is of: the documents of all collections with one id that have certain fields, in the order of those
/// fields and then of their names.
///
/// A key is, in a collection's scope, the order-preserving path of the collection's parent, so that each collection is a
/// run of its own, in the recursive scope that of a document above; then the parts, descending ones complemented; then the
/// document's id, in the groups' scopes its whole path. No key is the beginning of another, since each part of it ends by
/// itself.
package struct IndexDefinition: Hashable, Sendable {
    package enum Scope: Hashable, Sendable {
        /// For queries of one collection at a time, wherever it is.
        case collection
        /// For queries of all collections with the id.
        case collectionGroup
        /// For sorted queries of the collections with the id that are below one document: an entry for each document that
        /// is above.
        case collectionRecursive
    }

    package struct Part: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            case ascending, descending
            /// One entry for each distinct element of an array.
            case contains
        }

        package let path: FieldPath
        package let kind: Kind

        package init(_ path: FieldPath, _ kind: Kind) {
            self.path = path
            self.kind = kind
        }
    }

    package let collectionID: UTF8Text
    package let scope: Scope
    package let parts: [Part]

    package init(collectionID: UTF8Text, scope: Scope, parts: [Part]) {
        self.collectionID = collectionID
        self.scope = scope
        self.parts = parts
    }

    /// As a query's explanation shows it: `(foo ASC, tags CONTAINS, __name__ ASC)`.
    package var properties: String {
        let parts = self.parts.map { part in
            switch part.kind {
            case .ascending: "\(part.path.canonical) ASC"
            case .descending: "\(part.path.canonical) DESC"
            case .contains: "\(part.path.canonical) CONTAINS"
            }
        }
        let start = self.scope == .collectionRecursive ? ["__ancestor__ ASC"] : []
        return "(\((start + parts + ["__name__ ASC"]).joined(separator: ", ")))"
    }

    /// Also as an explanation shows it.
    package var scopeName: String { self.scope == .collection ? "Collection" : "Collection group" }
}
