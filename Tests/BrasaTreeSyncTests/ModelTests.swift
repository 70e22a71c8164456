import BrasaQueryModel
import BrasaTree
import Testing

@testable import BrasaTreeSync

/// Random listeners, writes, refusals, other clients and broken lines, against a client that works everything out anew.
struct ModelTests {
    @Test(arguments: Array(30...53) + [1186, 1262, 2034, 3238, 3252, 3364, 3386, 4034, 5654] as [UInt64])
    func `Listeners see the server's data with the queued writes over it`(_ seed: UInt64) throws {
        var client = SimulatedClient(seed: seed)
        var chance = try Chance(seed: seed &* 31)
        for step in 0..<200 {
            let place: Comment = "step \(step) of seed \(seed)"
            switch client.random.below(20) {
            case 0, 1:
                let path = chance.path(lengthMax: 2)
                client.listen(try chance.query(at: path), at: path)
            case 2: client.unlisten()
            case 3 where client.random.chance(4): client.replace(by: try chance.write())
            case 3...6: client.write(try chance.write(), isShown: !client.random.chance(8))
            case 7: client.commitOfOthers(try chance.write().push)
            case 8 where client.random.chance(4):
                if client.random.chance(3) { client.restart() } else { client.reconnect() }
            case 8...13: client.advanceServer(refusing: 6)
            default: client.deliver()
            }
            client.check(place)
            #expect(Set(client.tree.openListens.map(\.target)) == client.neededListens, place)
        }
        client.drain("at the end of seed \(seed)")
        #expect(client.tree.pendingWrites.isEmpty)
        for recorder in client.recorders.values {
            let expected = recorder.query.filter(client.server.tree[recorder.path])
            #expect(recorder.value.map(exported) == exported(expected), "at the end of seed \(seed)")
        }
    }
}

/// Random queries and values, small enough to meet often.
private struct Chance {
    private var random: SeededRandom
    private let keys: [TreeKey]

    init(seed: UInt64) throws {
        self.random = SeededRandom(seed: seed)
        // With two keys writes meet more often: leaves and priorities above, children that are the last.
        let keys = seed.isMultiple(of: 2) ? ["a", "c"] : ["a", "c", "b", "1", "2"]
        self.keys = try keys.map { try TreeKey($0) }
    }

    mutating func path(lengthMax: Int) -> TreePath {
        TreePath((0..<self.random.below(lengthMax + 1)).map { _ in self.random.pick(self.keys) })
    }

    /// Without an index at keys `c`, where all queries are by the child `c`.
    mutating func query(at path: TreePath) throws -> TreeQuery {
        let orders: [TreeQuery.Order] = [.priority, .key, .value, .child(TreePath([self.keys[0]]))]
        let isUnindexed = path.last == self.keys[1]
        let order = isUnindexed ? .child(TreePath([self.keys[1]])) : self.random.pick(orders)
        if self.random.chance(3) { return try TreeQuery(order: order) }
        let limit = TreeQuery.Limit(1 + self.random.below(3), self.random.chance(2) ? .first : .last)
        guard self.random.chance(2) else { return try TreeQuery(order: order, limit: limit) }
        let bound =
            order == .key
            ? QueryBound(key: .text(self.random.pick(self.keys).text))
            : QueryBound(value: .scalar(.integer(Int64(self.random.below(3)))))
        let isStart = self.random.chance(2)
        return try TreeQuery(
            order: order,
            start: isStart ? bound : nil,
            end: isStart ? nil : bound,
            limit: self.random.chance(2) ? limit : nil
        )
    }

    mutating func write() throws -> TreeWrite {
        let path = self.path(lengthMax: 3)
        switch self.random.below(8) {
        case 0: return try .set(TreeTemplate(.absent), at: TreeLocation(path))
        case 1: return try .set(self.priorityTemplate(), at: TreeLocation(path, isPriority: true))
        case 2: return try .set(TreeTemplate([".sv": ["increment": 1]]), at: TreeLocation(path))
        case 3:
            let entries = self.keys.filter { _ in self.random.chance(2) }.map { key in
                let below = TreePath([key]).appending(self.path(lengthMax: 1))
                return (location: TreeLocation(below), template: TreeTemplate(self.node(height: 1)))
            }
            return try .update(entries, at: path)
        default: return try .set(TreeTemplate(self.node(height: 2)), at: TreeLocation(path))
        }
    }

    private mutating func priorityTemplate() -> TreeTemplate {
        TreeTemplate(self.random.chance(3) ? .absent : .leaf(.integer(Int64(self.random.below(3)))))
    }

    private mutating func priority() -> TreePriority {
        self.random.chance(6) ? .number(Double(self.random.below(3))) : .none
    }

    private mutating func node(height: Int) -> TreeNode {
        if height == 0 || self.random.chance(3) {
            let scalars: [TreeScalar] = [.boolean(true), .string("x"), .integer(Int64(self.random.below(4)))]
            return self.random.chance(6) ? .absent : TreeNode(self.random.pick(scalars), priority: self.priority())
        }
        let children = (0..<self.random.below(5)).map { _ in
            (key: self.random.pick(self.keys), node: self.node(height: height - 1))
        }
        return TreeNode(children: children, priority: self.priority())
    }
}
