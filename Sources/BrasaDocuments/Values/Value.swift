/// A decoded field value. Stored documents stay encoded (`EncodedFields`); this is for what must be computed with.
package indirect enum Value: Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case timestamp(Timestamp)
    case string(UTF8Text)
    case bytes([UInt8])
    /// May name a document of any database.
    case reference(DocumentName)
    case geoPoint(latitude: Double, longitude: Double)
    case array([Value])
    /// Sorted by key bytes, keys distinct. A vector is a map of `__type__` and `value` (see `Value.vector`).
    case map([MapEntry])

    package struct MapEntry: Sendable {
        package var key: UTF8Text
        package var value: Value

        package init(key: UTF8Text, value: Value) {
            self.key = key
            self.value = value
        }
    }
}
