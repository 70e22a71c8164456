package import BrasaTree

extension SyncTree {
    /// A new listener of a query. It is told what is known at once.
    /// - Parameter stored: what the disk has of it, where `wantsStored`.
    package mutating func listen(
        _ query: TreeQuery,
        at path: TreePath,
        stored: StoredNode? = nil
    ) -> (listener: SyncListenerID, effects: SyncEffects) {
        self.lastListener += 1
        let listener = SyncListenerID(number: self.lastListener)
        self.listeners[listener] = ViewPlace(path: path, query: query)
        var effects = self.makeView(query, at: path, stored)
        effects.events += self.changeView(query, at: path) { view in
            view.listeners.append(listener)
            return view.initialEvents.map {
                TreeSyncEvent(path: path, query: query, listeners: [listener], kind: $0)
            }
        }
        return (listener, effects)
    }

    /// Unknown ones, such as those that were refused, do not matter.
    package mutating func unlisten(_ listener: SyncListenerID) -> SyncEffects {
        guard let place = self.listeners.removeValue(forKey: listener) else { return SyncEffects() }
        _ = self.changeView(place.query, at: place.path) { view in
            view.listeners.removeAll { $0 == listener }
            return []
        }
        return self.removeViews(at: place.path) { $0.query == place.query && $0.isUnused }
    }

    /// Listens to a query without anybody to be told, or not any more.
    package mutating func keepSynced(
        _ isKept: Bool,
        _ query: TreeQuery,
        at path: TreePath,
        stored: StoredNode? = nil
    ) -> SyncEffects {
        let effects = isKept ? self.makeView(query, at: path, stored) : SyncEffects()
        _ = self.changeView(query, at: path) { view in
            view.isKept = isKept
            return []
        }
        return isKept ? effects : self.removeViews(at: path) { $0.query == query && $0.isUnused }
    }

    /// The server does not let a target be read, or cannot give it: it has ended that listen itself.
    package mutating func refuse(_ target: TreeTarget, status: String) -> SyncEffects {
        guard self.listens.end(target), let point = self.points[target.path] else { return SyncEffects() }
        // What may be read all the same is kept for whoever has no connection.
        self.notes?.end(target, isForgotten: status == Self.notAllowed)
        let isRefused = { (view: TreeView) in TreeTarget(target.path, view.query) == target }
        let refused = point.views.filter(isRefused)
        for view in refused { for listener in view.listeners { self.listeners[listener] = nil } }
        var effects = self.removeViews(at: target.path, where: isRefused)
        effects.events += refused.filter { !$0.listeners.isEmpty }.map { $0.event(.refused(status: status)) }
        return effects
    }

    /// The wire's word, which this room does not know otherwise.
    private static let notAllowed = "permission_denied"

    /// What the server has to be asked for: after a reconnection, all of it again.
    package var openListens: [(target: TreeTarget, tag: Int?)] { self.listens.all }

    /// What the server has said of a target, by which it can tell whether anything is new. Nil when not all is known.
    package func known(_ target: TreeTarget) -> TreeNode? {
        if let node = self.global.known.node(at: target.path) { return target.query?.filter(node) ?? node }
        guard let query = target.query, let cache = self.cache(query, at: target.path) else { return nil }
        return cache.isComplete ? cache.known : nil
    }

    /// What would be taken for all of a target if the server had nothing to say of it: what is known of its children. The server
    /// has to be asked with this, lest it is left out what is not there any more.
    package func assumed(_ target: TreeTarget) -> TreeNode {
        if let known = self.known(target) { return known }
        guard let query = target.query else { return self.global.known.knownChildren(at: target.path) }
        return self.cache(query, at: target.path)?.known ?? .absent
    }

    /// What a query shows with the queued writes, once all of that is known.
    package func shown(_ query: TreeQuery, at path: TreePath) -> TreeNode? {
        if let node = self.global.shown.node(at: path) { return query.filter(node) }
        guard let point = self.points[path], let index = point.index(of: query) else { return nil }
        return point.views[index].node
    }

    func cache(_ query: TreeQuery, at path: TreePath) -> FilteredCache? {
        guard let point = self.points[path], let index = point.index(of: query) else { return nil }
        return point.views[index].cache
    }

    mutating func changeView(
        _ query: TreeQuery,
        at path: TreePath,
        _ body: (inout TreeView) -> [TreeSyncEvent]
    ) -> [TreeSyncEvent] {
        guard self.points[path]?.index(of: query) != nil else { return [] }
        return self.points.update(at: path) { branch in
            guard let index = branch.value?.index(of: query), var view = branch.value?.views[index] else { return [] }
            let events = body(&view)
            branch.value?.views[index] = view
            return events
        }
    }
}

// MARK: Views that come and go

extension SyncTree {
    private mutating func makeView(_ query: TreeQuery, at path: TreePath, _ stored: StoredNode?) -> SyncEffects {
        guard self.points[path]?.index(of: query) == nil else { return SyncEffects() }
        var effects = SyncEffects()
        var view = TreeView(query, at: path)
        let window = self.nodeInWindow(path)
        if let known = self.global.known.node(at: path) {
            // By a query above to which the server sends everything, which may be closed before this one's listen is answered.
            if !query.isComplete, self.points.first(onWayTo: path, where: \.isComplete) == nil {
                view.cache = FilteredCache(query, at: path, known, self.writes)
            }
        } else if let node = window ?? stored.map({ self.withHeard($0.node, at: path) }) {
            // A query above shows it whole, as a child or below one, or an earlier process knew it: a start, until the
            // view's own listen says more.
            if query.isComplete {
                self.global.known.set(node, at: path)
                effects.events = self.publish([self.global.refresh(path, self.writes)])
            } else {
                view.cache = FilteredCache(query, at: path, node, self.writes)
            }
        }
        view.begin(self.global.shown)
        effects.listens = self.changeListens(at: path, stored) { tree in
            tree.points.update(at: path) { branch in
                var point = branch.value ?? SyncPoint()
                point.views.append(view)
                branch.value = point
            }
        }
        return effects
    }

    /// What a query above says of a node in its window.
    func nodeInWindow(_ path: TreePath) -> TreeNode? {
        var node: TreeNode?
        _ = self.points.first(onWayTo: path) { point in
            let caches = point.views.lazy.compactMap(\.cache).filter { $0.path != path }
            node = caches.compactMap { $0.tree.known.node(at: path) }.first
            return node != nil
        }
        return node
    }

    private mutating func removeViews(at path: TreePath, where condition: (TreeView) -> Bool) -> SyncEffects {
        guard let point = self.points[path] else { return SyncEffects() }
        let removed = point.views.filter(condition)
        guard !removed.isEmpty else { return SyncEffects() }
        let listens = self.changeListens(at: path) { tree in
            tree.points.update(at: path) { branch in
                branch.value?.views.removeAll(where: condition)
                if branch.value?.views.isEmpty ?? false { branch.value = nil }
            }
            tree.forgetUnheard(at: path, wasComplete: removed.contains { $0.query.isComplete })
        }
        return SyncEffects(listens: listens)
    }

    /// Forgets what no listen keeps up to date any more. Nobody is told: what views have shown, they go on showing.
    mutating func forgetUnheard(at path: TreePath, wasComplete: Bool) {
        guard self.points.first(onWayTo: path, where: \.isComplete) == nil else { return }
        // A query above to which the server sends everything, for want of an index, keeps this up to date.
        if let parent = path.parent, self.global.known.isKnown(parent) { return }
        if wasComplete {
            self.fillCaches(from: path)
        } else if self.isFedPlainly(path) {
            return
        }
        // What queries below were sent for want of an index is theirs, unless it came from here.
        let known = self.global.known
        let isFedBelow = !wasComplete && !known.isKnown(path)
        let heard =
            self.points.branch(at: path)?.uppermost(from: path) { place, point in
                point.isComplete || isFedBelow && point.mayBeFedPlainly && known.isKnown(place)
            } ?? []
        let parts = heard.map { (path: $0.path, known: self.global.known.part(at: $0.path)) }
        self.global.known.forget(path)
        for part in parts { self.global.known.replace(part.path, with: part.known) }
        self.touch(below: path)
        _ = self.global.refresh(path, self.writes)
    }

    /// Queries that were answered by a listen to everything have what it brought, until their own brings more.
    private mutating func fillCaches(from path: TreePath) {
        let (known, writes) = (self.global.known, self.writes)
        self.points.updateTouched(by: [path.keys[...]]) { place, _, point in
            guard path.contains(place), !point.isComplete, let node = known.node(at: place) else { return }
            for index in point.views.indices {
                point.views[index].cache = FilteredCache(point.views[index].query, at: place, node, writes)
            }
        }
    }

    /// What a change of views means for the server. What is not needed any more is closed first: what comes before the
    /// answer to that is then of no listen that was opened for it.
    private mutating func changeListens(
        at path: TreePath,
        _ stored: StoredNode? = nil,
        _ body: (inout SyncTree) -> Void
    ) -> [ListenChange] {
        let before = self.wanted(at: path)
        body(&self)
        let wanted = self.wanted(at: path)
        let still = Set(wanted)
        let closed = before.filter { !still.contains($0) }.compactMap { target in
            self.notes?.end(target)
            return self.listens.close(target)
        }
        let opened = wanted.filter { !self.listens.isOpen($0) }.map { target in
            self.notes?.begin(target, stored)
            return self.listens.open(target)
        }
        return closed + opened
    }

    /// Whether a query at a path is sent everything, without a tag, since the server has no index for it.
    private func isFedPlainly(_ path: TreePath) -> Bool {
        self.global.known.isKnown(path) && self.points[path]?.mayBeFedPlainly ?? false
    }

    /// The listens that the views at and below a path need. One to everything is enough for what is below it.
    private func wanted(at path: TreePath) -> [TreeTarget] {
        if let parent = path.parent, self.points.first(onWayTo: parent, where: \.isComplete) != nil { return [] }
        var targets: [TreeTarget] = []
        self.points.branch(at: path)?.forEachUnshadowed(from: path) { targets += $1.targets(at: $0) }
        return targets
    }
}

extension PathTree<SyncPoint> {
    fileprivate func forEachUnshadowed(from path: TreePath, _ body: (TreePath, SyncPoint) -> Void) {
        if let value { body(path, value) }
        guard !(self.value?.isComplete ?? false) else { return }
        for key in self.children.keys.sorted() {
            self.children[key]?.forEachUnshadowed(from: path.appending(key), body)
        }
    }
}
