import BrasaQueryModel
import BrasaTree
import Testing

struct WindowTests {
    /// A query as it was asked for, and the members that sorting everything gives it.
    private struct Asked {
        let order: TreeQuery.Order
        var start: QueryBound?
        var end: QueryBound?
        var limit: TreeQuery.Limit?

        func query() throws -> TreeQuery {
            try TreeQuery(order: self.order, start: self.start, end: self.end, limit: self.limit)
        }

        func members(of node: TreeNode) -> [TreeKey] {
            let children = (Model(node)?.children ?? [:]).map { key, child in
                let value: Model? =
                    switch self.order {
                    case .key: nil
                    case .value: child
                    case .priority: Oracle.value(child.priority)
                    case .child(let path): child[path.keys[...]]
                    }
                return (key: key, value: value)
            }.sorted { left, right in
                let order = Oracle.compare(left.value, right.value)
                return order < 0 || order == 0 && Oracle.precedes(left.key.description, right.key.description)
            }
            let inRange = children.filter { child in
                (self.start.map { self.order($0, child, isStart: true) <= 0 } ?? true)
                    && (self.end.map { self.order($0, child, isStart: false) >= 0 } ?? true)
            }.map(\.key)
            guard let limit = self.limit else { return inRange }
            return Array(limit.end == .first ? inRange.prefix(limit.count) : inRange.suffix(limit.count))
        }

        /// Where a bound stands to a child: zero is in.
        private func order(_ bound: QueryBound, _ child: (key: TreeKey, value: Model?), isStart: Bool) -> Int {
            let outside = isStart ? 1 : -1
            if self.order != .key {
                var value: Model?
                if case .scalar(let scalar) = bound.value { value = .leaf(scalar, .none) }
                let order = Oracle.compare(value, child.value)
                guard order == 0 else { return order }
            }
            switch bound.key {
            case nil: return bound.isInclusive ? 0 : outside
            case .minimum?: return -1
            case .maximum?: return 1
            case .text(let text)?:
                if Oracle.precedes(text.string, child.key.description) { return -1 }
                if Oracle.precedes(child.key.description, text.string) { return 1 }
                return bound.isInclusive ? 0 : outside
            }
        }
    }

    private func asked(_ chance: inout Chance) throws -> Asked {
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
        return Asked(order: order, start: bound(), end: bound(), limit: chance.random.chance(3) ? nil : limit)
    }

    @Test(arguments: [12, 200])
    func `A window has the members that sorting everything has`(_ keyCount: Int) throws {
        var chance = try Chance(seed: 31, keyCount: keyCount)
        for _ in 0..<(keyCount > 12 ? 150 : 2_000) {
            let tree = chance.node()
            let asked = try self.asked(&chance)
            let query = try asked.query()
            let expected = asked.members(of: tree)
            #expect(TreeWindow(query, of: tree).members.map(\.entry.key) == expected, "\(query) of \(exported(tree))")
            #expect(query.isComplete || query.filter(tree).children.map(\.key) == expected.sorted())
            #expect(query.filter(tree) == TreeWindow(query, of: tree).node)
        }
    }

    @Test(arguments: [(1, 12), (2, 12), (3, 12), (4, 12), (5, 200)] as [(UInt64, Int)])
    func `A window follows its node, and its changes and events rebuild it`(_ seed: UInt64, _ keyCount: Int) throws {
        var chance = try Chance(seed: 40 + seed, keyCount: keyCount)
        for _ in 0..<(keyCount > 12 ? 12 : 40) {
            var tree = chance.node()
            let asked = try self.asked(&chance)
            var window = TreeWindow(try asked.query(), of: tree)
            var shown = Self.children(window.node)
            var listed: [TreeKey: TreeNode] = [:]
            for event in window.events { Self.apply(event, to: &listed, window) }
            for _ in 0..<25 {
                for _ in 0...chance.random.below(3) {
                    tree = tree.setting(chance.random.chance(4) ? .absent : chance.node(height: 2), at: chance.path())
                }
                let next = window.updated(to: tree)
                #expect(next.members.map(\.entry.key) == asked.members(of: tree))
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

    @Test func `An index by priority that was made is kept when the last priority goes`() throws {
        let many = TreeNode(
            children: try (0..<200).map { (key: try key("k\($0)"), node: TreeNode.leaf(.integer(Int64($0)))) }
        )
        var index = TreeIndex(.priority, of: many)
        #expect(!index.hasEntries)
        for priority in [TreePriority.number(1), .none, .string("p"), .none] {
            index = index.updated(to: many.settingPriority(priority, at: try path("k100")))
            #expect(index.hasEntries)
            let sorted = index.node.children.map { index.entry($0.key, $0.node) }.sorted()
            #expect((0..<200).compactMap { index.entry(at: $0) } == sorted)
            #expect(
                TreeWindow(try TreeQuery(limit: .init(3, .last)), in: index).members.map(\.entry) == sorted.suffix(3)
            )
        }
        #expect(!index.updated(to: .absent).hasEntries)
        #expect(index.updated(to: .absent).count == 0)
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
