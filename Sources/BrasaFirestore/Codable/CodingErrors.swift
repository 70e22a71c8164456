/// What `Firestore.Encoder` cannot write.
public enum FirestoreEncodingError: Error, Sendable {
    case encodingIsNotSupported(String)
}

/// What `Firestore.Decoder` cannot read.
public enum FirestoreDecodingError: Error, Sendable {
    case decodingIsNotSupported(String)
    case fieldNameConflict(String)
}
