import BrasaQueryModel
import BrasaTree
import BrasaTreeSync
import Testing

@testable import BrasaTreeCache

@Suite("Rows against nodes")
struct RowModelTests {
    @Test(
        "After any sets, and openings of the file, what is read is what they make",
        arguments: 1...12 as ClosedRange<UInt64>
    )
    func sets(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let cache = try CacheForTest()
        let base = try path(seed.isMultiple(of: 2) ? "" : "base")
        let target = TreeTarget(base)
        var model = TreeNode.absent
        cache.apply(.set(target, [TreeChange.Placement(location: TreeLocation(base), node: .absent)]))
        for step in 0..<120 {
            let change = TreeChange(path: base, isUpdate: true, placements: [try self.placement(below: base, &random)])
            model = change.applied(to: model)
            cache.apply(.set(target, change.placements))
            if random.chance(20) {
                try cache.open()
                cache.apply(.used(target))
            }
            let place = base.appending(TreePath((0..<random.below(3)).map { _ in random.pick(self.keys) }))
            let found = try #require(cache.node(TreeTarget(place)))
            #expect(exported(found.node) == exported(model[place]), "step \(step)")
            #expect(exported(cache.node(target)?.node) == exported(model[base]), "step \(step)")
        }
        #expect(cache.faults.all.isEmpty)
    }

    /// Among them those that sort around the marks of rows, and numbers.
    private let keys = ["a", "b", "!", "-", "10", "9", "é", "aa"].compactMap { try? TreeKey($0) }

    private func placement(below base: TreePath, _ random: inout SeededRandom) throws -> TreeChange.Placement {
        let way = TreePath((0..<random.below(4)).map { _ in random.pick(self.keys) })
        let path = base.appending(way)
        if random.chance(6) {
            let priority: TreeNode = random.chance(3) ? .absent : .leaf(.integer(Int64(random.below(3))))
            return TreeChange.Placement(location: TreeLocation(path, isPriority: true), node: priority)
        }
        return TreeChange.Placement(location: TreeLocation(path), node: self.node(height: 2, &random))
    }

    private func node(height: Int, _ random: inout SeededRandom) -> TreeNode {
        let priority: TreePriority = random.chance(5) ? .number(Double(random.below(3))) : .none
        if height == 0 || random.chance(3) {
            let scalars: [TreeScalar] = [.boolean(false), .string("\"x\u{1F600}\n"), .double(0.1), .integer(.max)]
            return random.chance(4) ? .absent : TreeNode(random.pick(scalars), priority: priority)
        }
        let children = (0..<random.below(4)).map { _ in
            (key: random.pick(self.keys), node: self.node(height: height - 1, &random))
        }
        return TreeNode(children: children, priority: priority)
    }
}
