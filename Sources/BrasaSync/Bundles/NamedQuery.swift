package import BrasaDocuments

/// A query that came with a bundle, to be run by its name.
package struct NamedQuery: Hashable, Sendable {
    package let name: UTF8Text
    package let query: SyncQuery
    /// When the results in the bundle were read.
    package let readTime: Timestamp

    package init(name: UTF8Text, query: SyncQuery, readTime: Timestamp) {
        self.name = name
        self.query = query
        self.readTime = readTime
    }
}
