import BrasaTree

/// Values at paths. Branches without a value are not kept. Recursive, as deep as paths may be.
struct PathTree<Value> {
    var value: Value?
    private(set) var children: [TreeKey: PathTree] = [:]

    init(_ value: Value? = nil) {
        self.value = value
    }

    var isEmpty: Bool { self.value == nil && self.children.isEmpty }

    subscript(path: TreePath) -> Value? { self.branch(at: path)?.value }

    func branch(at path: TreePath) -> PathTree? {
        var branch = self
        for key in path.keys {
            guard let child = branch.children[key] else { return nil }
            branch = child
        }
        return branch
    }

    /// The uppermost value from the root down to the path that meets a condition, and where it is.
    func first(onWayTo path: TreePath, where condition: (Value) -> Bool) -> (path: TreePath, value: Value)? {
        var branch = self
        for (depth, key) in path.keys.enumerated() {
            if let value = branch.value, condition(value) { return (TreePath(Array(path.keys.prefix(depth))), value) }
            guard let child = branch.children[key] else { return nil }
            branch = child
        }
        guard let value = branch.value, condition(value) else { return nil }
        return (path, value)
    }

    /// Whether there is a value above a path, at it or below.
    func touches(_ path: TreePath) -> Bool {
        !(self.branch(at: path)?.isEmpty ?? true) || self.first(onWayTo: path) { _ in true } != nil
    }

    mutating func update<Result>(at path: TreePath, _ body: (inout PathTree) -> Result) -> Result {
        self.update(path.keys[...], body)
    }

    private mutating func update<Result>(_ keys: ArraySlice<TreeKey>, _ body: (inout PathTree) -> Result) -> Result {
        guard let first = keys.first else { return body(&self) }
        let result = self.children[first, default: PathTree()].update(keys.dropFirst(), body)
        if self.children[first]?.isEmpty ?? false { self.children[first] = nil }
        return result
    }

    /// All values, the upper before the lower, in key order.
    func forEach(from path: TreePath = .root, _ body: (TreePath, Value) -> Void) {
        if let value { body(path, value) }
        for key in self.children.keys.sorted() { self.children[key]?.forEach(from: path.appending(key), body) }
    }

    /// The uppermost values that meet a condition.
    func uppermost(
        from path: TreePath = .root,
        where condition: (TreePath, Value) -> Bool
    ) -> [(path: TreePath, value: Value)] {
        if let value, condition(path, value) { return [(path, value)] }
        return self.children.keys.sorted().flatMap { key in
            self.children[key]?.uppermost(from: path.appending(key), where: condition) ?? []
        }
    }

    /// The values above, at and below each of some places, the lower before the upper, in key order. The body is told the
    /// value's path and the places relative to it: an empty one is that of the value or above it.
    mutating func updateTouched(
        by places: [ArraySlice<TreeKey>],
        from path: TreePath = .root,
        _ body: (TreePath, [ArraySlice<TreeKey>], inout Value) -> Void
    ) {
        guard !self.children.isEmpty || self.value != nil else { return }
        let isWhole = places.contains(where: \.isEmpty)
        let below = isWhole ? [:] : Dictionary(grouping: places.filter { !$0.isEmpty }) { $0[$0.startIndex] }
        let keys = isWhole ? Array(self.children.keys) : below.keys.filter { self.children[$0] != nil }
        for key in keys.sorted() {
            let rest = isWhole ? [[]] : (below[key] ?? []).map { $0.dropFirst() }
            self.children[key]?.updateTouched(by: rest, from: path.appending(key), body)
        }
        if var value {
            // Taken out while it changes, so that it is not copied.
            self.value = nil
            body(path, isWhole ? [[]] : places, &value)
            self.value = value
        }
    }
}

extension PathTree: Sendable where Value: Sendable {}
