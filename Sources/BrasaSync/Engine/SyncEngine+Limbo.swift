internal import BrasaDocuments

extension SyncEngine {
    /// Begins and ends limbo resolutions as a view asks for them.
    func track(_ changes: View.LimboChanges, of target: TargetID) {
        for path in changes.added { self.limbo.add(path, of: target) }
        if !changes.added.isEmpty { self.resolveNextLimbo() }
        for path in changes.removed {
            self.limbo.references.remove(path, target)
            if !self.limbo.references.contains(path) { self.endLimbo(of: path) }
        }
    }

    /// The target has no views any more.
    func endLimbo(of target: TargetID) {
        for path in self.limbo.references.removeAll(of: target) where !self.limbo.references.contains(path) {
            self.endLimbo(of: path)
        }
    }

    func resolveNextLimbo() {
        while let data = self.limbo.next() { self.remote.listen(data) }
    }

    private func endLimbo(of path: ResourcePath) {
        guard let target = self.limbo.forget(path) else { return }
        self.remote.unlisten(target)
        self.resolveNextLimbo()
    }
}
