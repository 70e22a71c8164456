import BrasaTree

/// The rules of one place of the tree and, beneath it, of its children.
final class RuleNode: Sendable {
    let read: RuleExpression?
    let write: RuleExpression?
    let validate: RuleExpression?
    let indexes: [TreeQuery.Order]
    let children: [TreeKey: RuleNode]
    /// Of all other children, whose keys it names.
    let wildcard: RuleNode?
    /// Whether anything is validated here or beneath.
    let validates: Bool

    init(
        read: RuleExpression? = nil,
        write: RuleExpression? = nil,
        validate: RuleExpression? = nil,
        indexes: [TreeQuery.Order] = [],
        children: [TreeKey: RuleNode] = [:],
        wildcard: RuleNode? = nil
    ) {
        (self.read, self.write, self.validate) = (read, write, validate)
        (self.indexes, self.children, self.wildcard) = (indexes, children, wildcard)
        self.validates =
            validate != nil || wildcard?.validates ?? false || children.values.contains(where: \.validates)
    }
}

/// Makes rules of their JSON, and collects what is wrong with it.
struct RuleNodeReader {
    private(set) var faults: [RulesFault] = []

    static let faultsMax = 100

    /// The whole text's `rules`.
    mutating func root(_ element: RulesSource.Element) -> RuleNode {
        guard case .object(let members) = element.value, members.count == 1, members[0].key == "rules" else {
            self.report("Expected an object with 'rules' and nothing else.", at: element.offset, [])
            return RuleNode()
        }
        guard case .object = members[0].value.value else {
            self.report("Expected 'rules' to be an object.", at: members[0].value.offset, [])
            return RuleNode()
        }
        return self.node(members[0].value, [], captures: [])
    }

    private mutating func report(_ message: String, at offset: Int, _ path: [String]) {
        var fault = RulesFault(message, at: offset)
        fault.rule = path.map { "/\($0)" }.joined()
        if self.faults.count < Self.faultsMax { self.faults.append(fault) }
    }

    /// Recursive, as deep as the text, which is bounded.
    private mutating func node(_ element: RulesSource.Element, _ path: [String], captures: [String]) -> RuleNode {
        guard case .object(let members) = element.value else {
            self.report("Expected an object.", at: element.offset, path)
            return RuleNode()
        }
        var (read, write, validate): (RuleExpression?, RuleExpression?, RuleExpression?) = (nil, nil, nil)
        var indexes: [TreeQuery.Order] = []
        var children: [TreeKey: RuleNode] = [:]
        var wildcard: RuleNode?
        var seen: Set<String> = []
        for member in members {
            let inner = path + [member.key]
            guard seen.insert(member.key).inserted else {
                self.report("'\(member.key)' is there twice.", at: member.keyOffset, inner)
                continue
            }
            switch member.key {
            case ".read": read = self.condition(member.value, inner, captures, hasNewData: false)
            case ".write": write = self.condition(member.value, inner, captures, hasNewData: true)
            case ".validate": validate = self.condition(member.value, inner, captures, hasNewData: true)
            case ".indexOn": indexes = self.indexes(member.value, inner)
            case _ where member.key.hasPrefix("$"):
                if wildcard != nil { self.report("Only one $ variable is allowed here.", at: member.keyOffset, inner) }
                wildcard = self.wildcard(member, inner, captures)
            default:
                guard let key = try? TreeKey(member.key) else {
                    self.report("Invalid key '\(member.key)'.", at: member.keyOffset, inner)
                    continue
                }
                children[key] = self.node(member.value, inner, captures: captures)
            }
        }
        return RuleNode(
            read: read,
            write: write,
            validate: validate,
            indexes: indexes,
            children: children,
            wildcard: wildcard
        )
    }

    private mutating func wildcard(_ member: RulesSource.Member, _ path: [String], _ captures: [String]) -> RuleNode {
        let isName =
            member.key.utf8.count > 1
            && member.key.utf8.dropFirst().allSatisfy { $0 == 0x5F || $0 | 0x20 &- 0x61 < 26 || $0 &- 0x30 < 10 }
        if !isName { self.report("Invalid name of a $ variable.", at: member.keyOffset, path) }
        if captures.contains(member.key) {
            self.report("'\(member.key)' is the name of a variable above.", at: member.keyOffset, path)
        }
        return self.node(member.value, path, captures: captures + [member.key])
    }

    private mutating func condition(
        _ element: RulesSource.Element,
        _ path: [String],
        _ captures: [String],
        hasNewData: Bool
    ) -> RuleExpression? {
        switch element.value {
        case .boolean(let value): return .literal(.boolean(value))
        case .string(let string):
            var parser = ExpressionParser(string.bytes, captures: captures, hasNewData: hasNewData)
            do throws(RulesFault) {
                return try parser.condition()
            } catch {
                self.report(error.message, at: string.offset(at: error.offset), path)
            }
        case .object, .array, .other: self.report("Expected a string or a boolean.", at: element.offset, path)
        }
        return nil
    }

    private mutating func indexes(_ element: RulesSource.Element, _ path: [String]) -> [TreeQuery.Order] {
        let elements: [RulesSource.Element]
        if case .array(let all) = element.value { elements = all } else { elements = [element] }
        return elements.compactMap { element in
            guard case .string(let string) = element.value, let order = TreeQuery.Order(index: string.text) else {
                self.report("Expected a path, '.value', or an array of them.", at: element.offset, path)
                return nil
            }
            return order
        }
    }
}

extension TreeQuery.Order {
    /// As `.indexOn` names it.
    fileprivate init?(index name: String) {
        switch name {
        case ".value": self = .value
        // These have theirs anyhow.
        case ".key", "$key": self = .key
        case ".priority", "$priority": self = .priority
        default:
            guard let path = try? TreePath(name), !path.isRoot else { return nil }
            self = .child(path)
        }
    }
}
