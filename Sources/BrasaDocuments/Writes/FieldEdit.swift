/// A document's fields under changes that are not held against the limits: a client's estimate of what the server will
/// make of writes that the server may still refuse. `DocumentEdit` is the one that checks.
package struct FieldEdit: Sendable {
    private var tree: FieldTree

    package init(_ fields: EncodedFields) {
        self.tree = FieldTree(fields)
    }

    /// Makes the maps on the way; a path of more names than a document nests changes nothing.
    package mutating func set(_ value: Value, at path: FieldPath) {
        try? self.tree.set(.value(value), at: path)
    }

    /// The value's canonical bytes.
    package mutating func set(encoded value: BytePart, at path: FieldPath) {
        try? self.tree.set(.encoded(value), at: path)
    }

    package mutating func remove(at path: FieldPath) {
        self.tree.remove(at: path)
    }

    package func finish() -> EncodedFields { self.tree.encoded() }
}
