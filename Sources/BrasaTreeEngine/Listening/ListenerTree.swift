import BrasaTree

/// Who listens where, as a tree of its own: a commit goes down the paths that it changed, and to what is beneath.
struct ListenerTree: Sendable {
    fileprivate struct View {
        /// Nil for everything.
        var window: TreeWindow?
        var listeners: Set<TreeListenerID> = []
    }

    /// What windows of one order are found by, and for how many views it is kept.
    fileprivate struct SharedIndex {
        var index: TreeIndex
        var views = 0

        /// Children that it keeps something of.
        var entries: Int { self.index.hasEntries ? self.index.count : 0 }
    }

    fileprivate struct Place {
        var children: [TreeKey: Place] = [:]
        var views: [TreeTarget: View] = [:]
        var indexes: [TreeQuery.Order: SharedIndex] = [:]

        var isEmpty: Bool { self.children.isEmpty && self.views.isEmpty }

        /// Those that always are kept apart from the node.
        var orders: Int { self.indexes.keys.count { $0 != .key && $0 != .priority } }
    }

    private var root = Place()
    private(set) var count = 0
    /// Of all indexes, how many children they keep something of.
    private(set) var indexEntries = 0

    /// Returns what the target shows now.
    mutating func add(_ listener: TreeListenerID, to target: TreeTarget, _ tree: TreeNode) -> TreeNode {
        let node = tree[target.path]
        var shown = node
        var isNew = false
        var added = 0
        self.root.update(target.path.keys[...]) { place in
            if place.views[target] == nil {
                let window = target.query.map { query in
                    let known = place.indexes[query.order]
                    var shared = known ?? SharedIndex(index: TreeIndex(query.order, of: node))
                    if known == nil { added = shared.entries }
                    shared.views += 1
                    place.indexes[query.order] = shared
                    return TreeWindow(query, in: shared.index)
                }
                place.views[target] = View(window: window)
            }
            isNew = place.views[target]?.listeners.insert(listener).inserted ?? false
            if let window = place.views[target]?.window { shown = window.node }
        }
        if isNew { self.count += 1 }
        self.indexEntries += added
        return shown
    }

    mutating func remove(_ listener: TreeListenerID, from target: TreeTarget) {
        var isThere = false
        var removed = 0
        self.root.update(target.path.keys[...]) { place in
            isThere = place.views[target]?.listeners.remove(listener) != nil
            guard place.views[target]?.listeners.isEmpty ?? false else { return }
            place.views[target] = nil
            guard let order = target.query?.order, var shared = place.indexes[order] else { return }
            shared.views -= 1
            if shared.views == 0 { removed = shared.entries }
            place.indexes[order] = shared.views == 0 ? nil : shared
        }
        if isThere { self.count -= 1 }
        self.indexEntries -= removed
    }

    /// How many orders the node of a target is kept by, and of how many children one would keep something that its first listener
    /// makes necessary; nil where it makes none necessary.
    func newIndex(for target: TreeTarget, _ tree: TreeNode) -> (others: Int, children: Int)? {
        let node = tree[target.path]
        guard let order = target.query?.order, order != .key, order != .priority || node.hasChildPriorities else {
            return nil
        }
        let place = self.place(target.path)
        guard place?.indexes[order] == nil else { return nil }
        return (place?.orders ?? 0, node.childCount)
    }

    /// What the listeners of a target see now; nil when there are none.
    func shown(_ target: TreeTarget, _ tree: TreeNode) -> TreeNode? {
        guard let view = self.place(target.path)?.views[target] else { return nil }
        return view.window?.node ?? tree[target.path]
    }

    private func place(_ path: TreePath) -> Place? {
        var place = self.root
        for key in path.keys {
            guard let next = place.children[key] else { return nil }
            place = next
        }
        return place
    }

    /// Complexity: places with listeners on the paths of the commit and beneath; for each target the window's change.
    mutating func notices(of commit: TreeCommit) -> [TreeNotice] {
        let parts = CommitParts(commit)
        guard !parts.locations.isEmpty else { return [] }
        var walk = Walk(commit: commit)
        self.root.collect(parts.locations[...], isCovered: false, .root, commit.before, commit.after, &walk)
        self.indexEntries += walk.indexEntriesAdded
        return walk.notices
    }

    fileprivate struct Walk {
        let commit: TreeCommit
        var notices: [TreeNotice] = []
        var indexEntriesAdded = 0
    }
}

extension ListenerTree.Place {
    /// Changes the place at a path, which is made for it; one that is empty then is none. Recursive, as deep as paths.
    fileprivate mutating func update(_ path: ArraySlice<TreeKey>, _ body: (inout ListenerTree.Place) -> Void) {
        guard let key = path.first else { return body(&self) }
        self.children[key, default: ListenerTree.Place()].update(path.dropFirst(), body)
        if self.children[key]?.isEmpty ?? false { self.children[key] = nil }
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
        for (order, shared) in self.indexes {
            let next = ListenerTree.SharedIndex(index: shared.index.updated(to: after), views: shared.views)
            walk.indexEntriesAdded += next.entries - shared.entries
            self.indexes[order] = next
        }
        for (target, view) in self.views {
            var event: TreeNotice.Event?
            if let window = view.window {
                guard let index = self.indexes[window.query.order]?.index else { continue }
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
