internal import BrasaDocuments

/// Targets and documents, the longest unused first. What is used later is later than all of them, so that many bites can be
/// taken from one list; what is not as it was then is passed over.
struct CollectionPlan {
    enum Candidate {
        case target(SyncTarget)
        case document(ResourcePath)
    }

    private var candidates: ArraySlice<(sequence: SequenceNumber, candidate: Candidate)> = []

    init() {}

    init(_ tables: MemoryTables) {
        var candidates: [(sequence: SequenceNumber, candidate: Candidate)] = []
        candidates.reserveCapacity(tables.targets.count + tables.uses.count)
        for data in tables.targets.values { candidates.append((data.sequence, .target(data.target))) }
        for (path, sequence) in tables.uses { candidates.append((sequence, .document(path))) }
        candidates.sort { $0.sequence < $1.sequence }
        self.candidates = candidates[...]
    }

    mutating func next() -> (sequence: SequenceNumber, candidate: Candidate)? { self.candidates.popFirst() }
}

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
        let isLarge = (self.targets.count + self.uses.count) * limits.percent / 100 > limits.countMax
        if isLarge { return self.takeBite(limits.countMax, active: active, keeping: views) }
        guard let bound = self.bound(limits, active: active) else { return 0 }
        var removed = 0
        for data in Array(self.targets.values) where data.sequence <= bound && !active.contains(data.id) {
            removed += self.removeTarget(data, bound: bound, keeping: views)
        }
        for (path, sequence) in self.uses where sequence <= bound {
            removed += self.removeOrphan(path, keeping: views)
        }
        return removed
    }

    /// The share's last sequence number of orphans and of targets that nobody listens to; nil when the share is nothing.
    /// Those that are listened to stay, so that they must not take the places of what can go.
    private func bound(_ limits: CollectionLimits, active: Set<TargetID>) -> SequenceNumber? {
        let orphans = self.uses.filter { self.isOrphaned($0.key) }
        let count = min(limits.countMax, (self.targets.count + orphans.count) * limits.percent / 100)
        let targets = self.targets.values.filter { !active.contains($0.id) }
        return (targets.map(\.sequence) + orphans.values).sorted().prefix(count).last
    }

    /// The first `count` of very many, without looking at all of them each time.
    private func takeBite(_ count: Int, active: Set<TargetID>, keeping views: ReferenceSet) -> Int {
        var (taken, removed) = (0, 0)
        var isNew = false
        while taken < count {
            guard let (sequence, candidate) = self.plan.next() else {
                if isNew { break }
                self.plan = CollectionPlan(self)
                isNew = true
                continue
            }
            switch candidate {
            case .target(let target):
                guard let data = self.targets[target], data.sequence == sequence, !active.contains(data.id) else {
                    continue
                }
                let count = self.removeTarget(data, bound: sequence, keeping: views)
                (taken, removed) = (taken + count, removed + count)
            case .document(let path):
                guard self.uses[path] == sequence, self.isOrphaned(path) else { continue }
                taken += 1
                removed += self.removeOrphan(path, keeping: views)
            }
        }
        return removed
    }

    /// With its documents that nothing else has and that were not used since.
    private func removeTarget(_ data: TargetData, bound: SequenceNumber, keeping views: ReferenceSet) -> Int {
        var removed = 1
        self.setTarget(nil, for: data.target)
        for path in self.remoteKeys.removeAll(of: data.id) where (self.uses[path] ?? .max) <= bound {
            removed += self.removeOrphan(path, keeping: views)
        }
        return removed
    }

    private func removeOrphan(_ path: ResourcePath, keeping views: ReferenceSet) -> Int {
        guard self.isOrphaned(path) else { return 0 }
        // What is in use now is not in the way of the next run.
        guard !self.isPinned(path, by: views) else {
            self.noteUse(of: path)
            return 0
        }
        self.removeDocument(at: path)
        self.uses[path] = nil
        return 1
    }

    /// In no target.
    private func isOrphaned(_ path: ResourcePath) -> Bool { !self.remoteKeys.contains(path) }

    private func isPinned(_ path: ResourcePath, by views: ReferenceSet) -> Bool {
        views.contains(path) || self.users.values.contains { $0.queue.affects(path) }
    }
}
