package import BrasaDocuments

/// What a read of several documents has seen, and what must therefore not change: every document in the range, and that
/// there are no others in it.
package struct QueryRange: Hashable, Sendable {
    package let names: NameRange
    /// Nil: every document with such a name.
    package let query: Query?
    /// Results behind this, in the query's order, were not seen. Nil: all were.
    package let through: OrderPreservingKey?

    package init(names: NameRange) {
        self.names = names
        self.query = nil
        self.through = nil
    }

    package init(_ query: Query, through: OrderPreservingKey? = nil) {
        self.names = query.names
        self.query = query
        self.through = through
    }

    /// False when no document of this name can be in the range, whatever its fields.
    package func mayContain(_ path: ResourcePath) -> Bool {
        self.names.contains(path)
    }

    /// Whether a document is in the range; without fields it does not exist, and is not.
    package func contains(_ path: ResourcePath, fields: EncodedFields?) -> Bool {
        guard let fields else { return false }
        guard let query = self.query else { return self.names.contains(path) }
        guard query.matches(path: path, fields: fields) else { return false }
        guard let through = self.through else { return true }
        guard let key = query.order.key(path: path, fields: fields) else { return false }
        return !(through < key)
    }
}
