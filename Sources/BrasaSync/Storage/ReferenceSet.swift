package import BrasaDocuments

/// Which documents are referred to by which targets.
package final class ReferenceSet {
    private var targets: [ResourcePath: Referrers] = [:]
    private var paths: [TargetID: Set<ResourcePath>] = [:]
    /// Of references.
    private(set) var count = 0

    package init() {}

    package func contains(_ path: ResourcePath) -> Bool { self.targets[path] != nil }

    /// Calls with each target that refers to it.
    func forEachTarget(of path: ResourcePath, _ body: (TargetID) -> Void) { self.targets[path]?.forEach(body) }

    package func paths(of target: TargetID) -> Set<ResourcePath> { self.paths[target] ?? [] }

    func add(_ path: ResourcePath, _ target: TargetID) {
        guard self.paths[target, default: []].insert(path).inserted else { return }
        self.targets[path, default: Referrers()].insert(target)
        self.count += 1
    }

    func remove(_ path: ResourcePath, _ target: TargetID) {
        guard self.paths[target]?.remove(path) != nil else { return }
        if self.paths[target]?.isEmpty == true { self.paths[target] = nil }
        self.forget(target, of: path)
    }

    /// Gives what the target referred to, in path order.
    func removeAll(of target: TargetID) -> [ResourcePath] {
        guard let paths = self.paths.removeValue(forKey: target) else { return [] }
        for path in paths { self.forget(target, of: path) }
        return paths.sorted()
    }

    private func forget(_ target: TargetID, of path: ResourcePath) {
        self.targets[path]?.remove(target)
        if self.targets[path]?.isEmpty == true { self.targets[path] = nil }
        self.count -= 1
    }

    func removeAll() {
        self.targets = [:]
        self.paths = [:]
        self.count = 0
    }
}

/// The targets of one document. Most documents have one, which needs no memory of its own.
private struct Referrers {
    private var one: TargetID?
    private var others: Set<TargetID> = []

    var isEmpty: Bool { self.one == nil && self.others.isEmpty }

    /// It is not there yet.
    mutating func insert(_ target: TargetID) {
        if self.one == nil { self.one = target } else { self.others.insert(target) }
    }

    mutating func remove(_ target: TargetID) {
        if self.one == target { self.one = nil } else { self.others.remove(target) }
    }

    func forEach(_ body: (TargetID) -> Void) {
        if let one = self.one { body(one) }
        for target in self.others { body(target) }
    }
}
