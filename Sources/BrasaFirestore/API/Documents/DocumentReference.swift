internal import BrasaDocuments

/// Where a document is, whether it exists or not.
public final class DocumentReference: Sendable {
    public let firestore: Firestore
    let place: Place

    init(firestore: Firestore, place: Place) {
        self.firestore = firestore
        self.place = place
    }

    convenience init(firestore: Firestore, path: ResourcePath) {
        self.init(firestore: firestore, place: .path(path))
    }

    /// The last segment of the path.
    public var documentID: String { self.place.lastSegment }

    /// Slash-separated, without a slash at the start.
    public var path: String { self.place.text }

    public var parent: CollectionReference {
        // A document's path has one.
        CollectionReference(firestore: self.firestore, place: self.place.parent ?? .path(.root))
    }

    /// The collection at a path below this document, with an odd number of segments. Every use of one at a text that is no
    /// such path fails.
    @discardableResult
    public func collection(_ collectionPath: String) -> CollectionReference {
        CollectionReference(firestore: self.firestore, place: .collection(collectionPath, below: self.place))
    }

    var resource: ResourcePath {
        get throws(UsageError) { try self.place.resource }
    }

    var name: DocumentName {
        get throws(UsageError) {
            guard let name = DocumentName(database: self.firestore.database, path: try self.resource) else {
                throw UsageError("'\(self.path)' is no document.")
            }
            return name
        }
    }
}

extension DocumentReference: Hashable, CustomStringConvertible {
    public static func == (left: DocumentReference, right: DocumentReference) -> Bool {
        left.firestore === right.firestore && left.place == right.place
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self.firestore))
        hasher.combine(self.place)
    }

    public var description: String { "<DocumentReference: \(self.path)>" }
}
