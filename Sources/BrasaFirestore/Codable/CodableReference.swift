extension DocumentReference: Codable {
    /// Only `Firestore.Decoder` can read a reference; it does so without calling this.
    public convenience init(from decoder: any Decoder) throws {
        throw FirestoreDecodingError.decodingIsNotSupported(
            "DocumentReference values can only be read by Firestore.Decoder, from a stored reference"
        )
    }

    /// Only `Firestore.Encoder` can write a reference; it does so without calling this.
    public func encode(to encoder: any Encoder) throws {
        throw FirestoreEncodingError.encodingIsNotSupported(
            "DocumentReference values can only be encoded with Firestore.Encoder"
        )
    }
}
