import BrasaFirestore
import Foundation

extension TaggedValue {
    /// What a program gives to `setData` for this value.
    func given(to firestore: Firestore) -> Any {
        switch self {
        case .null: return NSNull()
        case .boolean(let boolean): return boolean
        case .integer(let integer): return integer
        case .double(let double): return double
        case .timestamp(let seconds, let nanoseconds): return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
        case .string(let text): return text
        case .bytes(let bytes): return Data(bytes)
        case .reference(let path): return firestore.document(path)
        case .geoPoint(let latitude, let longitude): return GeoPoint(latitude: latitude, longitude: longitude)
        case .array(let elements): return elements.map { $0.given(to: firestore) }
        case .map(let entries): return entries.mapValues { $0.given(to: firestore) }
        case .vector(let components): return FieldValue.vector(components)
        case .operation(let operation): return operation.given(to: firestore)
        }
    }

    /// Of what a program gets from `data()`.
    init(read any: Any) throws {
        switch any {
        case is NSNull: self = .null
        case let text as String: self = .string(text)
        case let bytes as Data: self = .bytes([UInt8](bytes))
        case let timestamp as Timestamp:
            self = .timestamp(seconds: timestamp.seconds, nanoseconds: timestamp.nanoseconds)
        case let reference as DocumentReference: self = .reference(reference.path)
        case let point as GeoPoint: self = .geoPoint(latitude: point.latitude, longitude: point.longitude)
        case let vector as VectorValue: self = .vector(vector.array)
        case let number as NSNumber: self = try Self.number(number)
        case let elements as [Any]: self = .array(try elements.map { try TaggedValue(read: $0) })
        case let entries as [String: Any]: self = .map(try entries.mapValues { try TaggedValue(read: $0) })
        default: throw Malformed(description: "a value of type \(type(of: any))")
        }
    }

    /// Casts would find a 1 in `true`, and in 1.0.
    private static func number(_ number: NSNumber) throws -> TaggedValue {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"): return .boolean(number.boolValue)
        // Small integers have a smaller type, whatever they were made of.
        case UInt8(ascii: "s"), UInt8(ascii: "i"), UInt8(ascii: "l"), UInt8(ascii: "q"):
            return .integer(number.int64Value)
        case UInt8(ascii: "d"): return .double(number.doubleValue)
        case let code: throw Malformed(description: "a number of type \(code)")
        }
    }
}

extension TaggedValue.Operation {
    fileprivate func given(to firestore: Firestore) -> Any {
        switch self {
        case .delete: return FieldValue.delete()
        case .serverTimestamp: return FieldValue.serverTimestamp()
        case .increment(.integer(let integer)): return FieldValue.increment(integer)
        case .increment(.double(let double)): return FieldValue.increment(double)
        case .minimum(.integer(let integer)): return FieldValue.minimum(integer)
        case .minimum(.double(let double)): return FieldValue.minimum(double)
        case .maximum(.integer(let integer)): return FieldValue.maximum(integer)
        case .maximum(.double(let double)): return FieldValue.maximum(double)
        case .arrayUnion(let elements): return FieldValue.arrayUnion(elements.map { $0.given(to: firestore) })
        case .arrayRemove(let elements): return FieldValue.arrayRemove(elements.map { $0.given(to: firestore) })
        // No number: let the client refuse it.
        case .increment(let operand), .minimum(let operand), .maximum(let operand): return operand
        }
    }
}
