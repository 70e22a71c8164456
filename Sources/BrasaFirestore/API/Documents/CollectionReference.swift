internal import BrasaDocuments

/// A collection of documents, which is also the query for all of them.
// @unchecked: like `Query`, it never changes.
public final class CollectionReference: Query, @unchecked Sendable {
    let place: Place

    init(firestore: Firestore, place: Place) {
        self.place = place
        super.init(firestore: firestore, definition: QueryDefinition(collection: place))
    }

    convenience init(firestore: Firestore, path: ResourcePath) {
        self.init(firestore: firestore, place: .path(path))
    }

    var resource: ResourcePath {
        get throws(UsageError) { try self.place.resource }
    }

    /// The last segment of the path.
    public var collectionID: String { self.place.lastSegment }

    /// Slash-separated, without a slash at the start.
    public var path: String { self.place.text }

    /// The document that the collection belongs to; nil for a collection at the root.
    public var parent: DocumentReference? {
        guard let parent = self.place.parent, !parent.text.isEmpty else { return nil }
        return DocumentReference(firestore: self.firestore, place: parent)
    }

    /// A document with a new ID. Nothing is written.
    @discardableResult
    public func document() -> DocumentReference {
        var generator = SystemRandomNumberGenerator()
        return self.document(RandomID.make(using: &generator).string)
    }

    /// The document at a path below this collection, with an odd number of segments. Every use of one at a text that is no
    /// such path fails.
    @discardableResult
    public func document(_ documentPath: String) -> DocumentReference {
        DocumentReference(firestore: self.firestore, place: .document(documentPath, below: self.place))
    }

    public override var description: String { "<CollectionReference: \(self.path)>" }
}
