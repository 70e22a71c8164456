import BrasaQueryModel
import BrasaTree
import Testing

/// Random writes against the dictionary tree of `Support.swift`.
struct ModelTests {
    @Test(arguments: [(1, 12), (2, 12), (3, 12), (4, 12), (5, 200), (6, 200)] as [(UInt64, Int)])
    func `Every read agrees with a naive tree`(_ seed: UInt64, _ keyCount: Int) throws {
        var chance = try Chance(seed: seed, keyCount: keyCount)
        var tree = TreeNode.absent
        var model: Model?
        var kept: [(tree: TreeNode, model: Model?)] = []
        for step in 0..<(keyCount > 12 ? 200 : 800) {
            let path = chance.path(lengthMax: 4)
            switch chance.random.below(5) {
            case 0:
                tree = tree.setting(.absent, at: path)
                model = Model.setting(nil, at: path.keys[...], in: model)
            case 1:
                let priority = chance.priority()
                tree = tree.settingPriority(priority, at: path)
                model = Model.settingPriority(priority, at: path.keys[...], in: model)
            default:
                let value = chance.node(height: chance.random.below(4))
                tree = tree.setting(value, at: path)
                model = Model.setting(Model(value), at: path.keys[...], in: model)
            }
            #expect(Model(tree) == model, "step \(step) of seed \(seed)")
            let asked = chance.path(lengthMax: 4)
            #expect(Model(tree[asked]) == model?[asked.keys[...]])
            if chance.random.chance(50) { kept.append((tree, model)) }
        }
        // Versions that somebody kept are as they were.
        for version in kept { #expect(Model(version.tree) == version.model) }
    }

    @Test func `A node of many children stays in order while it grows and shrinks`() throws {
        var random = SeededRandom(seed: 77)
        var tree = TreeNode.absent
        var model: [TreeKey: Int64] = [:]
        let keys = try (0..<3_000).map { try TreeKey(random.chance(2) ? "\($0)" : "-k\($0 * 7919 % 3_000)") }
        func check() throws {
            let sorted = model.keys.sorted()
            #expect(tree.childCount == sorted.count)
            #expect(tree.nodeCount == (sorted.isEmpty ? 0 : sorted.count + 1))
            #expect(tree.children.map(\.key) == sorted)
            #expect(tree.children.backwards.map(\.key) == sorted.reversed())
            for _ in 0..<20 {
                let from = random.pick(keys)
                #expect(
                    tree.children.from(from).prefix(5).map(\.key) == Array(sorted.filter { !($0 < from) }.prefix(5))
                )
            }
        }
        for (removals, rounds) in [(5, 6_000), (2, 4_000), (1, 9_000)] {
            for step in 0..<rounds {
                let key = random.pick(keys)
                let remove = removals == 1 || random.chance(removals)
                tree = tree.setting(remove ? .absent : .leaf(.integer(Int64(step))), for: key)
                model[key] = remove ? nil : Int64(step)
            }
            try check()
        }
        for key in model.keys { tree = tree.setting(.absent, for: key) }
        #expect(tree.isAbsent)
    }

    @Test func `Descending and ascending keys fill pages alike`() throws {
        let keys = try (0..<5_000).map { try TreeKey("k\(100_000 + $0)") }
        for order in [keys, keys.reversed()] {
            let tree = order.reduce(TreeNode.absent) { $0.setting(.leaf(.integer(1)), for: $1) }
            #expect(tree.children.map(\.key) == keys)
            var footprint = TreeFootprint()
            footprint.add(tree)
            #expect(footprint.pages <= 5_000 / 14)
        }
    }

    @Test func `Equality holds by content, not by how a tree was made`() throws {
        var chance = try Chance(seed: 9)
        for _ in 0..<400 {
            let (left, right) = (chance.node(), chance.node())
            #expect((left == right) == (Model(left) == Model(right)))
            let path = chance.path()
            let there = left[path]
            #expect(
                left.setting(.leaf(.boolean(true)), at: path).setting(there, at: path) == left || left[path].isAbsent
            )
        }
        let many = try (0..<1_000).map { (key: try TreeKey("\($0)"), node: TreeNode.leaf(.integer(Int64($0)))) }
        let built = TreeNode(children: many)
        let grown = many.shuffled(using: &chance.random).reduce(TreeNode.absent) { $0.setting($1.node, for: $1.key) }
        #expect(built == grown)
        #expect(built != grown.setting(.leaf(.integer(-1)), for: many[500].key))
    }

    @Test func `Deep trees are made, compared, hashed, written and let go without recursion`() throws {
        let name = try TreeKey("k")
        var (one, other) = (TreeNode.leaf(.boolean(true)), TreeNode.leaf(.boolean(true)))
        for _ in 0..<100_000 {
            one = TreeNode.absent.setting(one, for: name)
            other = TreeNode.absent.setting(other, for: name)
        }
        #expect(one.height == 100_000)
        #expect(one == other)
        #expect(one.hash == other.hash)
        #expect(one.text(.plain).count == 100_000 * 6 + 4)
        let path = TreePath(Array(repeating: name, count: 100_000))
        #expect(one[path].scalar == .boolean(true))
        #expect(one.setting(.absent, at: path).isAbsent)
        #expect(one.setting(.leaf(.boolean(false)), at: path) != other)
    }
}
