internal import BrasaDocuments

/// Where a document is, whether it exists or not.
public final class DocumentReference: Sendable {
    public let firestore: Firestore
    let resource: ResourcePath

    init(firestore: Firestore, path: ResourcePath) {
        self.firestore = firestore
        self.resource = path
    }

    /// The last segment of the path.
    public var documentID: String { String(decoding: self.resource.lastSegment, as: UTF8.self) }

    /// Slash-separated, without a slash at the start.
    public var path: String { self.resource.string }

    public var parent: CollectionReference {
        // A document's path has one.
        CollectionReference(firestore: self.firestore, path: self.resource.parent ?? .root)
    }

    /// The collection at a path below this document, with an odd number of segments.
    @discardableResult
    public func collection(_ collectionPath: String) -> CollectionReference {
        trapping { () throws(UsageError) in
            let path = try PathText.collection(collectionPath, below: self.resource)
            return CollectionReference(firestore: self.firestore, path: path)
        }
    }

    var name: DocumentName {
        guard let name = DocumentName(database: self.firestore.database, path: self.resource) else {
            preconditionFailure("a document reference with the path of a collection")
        }
        return name
    }
}

extension DocumentReference: Hashable, CustomStringConvertible {
    public static func == (left: DocumentReference, right: DocumentReference) -> Bool {
        left.firestore === right.firestore && left.resource == right.resource
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self.firestore))
        hasher.combine(self.resource)
    }

    public var description: String { "<DocumentReference: \(self.path)>" }
}
