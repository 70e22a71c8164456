import BrasaDocuments

@testable import BrasaSync

/// JSON as the scripted cases use it.
enum JSON: Hashable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(_ json: JSONValue) {
        switch json {
        case .null: self = .null
        case .boolean(let boolean): self = .boolean(boolean)
        case .number(let text): self = Int64(text).map { .integer($0) } ?? .double(Double(text) ?? .nan)
        case .string(let string): self = .string(string)
        case .array(let elements): self = .array(elements.map(JSON.init))
        case .object(let members): self = .object(Dictionary(members.map { ($0.string, JSON($1)) }) { $1 })
        }
    }

    subscript(key: String) -> JSON? {
        guard case .object(let members) = self, let member = members[key], member != .null else { return nil }
        return member
    }

    var array: [JSON] { if case .array(let elements) = self { elements } else { [] } }
    var object: [String: JSON] { if case .object(let members) = self { members } else { [:] } }
    var string: String? { if case .string(let string) = self { string } else { nil } }
    var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
    var boolean: Bool? { if case .boolean(let boolean) = self { boolean } else { nil } }
    var strings: [String] { self.array.compactMap(\.string) }
    var ids: [Int64] { self.array.compactMap(\.integer) }

    var value: Value {
        switch self {
        case .null: .null
        case .boolean(let boolean): .boolean(boolean)
        case .integer(let integer): .integer(integer)
        case .double(let double): .double(double)
        case .string(let string): .string(UTF8Text(string))
        case .array(let elements): .array(elements.map(\.value))
        case .object(let members):
            .map(sorting: members.map { Value.MapEntry(key: UTF8Text($0.key), value: $0.value.value) })
        }
    }

    var fields: EncodedFields {
        EncodedFields(encoding: self.object.map { Value.MapEntry(key: UTF8Text($0.key), value: $0.value.value) })
    }
}
