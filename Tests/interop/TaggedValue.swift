/// A value with its type, in a form of its own that another language can write and read without loss: an object whose
/// one key is the type. Numbers that JSON would blur are text: integers in decimal digits, the bits of doubles in
/// hexadecimal ones.
enum TaggedValue: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case timestamp(seconds: Int64, nanoseconds: Int32)
    case string(String)
    case bytes([UInt8])
    /// The document's path below the database.
    case reference(String)
    case geoPoint(latitude: Double, longitude: Double)
    case array([TaggedValue])
    case map([String: TaggedValue])
    case vector([Double])
    /// What the server computes; only in what is written.
    case operation(Operation)

    enum Operation: Sendable {
        case delete
        case serverTimestamp
        indirect case increment(TaggedValue)
        indirect case minimum(TaggedValue)
        indirect case maximum(TaggedValue)
        case arrayUnion([TaggedValue])
        case arrayRemove([TaggedValue])
    }
}

enum Tag: String, CodingKey {
    case null, boolean, integer, double, timestamp, string, bytes, reference, geoPoint, array, map, vector
    case delete, serverTimestamp, increment, minimum, maximum, arrayUnion, arrayRemove
}

/// What is not in the form that both sides agreed on.
struct Malformed: Error, CustomStringConvertible {
    let description: String
}
