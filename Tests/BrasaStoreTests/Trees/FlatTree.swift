import BrasaDocuments
import BrasaSimulation
import BrasaStore
import BrasaTree

/// A tree as one would write it down: the leaves by their paths, and the priorities. Every operation looks at all of it.
struct FlatTree: Equatable {
    private(set) var leaves: [TreePath: TreeScalar] = [:]
    private(set) var priorities: [TreePath: TreePriority] = [:]

    init() {}

    init(_ node: TreeNode) {
        self.add(node, at: .root)
    }

    private mutating func add(_ node: TreeNode, at path: TreePath) {
        self.leaves[path] = node.scalar
        if node.priority != .none { self.priorities[path] = node.priority }
        for (key, child) in node.children { self.add(child, at: path.appending(key)) }
    }

    mutating func set(_ node: TreeNode, at path: TreePath) {
        self.leaves = self.leaves.filter { !path.contains($0.key) }
        self.priorities = self.priorities.filter { !path.contains($0.key) }
        // What is above becomes an inner node.
        if !node.isAbsent { self.leaves = self.leaves.filter { !$0.key.contains(path) } }
        self.add(node, at: path)
        self.priorities = self.priorities.filter { place in self.leaves.contains { place.key.contains($0.key) } }
    }

    mutating func setPriority(_ priority: TreePriority, at path: TreePath) {
        guard self.leaves.contains(where: { path.contains($0.key) }) else { return }
        self.priorities[path] = priority == .none ? nil : priority
    }

    func number(at path: TreePath) -> Int64? {
        if case .integer(let number)? = self.leaves[path] { number } else { nil }
    }
}

/// Random writes, small enough to meet often, and what they do to a flat tree.
struct RandomTreeWrites {
    private static let keys = ["a", "b", "0", "10", "é"].compactMap { try? TreeKey($0) }

    static func path<Source: RandomNumberGenerator>(_ random: inout Source) -> TreePath {
        TreePath(
            (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in self.keys.randomElement(using: &random) }
        )
    }

    static func node<Source: RandomNumberGenerator>(_ random: inout Source, height: Int = 2) -> TreeNode {
        let priorities: [TreePriority] = [.none, .none, .none, .number(1.5), .string("p")]
        let priority = priorities.randomElement(using: &random) ?? .none
        if height == 0 || Bool.random(using: &random) {
            let scalars: [TreeScalar] = [
                .boolean(true), .boolean(false), .integer(.random(in: -1_000...1_000, using: &random)), .double(0.25),
                .string(""), .string("text"), .integer(.min), .integer(.max),
            ]
            return TreeNode(scalars.randomElement(using: &random) ?? .boolean(true), priority: priority)
        }
        let children = self.keys.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)).map { key in
            (key: key, node: self.node(&random, height: height - 1))
        }
        return TreeNode(children: children, priority: priority)
    }

    /// A write, and the same on a flat tree at a time in milliseconds.
    static func next<Source: RandomNumberGenerator>(
        _ random: inout Source
    ) throws -> (write: TreeWrite, model: (inout FlatTree, Int64) -> Void) {
        let path = self.path(&random)
        switch Int.random(in: 0..<10, using: &random) {
        case ..<4:
            let node = Bool.random(using: &random) ? self.node(&random) : .absent
            return (
                try TreeWrite.set(TreeTemplate(node), at: TreeLocation(path)), { tree, _ in tree.set(node, at: path) }
            )
        case ..<7:
            let entries = self.keys.shuffled(using: &random).prefix(2).map { key in (key, self.node(&random)) }
            let write = try TreeWrite.update(
                entries.map { (location: TreeLocation(TreePath([$0])), template: TreeTemplate($1)) },
                at: path
            )
            return (write, { tree, _ in for (key, node) in entries { tree.set(node, at: path.appending(key)) } })
        case ..<8:
            let write = try TreeWrite.set(
                TreeTemplate(parsing: Array(#"{".sv":"timestamp"}"#.utf8)),
                at: TreeLocation(path)
            )
            return (write, { tree, now in tree.set(.leaf(.integer(now)), at: path) })
        default:
            let delta = Int64.random(in: -3...3, using: &random)
            let template = try TreeTemplate(parsing: Array("{\".sv\":{\"increment\":\(delta)}}".utf8))
            let write = try TreeWrite.set(template, at: TreeLocation(path))
            return (
                write,
                { tree, _ in
                    // The models' numbers at both ends of 64 bits overflow into doubles.
                    let (sum, overflow) = (tree.number(at: path) ?? 0).addingReportingOverflow(delta)
                    var scalar = TreeScalar.integer(sum)
                    if overflow, let number = TreeScalar.number(Double(tree.number(at: path) ?? 0) + Double(delta)) {
                        scalar = number
                    }
                    if case .double(let before)? = tree.leaves[path],
                        let number = TreeScalar.number(before + Double(delta))
                    {
                        scalar = number
                    }
                    tree.set(.leaf(scalar), at: path)
                }
            )
        }
    }
}

extension StoreFixture {
    func tree(_ name: String) throws -> TreeHandle {
        guard let name = TreeNamespace(name) else { throw TreeError(.malformedQuery) }
        return self.store.tree(name)
    }

    /// Commits at a later clock. It is not durable yet.
    @discardableResult
    func apply(_ writes: [TreeWrite], to tree: TreeHandle) throws -> (time: Int64, commit: TreeCommit) {
        self.clock.advance(microseconds: 10)
        let stamp = self.store.stamp()
        var commit = TreeCommit(of: tree)
        do {
            for write in writes {
                try commit.add(PreparedTreeWrite(write), milliseconds: stamp.time.microseconds / 1_000)
            }
            try self.store.apply(commit, at: stamp, waiter: nil)
        } catch {
            self.store.withdraw(stamp)
            throw error
        }
        return (stamp.time.microseconds, commit)
    }

    /// Sets a value and makes that durable.
    @discardableResult
    func set(_ text: String, at path: String, in tree: TreeHandle) throws -> Int64 {
        let template = try TreeTemplate(parsing: Array(text.utf8))
        let time = try self.apply([.set(template, at: TreeLocation(path))], to: tree).time
        self.flush()
        return time
    }

    func text(of tree: TreeHandle) -> String {
        String(decoding: self.store.root(of: tree).root.text(.export), as: UTF8.self)
    }
}
