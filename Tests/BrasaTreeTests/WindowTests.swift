import BrasaTree
import Testing

struct WindowTests {
    /// By sorting everything.
    private func members(_ query: TreeQuery, of node: TreeNode) -> [TreeKey] {
        var entries = node.children.map { query.entry($0.key, $0.node) }.filter(query.contains).sorted()
        if let limit = query.limit {
            entries = Array(limit.end == .first ? entries.prefix(limit.count) : entries.suffix(limit.count))
        }
        return entries.map(\.key)
    }

    private func query(_ chance: inout Chance) throws -> TreeQuery {
        let orders: [TreeQuery.Order] = [
            .key, .priority, .value, .child(try TreePath("a")), .child(try TreePath("b/0")),
        ]
        let order = chance.random.pick(orders)
        func bound() -> QueryBound? {
            guard chance.random.chance(2) else { return nil }
            let key: QueryBound.Key =
                chance.random.chance(6)
                ? chance.random.pick([.minimum, .maximum]) : .text(chance.random.pick(chance.keys).text)
            let isInclusive = chance.random.chance(2)
            if order == .key { return QueryBound(key: key, isInclusive: isInclusive) }
            var value = chance.random.chance(4) ? IndexValue.absent : .scalar(chance.scalar())
            if order == .priority { value = IndexValue(chance.priority()) }
            return QueryBound(value: value, key: chance.random.chance(2) ? key : nil, isInclusive: isInclusive)
        }
        let limit = TreeQuery.Limit(1 + chance.random.below(4), chance.random.chance(2) ? .first : .last)
        return try TreeQuery(order: order, start: bound(), end: bound(), limit: chance.random.chance(3) ? nil : limit)
    }

    @Test func `A window has the members that sorting everything has`() throws {
        var chance = try Chance(seed: 31)
        for _ in 0..<2_000 {
            let tree = chance.node()
            let query = try self.query(&chance)
            let expected = self.members(query, of: tree)
            #expect(TreeWindow(query, of: tree).members.map(\.entry.key) == expected, "\(query) of \(exported(tree))")
            #expect(query.isComplete || query.filter(tree).children.map(\.key) == expected.sorted())
            #expect(query.filter(tree) == TreeWindow(query, of: tree).node)
        }
    }

    @Test(arguments: 1...4)
    func `A window follows its node, and its changes and events rebuild it`(_ seed: UInt64) throws {
        var chance = try Chance(seed: 40 + seed)
        for _ in 0..<40 {
            var tree = chance.node()
            var window = TreeWindow(try self.query(&chance), of: tree)
            var shown = Self.children(window.node)
            var listed: [TreeKey: TreeNode] = [:]
            for event in window.events { Self.apply(event, to: &listed, window) }
            for _ in 0..<25 {
                for _ in 0...chance.random.below(3) {
                    tree = tree.setting(chance.random.chance(4) ? .absent : chance.node(height: 2), at: chance.path())
                }
                let next = window.updated(to: tree)
                #expect(next.members.map(\.entry.key) == self.members(window.query, of: tree))
                let change = WindowChange(from: window, to: next)
                for child in change.children {
                    #expect(shown.child(child.key) == child.old)
                    shown = shown.setting(child.new, for: child.key)
                }
                let nextNode = Self.children(next.node)
                #expect(shown == nextNode, "\(window.query)")
                shown = nextNode

                for event in change.events { Self.apply(event, to: &listed, next) }
                let members = Dictionary(uniqueKeysWithValues: next.members.map { ($0.entry.key, $0.node) })
                #expect(listed == members, "\(window.query) \(change.events)")
                #expect(change.events.map(\.kind.rawValue) == change.events.map(\.kind.rawValue).sorted())
                window = next
            }
        }
    }

    /// Of a leaf, nothing.
    private static func children(_ node: TreeNode) -> TreeNode { TreeNode(children: node.children) }

    /// As a listener keeps what it is told of; the sibling before each child is the one of the window after the change.
    private static func apply(_ event: ChildEvent, to listed: inout [TreeKey: TreeNode], _ window: TreeWindow) {
        let members = window.members.map(\.entry.key)
        let previous = members.firstIndex(of: event.key).flatMap { $0 > 0 ? members[$0 - 1] : nil }
        #expect(event.previous == previous)
        switch event.kind {
        case .removed: #expect(listed.removeValue(forKey: event.key) == event.node)
        case .added: #expect(listed.updateValue(event.node, forKey: event.key) == nil)
        case .moved: #expect(listed[event.key] != nil)
        case .changed: #expect(listed.updateValue(event.node, forKey: event.key).map { $0 != event.node } == true)
        }
    }

    @Test func `A child that enters a full window pushes one out`() throws {
        let query = try TreeQuery(order: .key, limit: .init(2, .last))
        let before = TreeWindow(query, of: try node(#"{"a":1,"b":2,"c":3}"#))
        let after = before.updated(to: before.index.node.setting(.leaf(.integer(4)), for: try key("d")))
        let change = WindowChange(from: before, to: after)
        #expect(change.children.map(\.key.description) == ["b", "d"])
        #expect(change.children.map(\.new.isAbsent) == [true, false])
        #expect(change.events.map(\.kind) == [.removed, .added])
        #expect(change.events.last?.previous == (try key("c")))
        // And one that leaves lets one in.
        let back = WindowChange(from: after, to: after.updated(to: before.index.node))
        #expect(back.children.map(\.key.description) == ["b", "d"])
        #expect(back.events.map(\.key.description) == ["d", "b"])
    }

    @Test func `A change outside the window is none, however large the node`() throws {
        let many = TreeNode(
            children: try (0..<2_000).map {
                (key: try key("k\(10_000 + $0)"), node: TreeNode.leaf(.integer(Int64($0))))
            }
        )
        for order in [TreeQuery.Order.key, .value, .priority] {
            let window = TreeWindow(try TreeQuery(order: order, limit: .init(10, .first)), of: many)
            let outside = window.updated(to: many.setting(.leaf(.integer(5_000)), for: try key("k11500")))
            #expect(WindowChange(from: window, to: outside).isEmpty)
        }
    }

    @Test func `A child moves when what it is ordered by changes, and is told of before its change`() throws {
        let query = try TreeQuery(order: .child(try path("s")))
        let before = TreeWindow(query, of: try node(#"{"a":{"s":1},"b":{"s":2},"c":{"s":3}}"#))
        let after = before.updated(to: try node(#"{"a":{"s":4},"b":{"s":2,"x":1},"c":{"s":3}}"#))
        let events = WindowChange(from: before, to: after).events
        #expect(events.map(\.kind) == [.moved, .changed, .changed])
        #expect(events.map(\.key.description) == ["a", "b", "a"])
        #expect(events.map { $0.previous?.description } == ["c", nil, "c"])
    }

    @Test func `An index grows and shrinks with its node`() throws {
        var random = SeededRandom(seed: 8)
        var tree = TreeNode.absent
        var index = TreeIndex(.value, of: tree)
        for step in 0..<6_000 {
            let shrink = step > 3_000
            let name = try key("\(random.below(1_500))")
            let value = TreeNode.leaf(.integer(Int64(random.below(200))))
            tree = tree.setting(
                random.chance(shrink ? 1 : 4) || shrink && random.chance(2) ? .absent : value,
                for: name
            )
            if step % 3 == 0 { index = index.updated(to: tree) }
            guard step % 500 == 0 else { continue }
            index = index.updated(to: tree)
            let sorted = tree.children.map { index.entry($0.key, $0.node) }.sorted()
            #expect((0..<index.count).compactMap { index.entry(at: $0) } == sorted)
            #expect(index.entry(at: index.count) == nil)
            for rank in stride(from: 0, to: sorted.count, by: 97) { #expect(index.rank(of: sorted[rank]) == rank) }
        }
    }
}
