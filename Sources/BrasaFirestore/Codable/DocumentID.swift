/// Marks what is neither a field nor read from one, so that a document needs no field of that name.
protocol UncodedUnkeyed {}

/// What ``DocumentID`` can hold.
public protocol DocumentIDWrappable {
    static func wrap(_ documentReference: DocumentReference) throws -> Self
}

extension String: DocumentIDWrappable {
    public static func wrap(_ documentReference: DocumentReference) throws -> String {
        documentReference.documentID
    }
}

extension DocumentReference: DocumentIDWrappable {
    public static func wrap(_ documentReference: DocumentReference) throws -> DocumentReference {
        documentReference
    }
}

/// A property that gets the ID of the document that the value is read from, and that is never written.
@propertyWrapper
public struct DocumentID<Value: DocumentIDWrappable & Codable>: UncodedUnkeyed {
    public var wrappedValue: Value?

    public init(wrappedValue value: Value?) {
        self.wrappedValue = value
    }
}

extension DocumentID: Codable {
    public init(from decoder: any Decoder) throws {
        guard let reference = (decoder as? FieldDecoder)?.reference else {
            throw FirestoreDecodingError.decodingIsNotSupported(
                "DocumentID values can only be read by a Firestore.Decoder that was given a DocumentReference"
            )
        }
        self.init(wrappedValue: try Value.wrap(reference))
    }

    public func encode(to encoder: any Encoder) throws {
        throw FirestoreEncodingError.encodingIsNotSupported(
            "DocumentID values can only be encoded with Firestore.Encoder"
        )
    }
}

extension DocumentID: Equatable where Value: Equatable {}
extension DocumentID: Hashable where Value: Hashable {}
extension DocumentID: Sendable where Value: Sendable {}
