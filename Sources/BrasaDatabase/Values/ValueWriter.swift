internal import BrasaTree
internal import Foundation

/// What users are shown of a node: `String`, `NSNumber`, `[String: Any]`, `[Any]`, and `NSNull` for nothing.
enum ValueWriter {
    /// Recursive, as deep as the database is.
    static func value(_ node: TreeNode, _ form: TreeEmitter.Form = .plain) -> Any { self.value(node.json(form)) }

    static func value(_ json: JSONValue) -> Any {
        switch json {
        case .null: NSNull()
        case .string(let text): text.string
        case .scalar(.boolean(let value)): NSNumber(value: value)
        case .scalar(.integer(let value)): NSNumber(value: value)
        case .scalar(.double(let value)): NSNumber(value: value)
        case .array(let elements): elements.map { self.value($0) }
        case .object(let members):
            Dictionary(members.map { ($0.key.string, self.value($0.value)) }, uniquingKeysWith: { $1 })
        }
    }

    /// `NSNull` for none.
    static func priority(_ priority: TreePriority) -> Any {
        switch priority {
        case .none: NSNull()
        case .string(let text): text.string
        case .number(let number): NSNumber(value: number)
        }
    }
}
