import BrasaTree

/// Who listens where, as a tree of its own: a commit goes down the paths that it changed, and to what is beneath.
struct ListenerTree: Sendable {
    fileprivate struct View {
        /// Nil for everything.
        var window: TreeWindow?
        var listeners: Set<TreeListenerID> = []
    }

    fileprivate struct Place {
        var children: [TreeKey: Place] = [:]
        var views: [TreeTarget: View] = [:]

        var isEmpty: Bool { self.children.isEmpty && self.views.isEmpty }
    }

    private var root = Place()
    private(set) var count = 0

    /// Returns what the target shows now.
    mutating func add(_ listener: TreeListenerID, to target: TreeTarget, _ tree: TreeNode) -> TreeNode {
        let node = tree[target.path]
        var shown = node
        var isNew = false
        self.root.update(target.path.keys[...]) { place in
            if place.views[target] == nil {
                let window = target.query.map { query in
                    TreeWindow(query, in: place.index(query.order) ?? TreeIndex(query.order, of: node))
                }
                place.views[target] = View(window: window)
            }
            isNew = place.views[target]?.listeners.insert(listener).inserted ?? false
            if let window = place.views[target]?.window { shown = window.node }
        }
        if isNew { self.count += 1 }
        return shown
    }

    mutating func remove(_ listener: TreeListenerID, from target: TreeTarget) {
        var isThere = false
        self.root.update(target.path.keys[...]) { place in
            isThere = place.views[target]?.listeners.remove(listener) != nil
            if place.views[target]?.listeners.isEmpty ?? false { place.views[target] = nil }
        }
        if isThere { self.count -= 1 }
    }

    /// Complexity: places with listeners on the paths of the commit and beneath; for each target the window's change.
    mutating func notices(of commit: TreeCommit) -> [TreeNotice] {
        let parts = CommitParts(commit)
        guard !parts.locations.isEmpty else { return [] }
        var walk = Walk(commit: commit)
        self.root.collect(parts.locations[...], isCovered: false, .root, commit.before, commit.after, &walk)
        return walk.notices
    }

    fileprivate struct Walk {
        let commit: TreeCommit
        var notices: [TreeNotice] = []
    }
}

extension ListenerTree.Place {
    /// Changes the place at a path, which is made for it; one that is empty then is none. Recursive, as deep as paths.
    fileprivate mutating func update(_ path: ArraySlice<TreeKey>, _ body: (inout ListenerTree.Place) -> Void) {
        guard let key = path.first else { return body(&self) }
        self.children[key, default: ListenerTree.Place()].update(path.dropFirst(), body)
        if self.children[key]?.isEmpty ?? false { self.children[key] = nil }
    }

    /// That a view here has already. Equal orders share what they keep.
    fileprivate func index(_ order: TreeQuery.Order) -> TreeIndex? {
        self.views.values.lazy.compactMap(\.window?.index).first { $0.order == order }
    }

    /// `locations` are those at this place and beneath; covered is a place whose node, or one above it, was put.
    fileprivate mutating func collect(
        _ locations: ArraySlice<TreeLocation>,
        isCovered: Bool,
        _ path: TreePath,
        _ before: TreeNode,
        _ after: TreeNode,
        _ walk: inout ListenerTree.Walk
    ) {
        let isCovered = isCovered || locations.first.map { $0.path == path && !$0.isPriority } ?? false
        if isCovered, before == after { return }
        if !self.views.isEmpty { self.tell(locations, isCovered: isCovered, path, before, after, &walk) }
        guard !self.children.isEmpty else { return }
        if isCovered {
            for key in self.children.keys {
                self.children[key]?.collect(
                    [],
                    isCovered: true,
                    path.appending(key),
                    before.child(key),
                    after.child(key),
                    &walk
                )
            }
            return
        }
        // Those of one child stand together.
        var rest = locations.drop { $0.path == path }
        while let key = rest.first?.path.keys[path.keys.count] {
            let group = rest.prefix { $0.path.keys[path.keys.count] == key }
            self.children[key]?.collect(
                group,
                isCovered: false,
                path.appending(key),
                before.child(key),
                after.child(key),
                &walk
            )
            rest = rest[group.endIndex...]
        }
    }

    private mutating func tell(
        _ locations: ArraySlice<TreeLocation>,
        isCovered: Bool,
        _ path: TreePath,
        _ before: TreeNode,
        _ after: TreeNode,
        _ walk: inout ListenerTree.Walk
    ) {
        var indexes: [TreeQuery.Order: TreeIndex] = [:]
        for (target, view) in self.views {
            var event: TreeNotice.Event?
            if let window = view.window {
                let order = window.query.order
                let index = indexes[order] ?? window.index.updated(to: after)
                indexes[order] = index
                let next = TreeWindow(window.query, in: index)
                self.views[target]?.window = next
                event = Self.event(
                    WindowChange(from: window, to: next),
                    isCovered ? [] : locations,
                    isCovered: isCovered,
                    path,
                    walk.commit
                )
            } else if isCovered {
                event = .value(TreeLocation(path), after)
            } else {
                event = Self.event(Array(locations), path, walk.commit)
            }
            guard let event else { continue }
            let version = walk.commit.version
            walk.notices.append(
                TreeNotice(version: version, target: target, event: event, listeners: view.listeners)
            )
        }
    }

    private static func event(
        _ locations: [TreeLocation],
        _ path: TreePath,
        _ commit: TreeCommit
    ) -> TreeNotice.Event? {
        guard let first = locations.first else { return nil }
        if locations.count == 1, !commit.change.isUpdate { return .value(first, commit.after.part(first)) }
        // An update inside is told at its own place, so that it is seen as the writer meant it.
        let base = path.contains(commit.change.path) ? commit.change.path : path
        return .merge(base, locations.map { ($0.relative(to: base), commit.after.part($0)) })
    }

    /// A child that came or went is told whole; of one that stayed, what changed in it.
    private static func event(
        _ change: WindowChange,
        _ locations: ArraySlice<TreeLocation>,
        isCovered: Bool,
        _ path: TreePath,
        _ commit: TreeCommit
    ) -> TreeNotice.Event? {
        var parts: [(location: TreeLocation, node: TreeNode)] = []
        let level = path.keys.count
        var inside: [TreeKey: [TreeLocation]] = [:]
        for location in locations where location.path.keys.count > level {
            inside[location.path.keys[level], default: []].append(location)
        }
        for child in change.children {
            let places = inside[child.key] ?? []
            let stays = !child.old.isAbsent && !child.new.isAbsent
            let isWhole = places.isEmpty || places.contains { $0.path.keys.count == level + 1 && !$0.isPriority }
            if !stays || isWhole {
                parts.append((TreeLocation(TreePath([child.key])), child.new))
            } else {
                parts += places.map { ($0.relative(to: path), commit.after.part($0)) }
            }
        }
        guard let first = parts.first else { return nil }
        guard parts.count == 1, !commit.change.isUpdate else { return .merge(path, parts) }
        let whole = TreeLocation(path.appending(first.location.path), isPriority: first.location.isPriority)
        return .value(whole, first.node)
    }
}
