package import BrasaTree

extension SyncTree {
    /// Queues a write, and shows what it is expected to do. The time is the server's, as far as it is known.
    package mutating func write(
        _ write: TreeWrite,
        isShown: Bool = true,
        milliseconds: Int64
    ) -> (write: PendingWrite, effects: SyncEffects) {
        self.lastWrite += 1
        let change = self.estimate(write, milliseconds: milliseconds)
        let pending = PendingWrite(id: self.lastWrite, write: write, change: change, isShown: isShown)
        self.writes.append(pending)
        guard isShown else {
            return (pending, SyncEffects())
        }
        self.global.append(pending)
        let events = self.publish(pending.places) { view, _ in
            view.cache?.append(pending)
            return []
        }
        return (pending, SyncEffects(events: events))
    }

    /// The server has carried a write out, and has sent what came of it before.
    package mutating func acknowledge(_ id: Int) -> SyncEffects { self.endWrite(id, isRevert: false) }

    /// The server has refused a write, or it is given up.
    package mutating func revert(_ id: Int) -> SyncEffects { self.endWrite(id, isRevert: true) }

    /// In the order in which they are to be sent.
    package var pendingWrites: [PendingWrite] { self.writes.all }

    package func pendingWrite(_ id: Int) -> PendingWrite? { self.writes[id] }

    /// A node with the queued writes, as far as all of it is known, save those that are to be left out.
    package func state(at path: TreePath, without ids: Set<Int> = [], withHidden: Bool = true) -> TreeNode? {
        var part = self.global.known.part(at: path)
        if !part.isKnown(.root), let node = self.nodeInWindow(path) { part = PartialTree(whole: node) }
        for write in self.writes.touching(path) where !ids.contains(write.id) && (withHidden || write.isShown) {
            part.apply(write.change, from: path)
        }
        return part.node(at: .root)
    }

    private mutating func endWrite(_ id: Int, isRevert: Bool) -> SyncEffects {
        guard let write = self.writes.remove(id), write.isShown else { return SyncEffects() }
        let writes = self.writes
        let tops = write.places.map { self.global.refresh($0, writes) }
        let events = self.publish(tops, isRevert: isRevert) { view, places in
            places.compactMap { view.cache?.refresh($0, writes) }
        }
        return SyncEffects(events: events)
    }

    /// What a write would do: increments add to what is shown, each in its place.
    func estimate(_ write: TreeWrite, milliseconds: Int64) -> TreeChange {
        let operands = write.assignments.reduce(TreeNode.absent) { node, assignment in
            guard assignment.template.serverValues != nil else { return node }
            let path = assignment.location.path
            return node.setting(self.state(at: path, withHidden: false) ?? .absent, at: path)
        }
        return write.workedOut(in: operands, milliseconds)
    }
}

extension PendingWrite {
    var places: [TreePath] { self.change.placements.map(\.location.path) }
}
