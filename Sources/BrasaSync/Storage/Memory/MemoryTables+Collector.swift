internal import BrasaDocuments

extension MemoryTables {
    func commit(keeping views: ReferenceSet) {
        guard self.collector == .eager, !self.uses.isEmpty else { return }
        for path in self.uses.keys where self.isOrphaned(path) && !self.isPinned(path, by: views) {
            self.removeDocument(at: path)
        }
        self.uses = [:]
    }

    /// Gives how many targets and documents went.
    func collect(_ limits: CollectionLimits, active: Set<TargetID>, keeping views: ReferenceSet) -> Int {
        guard self.collector == .leastRecentlyUsed, self.byteCount >= limits.bytesMax else { return 0 }
        let orphans = self.collections.values.flatMap(\.keys).filter(self.isOrphaned)
        let sequences = (self.targets.values.map(\.sequence) + orphans.map { self.uses[$0] ?? 0 }).sorted()
        let count = min(limits.countMax, sequences.count * limits.percent / 100)
        guard count > 0 else { return 0 }
        let bound = sequences[count - 1]
        var removed = 0
        for data in Array(self.targets.values) where data.sequence <= bound && !active.contains(data.id) {
            for path in self.remoteKeys.removeAll(of: data.id) where self.uses[path] == nil { self.uses[path] = 0 }
            self.targets[data.target] = nil
            removed += 1
        }
        for path in self.collections.values.flatMap(\.keys)
        where self.uses[path, default: 0] <= bound && self.isOrphaned(path) && !self.isPinned(path, by: views) {
            self.removeDocument(at: path)
            removed += 1
        }
        self.uses = self.uses.filter { self.document(at: $0.key).isValid }
        return removed
    }

    /// In no target.
    private func isOrphaned(_ path: ResourcePath) -> Bool { !self.remoteKeys.contains(path) }

    private func isPinned(_ path: ResourcePath, by views: ReferenceSet) -> Bool {
        views.contains(path) || self.queues.values.contains { $0.affects(path) }
    }
}
