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
        let orphans = self.uses.filter { self.isOrphaned($0.key) }
        let sequences = (self.targets.values.map(\.sequence) + orphans.values).sorted()
        let count = min(limits.countMax, sequences.count * limits.percent / 100)
        guard count > 0 else { return 0 }
        let bound = sequences[count - 1]
        var removed = 0
        for data in Array(self.targets.values) where data.sequence <= bound && !active.contains(data.id) {
            _ = self.remoteKeys.removeAll(of: data.id)
            self.targets[data.target] = nil
            removed += 1
        }
        for (path, sequence) in self.uses where sequence <= bound && self.isOrphaned(path) {
            // What is in use now is not in the way of the next run.
            if self.isPinned(path, by: views) {
                self.noteUse(of: path)
            } else {
                self.removeDocument(at: path)
                self.uses[path] = nil
                removed += 1
            }
        }
        return removed
    }

    /// In no target.
    private func isOrphaned(_ path: ResourcePath) -> Bool { !self.remoteKeys.contains(path) }

    private func isPinned(_ path: ResourcePath, by views: ReferenceSet) -> Bool {
        views.contains(path) || self.queues.values.contains { $0.affects(path) }
    }
}
