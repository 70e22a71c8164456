internal import BrasaApp
internal import BrasaDocuments
internal import Foundation

/// A value that is read, in whichever form it is at hand; it is looked into one level at a time.
enum DecodingSource {
    /// Out of a document. No boxes are made for its numbers.
    case stored(Value, ValueWriter)
    /// From a user, who may have made it or got it from `data()`.
    case given(Any)

    enum Content {
        case null
        case boolean(Bool)
        case integer(Int64)
        case unsigned(UInt64)
        case double(Double)
        case string(String)
        case bytes(Data)
        case array([DecodingSource])
        case map([String: DecodingSource])
        /// One of the library's own types, or something that cannot be read.
        case object(Any)
    }

    var content: Content {
        switch self {
        case .stored(let value, let writer): Self.content(value, writer)
        case .given(let given): Self.content(given)
        }
    }

    private static func content(_ value: Value, _ writer: ValueWriter) -> Content {
        switch value {
        case .null: return .null
        case .boolean(let boolean): return .boolean(boolean)
        case .integer(let integer): return .integer(integer)
        case .double(let double): return .double(double)
        case .string(let text): return .string(text.string)
        case .bytes(let bytes): return .bytes(Data(bytes))
        case .array(let elements): return .array(elements.map { .stored($0, writer) })
        case .timestamp, .reference, .geoPoint: return .object(writer.any(value))
        case .map(let entries):
            if let vector = value.vectorComponents { return .object(VectorValue(vector)) }
            if let pending = value.pendingTimestamp {
                return self.content(writer.behavior.value(of: pending), writer)
            }
            var map = [String: DecodingSource](minimumCapacity: entries.count)
            for entry in entries { map[entry.key.string] = .stored(entry.value, writer) }
            return .map(map)
        }
    }

    private static func content(_ given: Any) -> Content {
        if let optional = given as? any AnyOptional, optional.isNil { return .null }
        switch given {
        case is NSNull: return .null
        case let text as String: return .string(text)
        case let number as NSNumber: return self.content(number)
        case let number as CGFloat: return .double(Double(number))
        case let data as Data: return .bytes(data)
        case let date as Date: return .object((try? Timestamp(checking: date)) ?? date as Any)
        case let map as [String: Any]: return .map(map.mapValues { .given($0) })
        case let array as [Any]: return .array(array.map { .given($0) })
        default: return .object(given)
        }
    }

    private static func content(_ number: NSNumber) -> Content {
        switch NumberContent(number) {
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .unsigned(let value): .unsigned(value)
        case .double(let value): .double(value)
        }
    }
}
