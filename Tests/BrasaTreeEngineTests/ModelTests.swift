import BrasaQueryModel
import BrasaTree
import BrasaTreeEngine
import BrasaTreeRules
import Testing

/// Random writes, updates, transactions, server values, queries, listeners and sessions' ends against a naive tree.
struct ModelTests {
    fileprivate struct World {
        var random: SeededRandom
        var database = TreeDatabase(rules: .open)
        var model = NaiveTree()
        /// The model's tree after each commit.
        var history: [Int64: TreeNode] = [0: .absent]
        var version: Int64 = 0
        var now: Int64 = 1_000
        var listeners: [TreeListenerID: (target: TreeTarget, state: Listener)] = [:]
        var nextListener: UInt64 = 0
        /// What sessions have left, in order.
        var left: [TreeSessionID: [(location: TreeLocation, value: Written)]] = [:]
        let keys: [TreeKey]

        init(seed: UInt64) throws {
            self.random = SeededRandom(seed: seed)
            self.keys = try ["1", "2", "10", "a", "b", "c"].map { try TreeKey($0) }
        }
    }

    /// A value as JSON, and what the model makes of it.
    fileprivate indirect enum Written {
        case plain(TreeNode)
        case timestamp
        case increment(Int64)
        case object([(TreeKey, Written)], TreePriority)

        var json: JSONValue {
            switch self {
            case .plain(let node): return node.json(.export)
            case .timestamp: return [".sv": "timestamp"]
            case .increment(let delta): return [".sv": ["increment": .scalar(.integer(delta))]]
            case .object(let members, let priority):
                var all = members.map { JSONValue.Member($0.0.text, $0.1.json) }
                if case .number(let value) = priority { all.append(.init(".priority", .scalar(.double(value)))) }
                return .object(all)
            }
        }

        func resolved(_ model: NaiveTree, _ path: [TreeKey], _ now: Int64) -> TreeNode {
            switch self {
            case .plain(let node): return node
            case .timestamp: return .leaf(.integer(now))
            case .increment(let delta):
                guard case .integer(let present)? = model.scalar(at: path) else { return .leaf(.integer(delta)) }
                return .leaf(.integer(present + delta))
            case .object(let members, let priority):
                let children = members.map { (key: $0.0, node: $0.1.resolved(model, path + [$0.0], now)) }
                return TreeNode(children: children, priority: priority)
            }
        }
    }

    @Test(arguments: 1...6)
    func `Every listener's state is the model's at each commit`(_ seed: UInt64) throws {
        var world = try World(seed: seed)
        for _ in 0..<500 {
            world.now += 1
            switch world.random.below(12) {
            case 0...3: try world.set()
            case 4, 5: try world.update()
            case 6: try world.transaction()
            case 7: try world.setPriority()
            case 8, 9: try world.listen()
            case 10: world.unlisten()
            default: try world.session()
            }
            if world.random.chance(2) { try world.publish() }
        }
        try world.publish(all: true)
        #expect(world.database.published == world.model.node())
        for (id, listener) in world.listeners { world.database.unlisten(id, to: listener.target) }
        #expect(world.database.listenerCount == 0)
    }
}

extension ModelTests.World {
    private mutating func path(lengthMax: Int = 3) -> TreePath {
        TreePath((0..<self.random.below(lengthMax + 1)).map { _ in self.random.pick(self.keys) })
    }

    private mutating func plain(_ height: Int) -> TreeNode {
        let priority: TreePriority = self.random.chance(5) ? .number(Double(self.random.below(3))) : .none
        if height == 0 || self.random.chance(3) {
            return TreeNode(.integer(Int64(self.random.below(5))), priority: priority)
        }
        let children = (0..<self.random.below(4)).map { _ in
            (key: self.random.pick(self.keys), node: self.plain(height - 1))
        }
        return TreeNode(children: children, priority: priority)
    }

    private mutating func value() -> ModelTests.Written {
        switch self.random.below(8) {
        case 0: return .plain(.absent)
        case 1: return .timestamp
        case 2: return .increment(Int64(1 + self.random.below(3)))
        case 3:
            var members: [TreeKey: ModelTests.Written] = [:]
            for _ in 0..<3 { members[self.random.pick(self.keys)] = self.value() }
            return .object(members.map { ($0.key, $0.value) }, self.random.chance(3) ? .number(7) : .none)
        default: return .plain(self.plain(2))
        }
    }

    private func write(_ value: ModelTests.Written, at location: TreeLocation) throws -> TreeWrite {
        try .set(TreeTemplate(value.json, at: location.path), at: location)
    }

    /// Takes what the database says it did, and does the same to the model.
    private mutating func carry(_ outcome: TreeOutcome, _ apply: (inout NaiveTree) -> Void) throws {
        let commit = try outcome.result.get()
        let before = self.model.node()
        apply(&self.model)
        guard let commit else { return #expect(before == self.model.node()) }
        #expect(commit.version == self.version + 1)
        self.version = commit.version
        self.history[self.version] = self.model.node()
    }

    fileprivate mutating func set() throws {
        let (path, value, now) = (self.path(), self.value(), self.now)
        let outcome = self.database.write(
            try self.write(value, at: TreeLocation(path)),
            by: .administrator,
            milliseconds: now
        )
        try self.carry(outcome) { $0.set(value.resolved($0, path.keys, now), at: path.keys) }
    }

    fileprivate mutating func update() throws {
        let (base, now) = (self.path(lengthMax: 1), self.now)
        var parts: [(path: TreePath, value: ModelTests.Written)] = []
        for _ in 0..<(1 + self.random.below(4)) {
            let path = base.appending(self.random.pick(self.keys)).appending(self.path(lengthMax: 1))
            guard !parts.contains(where: { $0.path.contains(path) || path.contains($0.path) }) else { continue }
            parts.append((path, self.value()))
        }
        let entries = try parts.map { part in
            (
                location: TreeLocation(base.relative(part.path) ?? .root),
                template: try TreeTemplate(part.value.json, at: part.path)
            )
        }
        let outcome = self.database.write(
            try .update(entries, at: base),
            by: .administrator,
            milliseconds: now
        )
        try self.carry(outcome) { model in
            let before = model
            for part in parts { model.set(part.value.resolved(before, part.path.keys, now), at: part.path.keys) }
        }
    }

    fileprivate mutating func transaction() throws {
        let (path, value, now) = (self.path(), self.value(), self.now)
        let isStale = self.random.chance(3)
        let hash = isStale ? TreeNode.leaf(.string("other")).hash : self.model.node(at: path.keys).hash
        let outcome = self.database.write(
            try self.write(value, at: TreeLocation(path)),
            expecting: hash,
            by: .administrator,
            milliseconds: now
        )
        guard !isStale else {
            #expect(throws: TreeRefusal.stale) { try outcome.result.get() }
            // It may be told once what it depends on has been.
            return #expect(outcome.version == self.version)
        }
        try self.carry(outcome) { $0.set(value.resolved($0, path.keys, now), at: path.keys) }
    }

    fileprivate mutating func setPriority() throws {
        let path = self.path()
        let priority: TreePriority = self.random.chance(3) ? .none : .number(Double(self.random.below(3)))
        let value = priority.scalar.map(TreeNode.leaf) ?? .absent
        let outcome = self.database.write(
            try .set(TreeTemplate(value), at: TreeLocation(path, isPriority: true)),
            by: .administrator,
            milliseconds: self.now
        )
        guard self.model.exists(path.keys) || priority == .none else {
            let refusal = TreeRefusal.invalid(TreeError(.priorityOfAbsentNode, at: path))
            #expect(throws: refusal) { try outcome.result.get() }
            return
        }
        try self.carry(outcome) { $0.setPriority(priority, at: path.keys) }
    }

    /// Registers writes for sessions' ends, and ends sessions.
    fileprivate mutating func session() throws {
        let session = TreeSessionID(UInt64(self.random.below(3)))
        guard self.random.chance(3) else {
            let (location, value) = (TreeLocation(self.path()), self.value())
            try self.database.writeOnDisconnect(
                of: session,
                try self.write(value, at: location),
                by: .administrator,
                milliseconds: self.now
            )
            self.left[session, default: []].append((location, value))
            return
        }
        let (left, now) = (self.left.removeValue(forKey: session) ?? [], self.now)
        let outcome = self.database.end(session, by: .administrator, milliseconds: now)
        #expect(!self.database.hasDisconnectWrites(of: session))
        try self.carry(outcome) { model in
            // What a later write replaces was never written: increments beneath it see what was there before.
            for (index, write) in left.enumerated() {
                let path = write.location.path
                guard !left[(index + 1)...].contains(where: { $0.location.path.contains(path) }) else { continue }
                model.set(write.value.resolved(model, path.keys, now), at: path.keys)
            }
        }
    }

    private mutating func target() throws -> TreeTarget {
        let path = self.path(lengthMax: 2)
        guard !self.random.chance(3) else { return TreeTarget(path) }
        let orders: [TreeQuery.Order] = [.key, .value, .priority, .child(TreePath([self.random.pick(self.keys)]))]
        let order = self.random.pick(orders)
        var start: QueryBound?
        if self.random.chance(3) {
            start =
                order == .key
                ? QueryBound(key: .text(self.random.pick(self.keys).text))
                : QueryBound(value: .scalar(.integer(Int64(self.random.below(4)))), isInclusive: self.random.chance(2))
        }
        let limit = TreeQuery.Limit(1 + self.random.below(3), self.random.chance(2) ? .first : .last)
        return TreeTarget(path, try TreeQuery(order: order, start: start, limit: self.random.chance(5) ? nil : limit))
    }

    fileprivate mutating func listen() throws {
        let id = TreeListenerID(self.nextListener)
        self.nextListener += 1
        // Some of one target, some with what they knew before.
        let known = self.random.chance(3) ? self.listeners.values.first { _ in true } : nil
        let target = try known?.target ?? self.target()
        var state = Listener(target: target.path)
        let held = known?.state.shown ?? .absent
        let start = try self.database.listen(
            id,
            to: target,
            holding: held.hash,
            held.isAbsent ? nil : CompoundHash(of: held),
            by: .administrator,
            milliseconds: self.now
        )
        switch start.content {
        case .same: state.set(held, at: TreeLocation(target.path))
        case .whole(let node): state.set(node, at: TreeLocation(target.path))
        case .merges(let merges):
            state.set(merges.reduce(held) { $1.applied(to: $0) }, at: TreeLocation(target.path))
        }
        self.listeners[id] = (target, state)
        self.check(id)
    }

    fileprivate mutating func unlisten() {
        guard let id = self.listeners.keys.min(by: { $0.value < $1.value }) else { return }
        guard let listener = self.listeners.removeValue(forKey: id) else { return }
        self.database.unlisten(id, to: listener.target)
        #expect(self.database.listenerCount == self.listeners.count)
    }

    fileprivate mutating func publish(all: Bool = false) throws {
        let from = self.database.publishedVersion
        let version = all ? self.version : Int64.random(in: from...self.version, using: &self.random)
        var told: Set<[Int64]> = []
        for notice in self.database.publish(through: version) {
            #expect(notice.version > from && notice.version <= version)
            #expect(!notice.listeners.isEmpty)
            for id in notice.listeners {
                #expect(told.insert([notice.version, Int64(id.value)]).inserted, "one commit is one event")
                #expect(self.listeners[id]?.target == notice.target)
                switch notice.event {
                case .value(let location, let node):
                    #expect(notice.target.path.contains(location.path))
                    self.listeners[id]?.state.set(node, at: location)
                case .merge(let base, let parts):
                    #expect(notice.target.path.contains(base))
                    for part in parts {
                        let location = TreeLocation(
                            base.appending(part.location.path),
                            isPriority: part.location.isPriority
                        )
                        self.listeners[id]?.state.set(part.node, at: location)
                    }
                }
            }
        }
        #expect(self.database.publishedVersion == version)
        #expect(self.database.published == self.history[version])
        for id in self.listeners.keys { self.check(id) }
    }

    /// A listener has what its query shows of the tree that is published.
    fileprivate func check(_ id: TreeListenerID) {
        guard let listener = self.listeners[id], let tree = self.history[self.database.publishedVersion] else { return }
        let node = tree[listener.target.path]
        let expected = listener.target.query?.filter(node) ?? node
        #expect(listener.state.shown == expected, "\(listener.target)")
        #expect(listener.state.shown.hash == expected.hash)
    }
}
