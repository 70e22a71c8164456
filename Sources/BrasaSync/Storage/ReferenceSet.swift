package import BrasaDocuments

/// Which documents are referred to by which targets.
package final class ReferenceSet {
    private var targets: [ResourcePath: Set<TargetID>] = [:]
    private var paths: [TargetID: Set<ResourcePath>] = [:]
    /// Of references.
    private(set) var count = 0

    package init() {}

    package func contains(_ path: ResourcePath) -> Bool { self.targets[path] != nil }

    /// The targets that refer to it.
    func targets(of path: ResourcePath) -> Set<TargetID> { self.targets[path] ?? [] }

    package func paths(of target: TargetID) -> Set<ResourcePath> { self.paths[target] ?? [] }

    func add(_ path: ResourcePath, _ target: TargetID) {
        guard self.targets[path, default: []].insert(target).inserted else { return }
        self.paths[target, default: []].insert(path)
        self.count += 1
    }

    func remove(_ path: ResourcePath, _ target: TargetID) {
        guard self.targets[path]?.remove(target) != nil else { return }
        self.count -= 1
        if self.targets[path]?.isEmpty == true { self.targets[path] = nil }
        self.paths[target]?.remove(path)
        if self.paths[target]?.isEmpty == true { self.paths[target] = nil }
    }

    /// Gives what the target referred to, in path order.
    func removeAll(of target: TargetID) -> [ResourcePath] {
        let paths = self.paths(of: target).sorted()
        for path in paths { self.remove(path, target) }
        return paths
    }

    func removeAll() {
        self.targets = [:]
        self.paths = [:]
        self.count = 0
    }
}
