import BrasaTree
import BrasaTreeSync

/// What a client says of its connection: an engine like the database's, whose server is the client itself.
struct InfoTree: Sendable {
    static let connected = TreePath([Self.key("connected")].compactMap { $0 })
    static let serverTimeOffset = TreePath([Self.key("serverTimeOffset")].compactMap { $0 })

    private var engine = TreeSyncEngine()
    private(set) var node: TreeNode

    init() {
        self.node = TreeNode.absent
            .setting(.leaf(.boolean(false)), at: Self.connected)
            .setting(.leaf(.integer(0)), at: Self.serverTimeOffset)
    }

    private static func key(_ text: String) -> TreeKey? { try? TreeKey(text) }

    mutating func listen(_ query: TreeQuery, at path: TreePath) -> (listener: SyncListenerID, events: [TreeSyncEvent]) {
        let (listener, effects) = self.engine.listen(query, at: path)
        return (listener, effects.events + self.serve(effects.listens))
    }

    mutating func unlisten(_ listener: SyncListenerID) {
        let effects = self.engine.unlisten(listener)
        _ = self.serve(effects.listens)
    }

    mutating func set(_ scalar: TreeScalar, at path: TreePath) -> [TreeSyncEvent] {
        guard self.node[path].scalar != scalar else { return [] }
        self.node = self.node.setting(.leaf(scalar), at: path)
        let listens = self.engine.tree.openListens.filter {
            $0.target.path.contains(path) || path.contains($0.target.path)
        }
        return listens.flatMap { self.push($0.target, tag: $0.tag) }
    }

    private mutating func serve(_ changes: [ListenChange]) -> [TreeSyncEvent] {
        changes.flatMap { change -> [TreeSyncEvent] in
            switch change {
            case .open(let target, let tag):
                let events = self.push(target, tag: tag)
                return events + self.engine.completeListen(target).events
            case .close(let target, _):
                self.engine.completeClose(target)
                return []
            }
        }
    }

    private mutating func push(_ target: TreeTarget, tag: Int?) -> [TreeSyncEvent] {
        let node = target.query?.filter(self.node[target.path]) ?? self.node[target.path]
        let placement = TreeChange.Placement(location: TreeLocation(target.path), node: node)
        let change = TreeChange(path: target.path, isUpdate: false, placements: [placement])
        return self.engine.receive(change, tag: tag, milliseconds: 0).events
    }
}
