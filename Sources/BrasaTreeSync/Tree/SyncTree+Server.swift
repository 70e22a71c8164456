package import BrasaTree

extension SyncTree {
    /// What the server pushes: nodes put in place, as one change. With a tag, of the query that was asked for by it.
    package mutating func receive(_ change: TreeChange, tag: Int? = nil) -> SyncEffects {
        guard let tag else { return SyncEffects(events: self.receivePlain(change)) }
        guard let target = self.listens.target(tag: tag), let query = target.query else { return SyncEffects() }
        let events = self.changeCache(query, at: target.path) { $0.receive(change, isOwn: true, $1) }
        return SyncEffects(events: events)
    }

    /// A push of what differs by range, which a listen with a compound hash is answered with.
    package mutating func receive(_ merges: [RangeMerge], at path: TreePath, tag: Int? = nil) -> SyncEffects {
        let target = tag.map { self.listens.target(tag: $0) } ?? TreeTarget(path)
        // What the ranges are of that the server has not sent is what it was asked with, which may be less than all.
        let assumed = target.map { self.assumed($0) } ?? .absent
        let node = merges.reduce(assumed) { $1.applied(to: $0) }
        let placement = TreeChange.Placement(location: TreeLocation(path), node: node)
        return self.receive(TreeChange(path: path, isUpdate: false, placements: [placement]), tag: tag)
    }

    /// The server has answered a listen: what it had to say, it has said before. Of what it did not speak, nothing is
    /// there.
    package mutating func completeListen(_ target: TreeTarget) -> SyncEffects {
        guard self.listens.isOpen(target) else { return SyncEffects() }
        self.notes?.confirm(target)
        guard self.known(target) == nil else { return SyncEffects() }
        let path = target.path
        guard let query = target.query else {
            self.global.known.set(self.global.known.knownChildren(at: path), at: path)
            let top = self.global.refresh(path, self.writes)
            return SyncEffects(events: self.publish([top]))
        }
        let events = self.changeCache(query, at: path) { cache, writes in
            cache = FilteredCache(query, at: path, cache.known, writes)
            return [path]
        }
        return SyncEffects(events: events)
    }

    /// The server has answered that a listen was closed.
    package mutating func completeClose(_ target: TreeTarget) { self.listens.endClosing(target) }

    /// Nothing more comes from the connection that there was. The next one is asked for all open listens.
    package mutating func disconnect() { self.listens.endAllClosing() }

    private mutating func receivePlain(_ change: TreeChange) -> [TreeSyncEvent] {
        let placements = change.placements.flatMap { self.heard($0) }
        let change = TreeChange(path: change.path, isUpdate: change.isUpdate, placements: placements)
        self.global.known.apply(change)
        let places = placements.map { self.global.refresh($0.location.path, self.writes) }
        let writes = self.writes
        return self.publish(places) { view, _ in view.cache?.receive(change, isOwn: false, writes) ?? [] }
    }

    /// The parts that somebody listens to. What comes for a listen that was closed would never be corrected: until the
    /// server has answered that, only listens to everything are known not to be meant by it.
    private func heard(_ placement: TreeChange.Placement) -> [TreeChange.Placement] {
        let path = placement.location.path
        let isClosing = self.listens.closing.keys.contains { closing in
            closing.contains(path) && !(closing.parent.map(self.global.known.isKnown) ?? false)
        }
        let isHeard = { (point: SyncPoint) in point.isComplete || !isClosing }
        if let parent = path.parent, self.points.first(onWayTo: parent, where: isHeard) != nil { return [placement] }
        let isFed = { (point: SyncPoint) in point.isComplete || !isClosing && point.mayBeFedPlainly }
        if placement.location.isPriority { return self.points[path].map(isFed) ?? false ? [placement] : [] }
        return (self.points.branch(at: path)?.uppermost(from: path, where: isFed) ?? []).map { point in
            let node = placement.node[path.relative(point.path) ?? .root]
            return TreeChange.Placement(location: TreeLocation(point.path), node: node)
        }
    }

    private mutating func changeCache(
        _ query: TreeQuery,
        at path: TreePath,
        _ body: (inout FilteredCache, WriteQueue) -> [TreePath]
    ) -> [TreeSyncEvent] {
        let writes = self.writes
        var places: [TreePath] = []
        _ = self.changeView(query, at: path) { view in
            var cache = view.cache ?? FilteredCache(query, at: path, nil, writes)
            places = body(&cache, writes)
            view.cache = cache
            return []
        }
        self.notes?.touched.insert(path)
        // Nobody is sent everything any more: what was, was of a listen that has gone.
        if self.global.known.isKnown(path), !(self.points[path]?.mayBeFedPlainly ?? true) {
            self.forgetUnheard(at: path, wasComplete: false)
        }
        let shown = self.global.shown
        let events = self.changeView(query, at: path) { view in
            let below = places.map { path.relative($0)?.keys[...] ?? [] }
            return view.update(shown, at: below).map { view.event($0) }
        }
        return events.filter { !$0.listeners.isEmpty }
    }
}
