package import BrasaDocuments
package import BrasaQueries

/// What is known of an index from outside.
package struct IndexDescription: Sendable {
    package enum State: Hashable, Sendable {
        case building
        case ready
        /// There was no room for it in memory, or no more; it is not tried again before a while.
        case doesNotFit
        /// A document has too many entries for it, or its collection too many indexes; it is not tried again before a while.
        case abandoned
    }

    package let database: DatabaseName
    package let definition: IndexDefinition
    package let state: State
    package let entries: Int
    /// About.
    package let bytes: Int
    /// How many queries used it.
    package let uses: Int
    /// When it was asked for first.
    package let created: Timestamp
    /// Nil: never.
    package let lastUsed: Timestamp?
}
