package import BrasaTree

extension SyncTree {
    /// Queues a write, and shows what it is expected to do. The time is the server's, as far as it is known.
    /// - Parameter ids: queued writes that it does not stand on, since they are given up.
    package mutating func write(
        _ write: TreeWrite,
        isShown: Bool = true,
        without ids: Set<Int> = [],
        milliseconds: Int64
    ) -> (write: PendingWrite, effects: SyncEffects) {
        self.lastWrite += 1
        let change = self.estimate(write, without: ids, milliseconds: milliseconds)
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

    /// What a queued write would rather do: it keeps its number, and with it its place below those that came after it.
    package mutating func replace(
        _ id: Int,
        by write: TreeWrite,
        milliseconds: Int64
    ) -> (write: PendingWrite, effects: SyncEffects)? {
        guard let old = self.writes.remove(id) else { return nil }
        let change = self.estimate(write, before: id, milliseconds: milliseconds)
        let pending = PendingWrite(id: id, write: write, change: change, isShown: old.isShown)
        self.writes.append(pending)
        guard old.isShown else { return (pending, SyncEffects()) }
        let gone = old.places.filter { !pending.places.contains($0) }
        return (pending, SyncEffects(events: self.refresh(pending.places + gone, isRevert: !gone.isEmpty)))
    }

    /// The server has carried a write out, and has sent what came of it before.
    package mutating func acknowledge(_ id: Int) -> SyncEffects { self.endWrite(id, isRevert: false) }

    /// The server has refused a write, or it is given up.
    package mutating func revert(_ id: Int) -> SyncEffects { self.endWrite(id, isRevert: true) }

    /// In the order in which they are to be sent.
    package var pendingWrites: [PendingWrite] { self.writes.all }

    package func pendingWrite(_ id: Int) -> PendingWrite? { self.writes[id] }

    /// A node with the queued writes, as far as all of it is known: those before one of them, and save those that are to be
    /// left out.
    package func state(at path: TreePath, before id: Int = .max, without ids: Set<Int> = []) -> TreeNode? {
        var part = self.global.known.part(at: path)
        if !part.isKnown(.root), let node = self.nodeInWindow(path) { part = PartialTree(whole: node) }
        for write in self.writes.touching(path) where write.id < id && !ids.contains(write.id) {
            part.apply(write.change, from: path)
        }
        return part.node(at: .root)
    }

    private mutating func endWrite(_ id: Int, isRevert: Bool) -> SyncEffects {
        guard let write = self.writes.remove(id), write.isShown else { return SyncEffects() }
        return SyncEffects(events: self.refresh(write.places, isRevert: isRevert))
    }

    /// Works out anew what is shown where queued writes are others now.
    private mutating func refresh(_ places: [TreePath], isRevert: Bool) -> [TreeSyncEvent] {
        let writes = self.writes
        let tops = places.map { self.global.refresh($0, writes) }
        return self.publish(tops, isRevert: isRevert) { view, places in
            places.compactMap { view.cache?.refresh($0, writes) }
        }
    }

    /// What a write would do: increments add to what those before it make, also those that are not shown: to that the server will
    /// add, too.
    /// - Parameters:
    ///   - id: 0 is before all of them: what the server has said counts alone.
    ///   - ids: queued writes that it does not stand on, since they are given up.
    func estimate(
        _ write: TreeWrite,
        before id: Int = .max,
        without ids: Set<Int> = [],
        milliseconds: Int64
    ) -> TreeChange {
        let operands = write.assignments.reduce(TreeNode.absent) { node, assignment in
            guard assignment.template.serverValues != nil else { return node }
            let path = assignment.location.path
            return node.setting(self.state(at: path, before: id, without: ids) ?? .absent, at: path)
        }
        return write.workedOut(in: operands, milliseconds)
    }
}

extension PendingWrite {
    var places: [TreePath] { self.change.placements.map(\.location.path) }
}
