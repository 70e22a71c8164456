import BrasaTree

/// A server by the book: one tree, requests carried out in order, and what each listen is told of each commit.
struct SimulatedServer {
    enum Request {
        /// With what the client has already.
        case open(TreeTarget, tag: Int?, known: TreeNode?)
        case close(TreeTarget)
        case write(Int, TreeWrite)
    }

    enum Answer {
        /// What a commit means for the listens, by their serial numbers.
        case commit([Push])
        case opened(TreeTarget, serial: Int, state: TreeNode)
        case refused(TreeTarget)
        case closed(TreeTarget)
        case written(Int, isDone: Bool)
    }

    struct Push {
        let serial: Int
        let change: TreeChange
        let tag: Int?
    }

    struct Listen {
        let serial: Int
        let target: TreeTarget
        let tag: Int?
        /// Whether everything is sent, without the tag, since there is no index.
        let isPlain: Bool
    }

    private(set) var tree = TreeNode.absent
    private var listens: [Listen] = []
    private var lastSerial = 0

    mutating func disconnect() { self.listens = [] }

    mutating func perform(_ request: Request, isRefused: Bool) -> [Answer] {
        switch request {
        case .open(let target, _, _) where isRefused: return [.refused(target)]
        case .open(let target, let tag, let known): return self.open(target, tag, known)
        case .close(let target):
            self.listens.removeAll { $0.target == target }
            return [.closed(target)]
        case .write(let id, _) where isRefused: return [.written(id, isDone: false)]
        case .write(let id, let write):
            guard let done = try? write.carriedOut(on: self.tree, milliseconds: 1_000) else {
                return [.written(id, isDone: false)]
            }
            return [self.commit(done.change), .written(id, isDone: true)]
        }
    }

    private mutating func open(_ target: TreeTarget, _ tag: Int?, _ known: TreeNode?) -> [Answer] {
        self.lastSerial += 1
        let listen = Listen(serial: self.lastSerial, target: target, tag: tag, isPlain: target.isUnindexed)
        self.listens.removeAll { $0.target == target }
        self.listens.append(listen)
        let state = listen.state(in: self.tree)
        let opened = Answer.opened(target, serial: listen.serial, state: state)
        // Everything is sent where nothing is indexed: what the client has of the window would not do.
        if !listen.isPlain, state.agrees(with: known?.hash ?? "") { return [opened] }
        let push = listen.push([.init(location: TreeLocation(target.path), node: state)])
        return [.commit([push]), opened]
    }

    mutating func commit(_ change: TreeChange) -> Answer {
        let before = self.tree
        self.tree = change.applied(to: before)
        return .commit(self.listens.compactMap { $0.push(of: change, before, self.tree) })
    }
}

extension SimulatedServer.Listen {
    func state(in tree: TreeNode) -> TreeNode {
        let node = tree[self.target.path]
        return self.isPlain ? node : self.target.query?.filter(node) ?? node
    }

    func push(_ placements: [TreeChange.Placement]) -> SimulatedServer.Push {
        let change = TreeChange(path: self.target.path, isUpdate: placements.count > 1, placements: placements)
        return .init(serial: self.serial, change: change, tag: self.isPlain ? nil : self.tag)
    }

    func push(of change: TreeChange, _ before: TreeNode, _ after: TreeNode) -> SimulatedServer.Push? {
        let path = self.target.path
        guard self.target.query != nil, !self.isPlain else {
            let placements = change.placements.compactMap { placement -> TreeChange.Placement? in
                let location = placement.location
                if path.contains(location.path) { return placement }
                guard !location.isPriority, location.path.contains(path) else { return nil }
                return .init(location: TreeLocation(path), node: after[path])
            }
            return placements.isEmpty ? nil : self.push(placements)
        }
        let (old, new) = (self.state(in: before), self.state(in: after))
        let keys = Set(old.children.map(\.key)).union(new.children.map(\.key)).sorted()
        let changed = keys.filter { old.child($0) != new.child($0) }
        let placements = changed.map { key in
            TreeChange.Placement(location: TreeLocation(path.appending(key)), node: new.child(key))
        }
        return placements.isEmpty ? nil : self.push(placements)
    }
}

extension TreeTarget {
    /// Queries by the child `c` have no index here.
    var isUnindexed: Bool {
        guard case .child(let path)? = self.query?.order else { return false }
        return path.description == "/c"
    }
}
