internal import BrasaApp
internal import BrasaTree
internal import Foundation

/// Reads what users give as values: `Any` of the types that JSON has, with `NSNumber`, `NSNull` and Foundation's
/// collections.
struct ValueReader {
    /// Deeper values than the database takes are refused where they are checked; this bounds the recursion.
    private static let levelsMax = 128

    /// What is to be written at a place.
    static func template(
        _ value: Any?,
        priority: Any?? = nil,
        at path: TreePath
    ) throws(DatabaseFault) -> TreeTemplate {
        let json = try self.json(value)
        if let priority { return try self.template(exported: json, priority: priority, at: path) }
        return try TreeError.faulting { () throws(TreeError) in try TreeTemplate(json, at: path) }
    }

    /// The same of a value in export form.
    static func template(
        exported json: JSONValue,
        priority: Any?,
        at path: TreePath
    ) throws(DatabaseFault) -> TreeTemplate {
        let exported = self.exported(json, try self.json(priority))
        return try TreeError.faulting { () throws(TreeError) in try TreeTemplate(exported, at: path) }
    }

    /// Export form of a value with a priority instead of the one that it may have.
    private static func exported(_ value: JSONValue, _ priority: JSONValue) -> JSONValue {
        let member = priority == .null ? [] : [JSONValue.Member(".priority", priority)]
        switch value {
        case .null: return .null
        case .object(let members) where !members.contains(where: { $0.key == ".sv" }):
            return .object(members.filter { $0.key != ".priority" } + member)
        case .array(let elements):
            let members = elements.enumerated().map { JSONValue.Member(TreeText("\($0.offset)"), $0.element) }
            return .object(members + member)
        default: return .object([JSONValue.Member(".value", value)] + member)
        }
    }

    /// A scalar of a query's bound.
    static func indexValue(_ value: Any?) throws(DatabaseFault) -> IndexValue {
        switch try self.json(value) {
        case .null: return .absent
        case .string(let text): return .scalar(.string(text))
        case .scalar(.boolean(let value)): return .scalar(.boolean(value))
        case .scalar(.integer(let value)): return .scalar(.integer(value))
        case .scalar(.double(let value)):
            guard let number = TreeScalar.number(value) else { throw DatabaseFault("A number must be finite.") }
            return .scalar(number)
        case .array, .object: throw DatabaseFault("A query's bound is a string, a number, a boolean or nil.")
        }
    }

    static func json(_ value: Any?, depth: Int = 0) throws(DatabaseFault) -> JSONValue {
        guard let value = self.unwrapped(value) else { return .null }
        guard depth < self.levelsMax else { throw DatabaseFault("A value of more than \(self.levelsMax) levels.") }
        if let scalar = try self.scalar(value) { return scalar }
        switch value {
        case let members as [String: Any]:
            var object: [JSONValue.Member] = []
            for (key, value) in members {
                object.append(JSONValue.Member(TreeText(key), try self.json(value, depth: depth + 1)))
            }
            return .object(object)
        case let elements as [Any]:
            var array: [JSONValue] = []
            for element in elements { array.append(try self.json(element, depth: depth + 1)) }
            return .array(array)
        case let members as [AnyHashable: Any]:
            var object: [JSONValue.Member] = []
            for (key, value) in members {
                guard let key = key.base as? String else { throw DatabaseFault("The keys of a value are strings.") }
                object.append(JSONValue.Member(TreeText(key), try self.json(value, depth: depth + 1)))
            }
            return .object(object)
        default:
            throw DatabaseFault("A value of the type \(type(of: value)) cannot be stored.")
        }
    }

    /// An optional in an `Any` is what it holds.
    private static func unwrapped(_ value: Any?) -> Any? {
        guard let value else { return nil }
        guard let optional = value as? any AnyOptional else { return value }
        return optional.held
    }

    private static func scalar(_ value: Any) throws(DatabaseFault) -> JSONValue? {
        // By identity: a cast would take an `NSNumber` that holds a boolean for an integer.
        let type = type(of: value)
        if type == Bool.self { return (value as? Bool).map { .scalar(.boolean($0)) } }
        if type == Int.self { return (value as? Int).map { .scalar(.integer(Int64($0))) } }
        if type == String.self { return (value as? String).map { .string(TreeText($0)) } }
        // As an `NSNumber` these could not be told from booleans.
        if type == Int8.self { return (value as? Int8).map { .scalar(.integer(Int64($0))) } }
        switch value {
        case is NSNull: return .null
        case let number as NSNumber: return try self.number(number)
        case let text as String: return .string(TreeText(text))
        default: return nil
        }
    }

    private static func number(_ number: NSNumber) throws(DatabaseFault) -> JSONValue {
        switch NumberContent(number) {
        case .boolean(let value): return .scalar(.boolean(value))
        case .integer(let value): return .scalar(.integer(value))
        case .unsigned(let value): return .scalar(.double(Double(value)))
        case .double(let value):
            guard value.isFinite else { throw DatabaseFault("A number must be finite.") }
            return .scalar(.double(value))
        }
    }
}
