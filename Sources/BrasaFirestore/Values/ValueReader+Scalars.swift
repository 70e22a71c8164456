internal import BrasaApp
internal import BrasaDocuments
internal import Foundation

extension ValueReader {
    /// The types that most values have, told by identity: a cast would also take an `NSNumber` that holds a boolean for
    /// an integer, and costs more.
    static func common(_ given: Any) -> Value? {
        let type = type(of: given)
        if type == String.self { return (given as? String).map { .string(UTF8Text($0)) } }
        if type == Int.self { return (given as? Int).map { .integer(Int64($0)) } }
        if type == Double.self { return (given as? Double).map { .double($0) } }
        if type == Bool.self { return (given as? Bool).map { .boolean($0) } }
        if type == Int64.self { return (given as? Int64).map { .integer($0) } }
        if type == Float.self { return (given as? Float).map { .double(Double($0)) } }
        return nil
    }

    /// Nil for what is no scalar.
    func scalar(_ given: Any) throws(UsageError) -> Value? {
        switch given {
        case let number as NSNumber: return try Self.number(number)
        case let number as CGFloat: return .double(Double(number))
        case let text as String: return .string(UTF8Text(text))
        case is NSNull: return .null
        case let timestamp as Timestamp: return .timestamp(try timestamp.stored)
        case let date as Date: return .timestamp(try Timestamp(checking: date).stored)
        case let data as Data: return .bytes(Array(data))
        case let point as GeoPoint:
            try point.check()
            return .geoPoint(latitude: point.latitude, longitude: point.longitude)
        case let vector as VectorValue: return .vector(vector.array)
        case let reference as DocumentReference: return try self.reference(reference)
        default: return nil
        }
    }

    private static func number(_ number: NSNumber) throws(UsageError) -> Value {
        switch NumberContent(number) {
        case .boolean(let value): return .boolean(value)
        case .integer(let value): return .integer(value)
        case .double(let value): return .double(value)
        case .unsigned(let value):
            throw UsageError("The number \(value) is too large for a 64-bit signed integer.")
        }
    }

    private func reference(_ reference: DocumentReference) throws(UsageError) -> Value {
        let database = reference.firestore.database
        guard database == self.database else {
            throw UsageError(
                "A reference to a document of \(database.string) cannot be used in \(self.database.string)."
            )
        }
        return .reference(try reference.name)
    }
}
