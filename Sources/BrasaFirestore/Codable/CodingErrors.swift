/// What `Firestore.Encoder` cannot write.
public enum FirestoreEncodingError: Error, Sendable {
    case encodingIsNotSupported(String)
}

/// What `Firestore.Decoder` cannot read.
public enum FirestoreDecodingError: Error, Sendable {
    case decodingIsNotSupported(String)
    case fieldNameConflict(String)
}

extension Decoder {
    /// What is wrong with a value that was read is corrupt data.
    func checking(_ check: () throws(UsageError) -> Void) throws {
        do throws(UsageError) {
            try check()
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: self.codingPath, debugDescription: error.message)
            )
        }
    }
}
