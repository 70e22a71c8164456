internal import BrasaDocuments

/// A collection of documents, which is also the query for all of them.
// @unchecked: like `Query`, it never changes.
public final class CollectionReference: Query, @unchecked Sendable {
    let resource: ResourcePath

    init(firestore: Firestore, path: ResourcePath) {
        self.resource = path
        super.init(firestore: firestore, definition: QueryDefinition(collection: path))
    }

    /// The last segment of the path.
    public var collectionID: String { String(decoding: self.resource.lastSegment, as: UTF8.self) }

    /// Slash-separated, without a slash at the start.
    public var path: String { self.resource.string }

    /// The document that the collection belongs to; nil for a collection at the root.
    public var parent: DocumentReference? {
        guard let parent = self.resource.parent, parent.isDocument else { return nil }
        return DocumentReference(firestore: self.firestore, path: parent)
    }

    /// A document with a new ID. Nothing is written.
    @discardableResult
    public func document() -> DocumentReference {
        self.document(RandomID.random())
    }

    /// The document at a path below this collection, with an odd number of segments.
    @discardableResult
    public func document(_ documentPath: String) -> DocumentReference {
        trapping { () throws(UsageError) in
            let path = try PathText.document(documentPath, below: self.resource)
            return DocumentReference(firestore: self.firestore, path: path)
        }
    }

    public override var description: String { "<CollectionReference: \(self.path)>" }
}

/// The IDs that the library makes: 20 random letters and digits, 119 bits.
enum RandomID {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        let id = (0..<20).map { _ in self.alphabet[Int.random(in: 0..<self.alphabet.count, using: &generator)] }
        return String(decoding: id, as: UTF8.self)
    }
}
