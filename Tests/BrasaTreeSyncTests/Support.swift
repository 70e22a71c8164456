import BrasaTree

@testable import BrasaTreeSync

func path(_ text: String) throws -> TreePath { try TreePath(text) }
func key(_ text: String) throws -> TreeKey { try TreeKey(text) }

/// A node of export form.
func node(_ text: String) throws -> TreeNode { try TreeTemplate(parsing: Array(text.utf8)).node }

func exported(_ node: TreeNode) -> String { String(decoding: node.text(.export), as: UTF8.self) }

/// A set, or the set of a priority.
func set(_ text: String, _ value: String) throws -> TreeWrite {
    let location = try TreeLocation(text)
    return try .set(TreeTemplate(parsing: Array(value.utf8), at: location.path), at: location)
}

/// An update of an object whose keys are paths.
func update(_ text: String, _ object: String) throws -> TreeWrite {
    try .update(entries(JSONValue(parsing: Array(object.utf8))), at: path(text))
}

func entries(_ object: JSONValue) throws -> [UpdateReader.Entry] {
    guard case .object(let members) = object else { return [] }
    return try members.map { (location: try TreeLocation($0.key), template: try TreeTemplate($0.value)) }
}

extension TreeWrite {
    /// As a push of the server, which has nothing to work out.
    var push: TreeChange { self.workedOut(in: .absent, 0) }
}

/// An event as a line: `a -b=1`, `a +b=1`, `a +c<b=1`, `a >c<b=1`, `a ~c<b=1`, `a ={"b":1}`.
extension TreeSyncEvent: CustomStringConvertible {
    public var description: String { "\(self.path) \(self.kind)" }

    var rank: Int {
        switch self.kind {
        case .child(let event): event.kind.rawValue
        case .value: 4
        case .refused: 5
        }
    }
}

extension TreeSyncEvent.Kind: CustomStringConvertible {
    public var description: String {
        switch self {
        case .value(let node): "=\(exported(node))"
        case .refused(let status): "refused: \(status)"
        case .child(let event):
            [ChildEvent.Kind.removed: "-", .added: "+", .moved: ">", .changed: "~"][event.kind, default: "?"]
                + "\(event.key)\(event.previous.map { "<\($0)" } ?? "")=\(exported(event.node))"
        }
    }
}
