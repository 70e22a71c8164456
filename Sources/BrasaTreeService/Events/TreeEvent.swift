import BrasaStore
package import BrasaTree

/// What a stream is told, in the words of the REST's event streams.
package enum TreeEvent: Sendable {
    /// At a path from the stream's node: what is there now.
    case put(TreePath, TreeNode)
    /// Of the node at a path, what the named paths have now.
    case patch(TreePath, [TreeMember])
    case keepAlive
    /// The stream ends, and why.
    case cancel(TreeCancellation)
    /// The stream ends: what let its reader in does not hold any more.
    case authRevoked

    /// As it is sent.
    package func output(_ form: TreeEmitter.Form) -> TreeOutput {
        switch self {
        case .put(let path, let node):
            TreeOutput(.node(node, form), before: Self.opening("put", path), after: Self.closing)
        case .patch(let path, let members):
            TreeOutput(.members(members, form), before: Self.opening("patch", path), after: Self.closing)
        case .keepAlive: TreeOutput(.text(Array("event: keep-alive\ndata: null\n\n".utf8)))
        case .cancel(let cancellation):
            TreeOutput(.text(Array("event: cancel\ndata: \"\(cancellation.rawValue)\"\n\n".utf8)))
        case .authRevoked:
            TreeOutput(.text(Array("event: auth_revoked\ndata: credential is no longer valid\n\n".utf8)))
        }
    }

    /// How large what it shows is, as `TreeNode.estimate` has it.
    var estimate: Int {
        switch self {
        case .put(_, let node): node.estimate
        case .patch(_, let members): members.reduce(0) { $0 + $1.name.utf8.count + $1.node.estimate }
        case .keepAlive, .cancel, .authRevoked: 0
        }
    }

    private static let closing = Array("}\n\n".utf8)

    private static func opening(_ name: String, _ path: TreePath) -> [UInt8] {
        Array("event: \(name)\ndata: {\"path\":".utf8) + JSONValue.string(TreeText(path.description)).text
            + Array(",\"data\":".utf8)
    }
}

/// Why a stream ends that could be read before, in the words that clients know.
package enum TreeCancellation: String, Sendable {
    case denied = "Permission denied"
    case tooLarge = "The specified payload is too large, please request a location with less data."
}

/// What commits are for who reads one node whole. A value without clock or lock.
struct TreeEventMaker: Sendable {
    let path: TreePath
    let form: TreeEmitter.Form

    /// In the order of the writes. What they put is told as it is after the commit.
    func events(of step: TreeStep) -> [TreeEvent] {
        guard !step.before[self.path].isSame(as: step.after[self.path]) else { return [] }
        return step.changes.compactMap { self.event(of: $0, step) }
    }

    private func event(of change: TreeChange, _ step: TreeStep) -> TreeEvent? {
        let isCovered = change.placements.contains { placement in
            !placement.location.isPriority && placement.location.path.contains(self.path)
        }
        if isCovered { return .put(.root, step.after[self.path]) }
        let paths = change.placements.compactMap { self.seen($0.location) }
        guard let first = paths.first else { return nil }
        guard change.isUpdate else { return self.put(first, step) }
        let base = self.path.contains(change.path) ? change.path : self.path
        let members = paths.compactMap { path -> TreeMember? in
            guard let below = base.relative(path), !below.isRoot else { return nil }
            return TreeMember(TreeText(below.keys.map(\.text.string).joined(separator: "/")), step.after[path])
        }
        // A priority of the base itself is told by the whole of it.
        guard members.count == paths.count else { return self.put(base, step) }
        return .patch(self.relative(base), members)
    }

    /// The node that a placement changes for this reader; nil when it sees nothing of it.
    private func seen(_ location: TreeLocation) -> TreePath? {
        guard self.path.contains(location.path), !location.isPriority || self.form == .export else { return nil }
        return location.path
    }

    private func put(_ path: TreePath, _ step: TreeStep) -> TreeEvent { .put(self.relative(path), step.after[path]) }

    private func relative(_ path: TreePath) -> TreePath { self.path.relative(path) ?? .root }
}
