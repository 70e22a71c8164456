internal import Foundation

/// What was written for one value. Maps and arrays are objects, since the containers that fill them are copied.
enum EncodedPart {
    case value(Any)
    case map(EncodedMap)
    case array(EncodedArray)
    /// What a superclass writes, perhaps after this was noted.
    case later(FieldEncoder)

    /// As users would give it to `setData`.
    var any: Any {
        switch self {
        case .value(let value): value
        case .map(let box): box.fields
        case .array(let box): box.parts.map(\.any)
        case .later(let encoder): encoder.part?.any ?? [String: Any]()
        }
    }
}

final class EncodedMap {
    var parts: [String: EncodedPart] = [:]

    var fields: [String: Any] { self.parts.mapValues(\.any) }
}

final class EncodedArray {
    var parts: [EncodedPart] = []
}
