/// A value that the server computes or a field that is deleted, for use in `setData` and `updateData`.
///
/// `delete()` and `serverTimestamp()` are equal to themselves; the others are equal to nothing but the same object.
// @unchecked: the operands are frozen copies, set once and only read.
public final class FieldValue: @unchecked Sendable {
    enum Operation {
        case delete
        case serverTimestamp
        case arrayUnion([Any])
        case arrayRemove([Any])
        case increment(Number)
        case minimum(Number)
        case maximum(Number)
    }

    enum Number: Hashable, Sendable {
        case integer(Int64)
        case double(Double)
    }

    let operation: Operation

    private static let sharedDelete = FieldValue(.delete)
    private static let sharedServerTimestamp = FieldValue(.serverTimestamp)

    private init(_ operation: Operation) {
        self.operation = operation
    }

    /// Removes the field. For `updateData` at the top level, and for `setData` with `merge` or `mergeFields`.
    public static func delete() -> FieldValue { self.sharedDelete }

    /// The time at which the server commits the write.
    public static func serverTimestamp() -> FieldValue { self.sharedServerTimestamp }

    /// Adds the elements that an array does not have yet. A field that is no array is replaced.
    public static func arrayUnion(_ elements: [Any]) -> FieldValue { FieldValue(.arrayUnion(elements.map(frozen))) }

    /// Removes all elements equal to one of these.
    public static func arrayRemove(_ elements: [Any]) -> FieldValue { FieldValue(.arrayRemove(elements.map(frozen))) }

    /// Adds to a number. A field that is missing or no number becomes the operand. Integers saturate.
    public static func increment(_ d: Double) -> FieldValue { FieldValue(.increment(.double(d))) }
    public static func increment(_ l: Int64) -> FieldValue { FieldValue(.increment(.integer(l))) }
    public static func increment(_ l: Int) -> FieldValue { FieldValue(.increment(.integer(Int64(l)))) }

    /// Keeps the smaller of the field's number and this one.
    public static func minimum(_ d: Double) -> FieldValue { FieldValue(.minimum(.double(d))) }
    public static func minimum(_ l: Int64) -> FieldValue { FieldValue(.minimum(.integer(l))) }
    public static func minimum(_ l: Int) -> FieldValue { FieldValue(.minimum(.integer(Int64(l)))) }

    /// Keeps the greater of the field's number and this one.
    public static func maximum(_ d: Double) -> FieldValue { FieldValue(.maximum(.double(d))) }
    public static func maximum(_ l: Int64) -> FieldValue { FieldValue(.maximum(.integer(l))) }
    public static func maximum(_ l: Int) -> FieldValue { FieldValue(.maximum(.integer(Int64(l)))) }

    /// A vector, for nearest-neighbour queries.
    public static func vector(_ array: [Double]) -> VectorValue { VectorValue(array) }
    public static func vector(_ array: [Float]) -> VectorValue { VectorValue(array.map(Double.init)) }

    /// How the operation is called in texts about it.
    var name: String {
        switch self.operation {
        case .delete: "FieldValue.delete()"
        case .serverTimestamp: "FieldValue.serverTimestamp()"
        case .arrayUnion: "FieldValue.arrayUnion()"
        case .arrayRemove: "FieldValue.arrayRemove()"
        case .increment: "FieldValue.increment()"
        case .minimum: "FieldValue.minimum()"
        case .maximum: "FieldValue.maximum()"
        }
    }
}

extension FieldValue: Hashable {
    public static func == (left: FieldValue, right: FieldValue) -> Bool {
        left === right
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension FieldValue: CustomStringConvertible {
    public var description: String { "<\(self.name)>" }
}

extension FieldValue: Encodable {
    /// Only `Firestore.Encoder` can write an operation; it does so without calling this.
    public func encode(to encoder: any Encoder) throws {
        throw FirestoreEncodingError.encodingIsNotSupported(
            "FieldValue values can only be encoded with Firestore.Encoder"
        )
    }
}
