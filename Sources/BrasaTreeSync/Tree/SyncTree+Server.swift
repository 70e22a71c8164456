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

    /// Nothing more comes from the connection that there was, if there was one. The next one is asked for all open listens.
    package mutating func disconnect() { self.listens.endAllClosing() }

    private mutating func receivePlain(_ change: TreeChange) -> [TreeSyncEvent] {
        let placements = change.placements.flatMap { self.heard($0) }
        let change = TreeChange(path: change.path, isUpdate: change.isUpdate, placements: placements)
        self.global.known.apply(change)
        let places = placements.map { self.global.refresh($0.location.path, self.writes) }
        let writes = self.writes
        return self.publish(places) { view, _ in view.cache?.receive(change, isOwn: false, writes) ?? [] }
    }

    /// The parts that somebody listens to. What comes for a listen that was closed would never be corrected, also not for one
    /// that was opened afterwards: the server may find that what that began with is what there is. So until the server has
    /// answered that, only what was listened to before is meant; of a closed listen to everything, no query is.
    private func heard(_ placement: TreeChange.Placement) -> [TreeChange.Placement] {
        let path = placement.location.path
        let closings = self.listens.closing.filter { target, _ in
            target.path.contains(path) && !(target.path.parent.map(self.global.known.isKnown) ?? false)
        }
        let (listens, closed) = (self.listens, closings.compactMap(\.value.first).min())
        let isOfQueries = closings.keys.allSatisfy { $0.query != nil }
        let isHeard = { (point: SyncPoint) in
            point.views.contains { view in
                (isOfQueries || view.query.isComplete)
                    && listens.isOpen(TreeTarget(view.path, view.query), before: closed)
            }
        }
        if let parent = path.parent, self.points.first(onWayTo: parent, where: isHeard) != nil { return [placement] }
        let isFed = { (point: SyncPoint) in point.mayBeFedPlainly && isHeard(point) }
        if placement.location.isPriority { return self.points[path].map(isFed) ?? false ? [placement] : [] }
        return (self.points.branch(at: path)?.uppermost(from: path) { isFed($1) } ?? []).map { point in
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
