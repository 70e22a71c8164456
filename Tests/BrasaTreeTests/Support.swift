import BrasaQueryModel
import BrasaTree

func template(_ text: String, at base: String = "/") throws -> TreeTemplate {
    try TreeTemplate(parsing: Array(text.utf8), at: TreePath(base))
}

/// A node of export form.
func node(_ text: String) throws -> TreeNode { try template(text).node }

extension TreeNode {
    subscript(text: String) -> TreeNode {
        get throws { self[try TreePath(text)] }
    }
}

func path(_ text: String) throws -> TreePath { try TreePath(text) }
func key(_ text: String) throws -> TreeKey { try TreeKey(text) }

func plain(_ node: TreeNode) -> String { String(decoding: node.text(.plain), as: UTF8.self) }
func exported(_ node: TreeNode) -> String { String(decoding: node.text(.export), as: UTF8.self) }

/// The reason for which something is refused.
func refusal(_ body: () throws -> Void) -> TreeError? {
    do {
        try body()
        return nil
    } catch {
        return error as? TreeError
    }
}

/// The tree as one would write it first: a dictionary per node.
indirect enum Model: Equatable {
    case leaf(TreeScalar, TreePriority)
    case inner([TreeKey: Model], TreePriority)

    /// Nil for absent.
    init?(_ node: TreeNode) {
        if let scalar = node.scalar {
            self = .leaf(scalar, node.priority)
        } else if node.childCount > 0 {
            self = .inner(
                Dictionary(uniqueKeysWithValues: node.children.map { ($0.key, Model($0.node) ?? .inner([:], .none)) }),
                node.priority
            )
        } else {
            return nil
        }
    }

    var priority: TreePriority {
        switch self {
        case .leaf(_, let priority), .inner(_, let priority): priority
        }
    }

    var children: [TreeKey: Model] { if case .inner(let children, _) = self { children } else { [:] } }

    static func setting(_ value: Model?, at path: ArraySlice<TreeKey>, in model: Model?) -> Model? {
        guard let first = path.first else { return value }
        var children = model?.children ?? [:]
        let child = self.setting(value, at: path.dropFirst(), in: children[first])
        if child == nil, case .leaf? = model { return model }
        children[first] = child
        return children.isEmpty ? nil : .inner(children, model?.priority ?? .none)
    }

    static func settingPriority(_ priority: TreePriority, at path: ArraySlice<TreeKey>, in model: Model?) -> Model? {
        guard let model else { return nil }
        guard let first = path.first else {
            switch model {
            case .leaf(let scalar, _): return .leaf(scalar, priority)
            case .inner(let children, _): return .inner(children, priority)
            }
        }
        guard case .inner(var children, let own) = model else { return model }
        children[first] = self.settingPriority(priority, at: path.dropFirst(), in: children[first])
        return .inner(children, own)
    }

    subscript(path: ArraySlice<TreeKey>) -> Model? {
        guard let first = path.first else { return self }
        return self.children[first].flatMap { $0[path.dropFirst()] }
    }
}

/// Random values, small enough to meet often.
struct Chance {
    var random: SeededRandom
    var keys: [TreeKey]

    /// More than twelve keys make nodes of many pages.
    init(seed: UInt64, keyCount: Int = 12) throws {
        self.random = SeededRandom(seed: seed)
        let few = ["0", "1", "2", "10", "03", "a", "b", "-a", "zz", "é", "🐵", "\u{FFFF}"]
        let more = (0..<max(0, keyCount - few.count)).map { $0 % 3 == 0 ? "\($0 * 7)" : "k\($0 * 7919 % 1_000)" }
        self.keys = try (few + more).map { try TreeKey($0) }
    }

    mutating func scalar() -> TreeScalar {
        switch self.random.below(5) {
        case 0: .boolean(self.random.chance(2))
        case 1: .integer(Int64(self.random.below(4)))
        case 2: .double(Double(self.random.below(4)) + 0.5)
        default: .string(TreeText(self.random.pick(["", "x", "y", "\u{FFFF}", "🐵"])))
        }
    }

    mutating func priority() -> TreePriority {
        switch self.random.below(8) {
        case 0: .number(Double(self.random.below(3)))
        case 1: .string(TreeText(self.random.pick(["p", "q"])))
        default: .none
        }
    }

    mutating func node(height: Int = 3) -> TreeNode {
        if height == 0 || self.random.chance(3) { return TreeNode(self.scalar(), priority: self.priority()) }
        // The uppermost may have all keys there are.
        let count = height == 3 && self.keys.count > 12 ? self.random.below(self.keys.count) : self.random.below(5)
        let children = (0..<count).map { _ in
            (key: self.random.pick(self.keys), node: self.node(height: height - 1))
        }
        return TreeNode(children: children, priority: self.priority())
    }

    mutating func path(lengthMax: Int = 3) -> TreePath {
        TreePath((0..<self.random.below(lengthMax + 1)).map { _ in self.random.pick(self.keys) })
    }
}
