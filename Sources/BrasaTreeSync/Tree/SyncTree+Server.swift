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
        let path = target.path
        guard let query = target.query else {
            guard self.known(target) == nil else { return SyncEffects() }
            self.global.known.set(self.global.known.knownChildren(at: path), at: path)
            let top = self.global.refresh(path, self.writes)
            return SyncEffects(events: self.publish([top]))
        }
        // What is known by another listen goes with that.
        guard !(self.cache(query, at: path)?.isComplete ?? false) else { return SyncEffects() }
        let known = self.global.known.node(at: path)
        let events = self.changeCache(query, at: path) { cache, writes in
            cache = FilteredCache(query, at: path, known ?? cache.known, writes)
            return [path]
        }
        return SyncEffects(events: events)
    }

    /// The server has answered that a listen was closed.
    package mutating func completeClose(_ target: TreeTarget) { self.listens.endClosing(target) }

    /// Nothing more comes from the connection that there was, if there was one. The next one is asked for all open listens.
    package mutating func disconnect() { self.listens.endAllClosing() }

    private mutating func receivePlain(_ change: TreeChange) -> [TreeSyncEvent] {
        let hearings = change.placements.map { self.hearing(of: $0.location.path) }
        let heard = zip(change.placements, hearings).flatMap { self.heard($0, $1) }
        self.global.known.apply(TreeChange(path: change.path, isUpdate: change.isUpdate, placements: heard))
        let writes = self.writes
        let known = heard.map { self.global.refresh($0.location.path, writes) }
        // Windows hear more: where nobody else does, they are touched all the same.
        let isAllHeard = heard.map(\.location) == change.placements.map(\.location)
        let places = isAllHeard ? known : known + change.placements.map(\.location.path)
        return self.publish(places) { view, _ in
            guard view.cache != nil else { return [] }
            if hearings.allSatisfy({ $0.includes(view) }) {
                return view.cache?.receive(change, isOwn: false, writes) ?? []
            }
            let own = zip(change.placements, hearings).filter { $1.includes(view) }.map(\.0)
            let part = TreeChange(path: change.path, isUpdate: change.isUpdate, placements: own)
            return view.cache?.receive(part, isOwn: false, writes) ?? []
        }
    }

    private func hearing(of path: TreePath) -> Hearing {
        let listens = self.listens
        // What a listen above brings as well is meant, if that was asked for before.
        let closings = listens.closing.filter { target, closed in
            target.path.contains(path)
                && !self.isFed(above: target.path) {
                    listens.isOpen(TreeTarget($0.path, $0.query), before: closed.first)
                }
        }
        return Hearing(
            listens: listens,
            closed: closings.compactMap(\.value.first).min(),
            isOfQueries: closings.keys.allSatisfy { $0.query != nil }
        )
    }

    /// Whether a place above is sent all that changes here.
    private func isFed(above path: TreePath, where isMeant: (TreeView) -> Bool) -> Bool {
        guard let parent = path.parent else { return false }
        let known = self.global.known
        let above = self.points.first(onWayTo: parent) { point in
            point.views.contains { isMeant($0) && ($0.query.isComplete || known.isKnown($0.path)) }
        }
        return above != nil
    }

    /// The parts that somebody listens to. What is sent is of a listen at its place, or of one above that has brought all of its
    /// own before. What is known below by then is brought up to date, but nothing is learnt there that was not known: that
    /// listen may have been closed, and nobody would say when it is not true any more.
    private func heard(_ placement: TreeChange.Placement, _ hearing: Hearing) -> [TreeChange.Placement] {
        let (path, known) = (placement.location.path, self.global.known)
        if self.isFed(above: path, where: hearing.includes) { return [placement] }
        let isFed = { (place: TreePath, point: SyncPoint) in
            guard point.views.contains(where: hearing.includes) else { return false }
            return point.isComplete || point.mayBeFedPlainly && (place == path || known.isKnown(place))
        }
        if placement.location.isPriority {
            return self.points[path].map { isFed(path, $0) } ?? false ? [placement] : []
        }
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

/// Who is meant by what comes without a tag. What comes for a listen that was closed would never be corrected, also not for one
/// that was opened afterwards: the server may find that what that began with is what there is. So until the server has
/// answered that, only what was listened to before is meant; of a closed listen to everything, no query is.
private struct Hearing {
    let listens: ListenTable
    /// When the first of them was.
    let closed: Int?
    let isOfQueries: Bool

    func includes(_ view: TreeView) -> Bool {
        (self.isOfQueries || view.query.isComplete)
            && self.listens.isOpen(TreeTarget(view.path, view.query), before: self.closed)
    }
}
