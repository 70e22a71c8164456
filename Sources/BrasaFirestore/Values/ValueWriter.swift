internal import BrasaDocuments
internal import Foundation

/// Makes of stored values what users get from `data()`. Numbers and booleans are `NSNumber` objects, since only those
/// cast to `Int`, `Double` and `Bool` on Linux as they do on Apple's systems.
struct ValueWriter {
    let firestore: Firestore
    let behavior: ServerTimestampBehavior

    func map(_ entries: [Value.MapEntry]) -> [String: Any] {
        var map = [String: Any](minimumCapacity: entries.count)
        for entry in entries { map[entry.key.string] = self.any(entry.value) }
        return map
    }

    func any(_ value: Value) -> Any {
        switch value {
        case .null: return NSNull()
        case .boolean(let boolean): return NSNumber(value: boolean)
        case .integer(let integer): return NSNumber(value: integer)
        case .double(let double): return NSNumber(value: double)
        case .timestamp(let timestamp): return Timestamp(timestamp)
        case .string(let text): return text.string
        case .bytes(let bytes): return Data(bytes)
        case .reference(let name): return self.firestore.reference(to: name)
        case .geoPoint(let latitude, let longitude):
            return GeoPoint(latitude: latitude, longitude: longitude)
        case .array(let elements): return elements.map { self.any($0) }
        case .map(let entries):
            if let vector = value.vectorComponents { return VectorValue(vector) }
            if let pending = value.pendingTimestamp { return self.any(self.behavior.value(of: pending)) }
            return self.map(entries)
        }
    }
}
