internal import BrasaDocuments

/// The documents whose membership in a view the server is asked about, one target for each, so many at a time.
struct LimboResolution {
    struct Active {
        let path: ResourcePath
        /// The server has said that it exists.
        var hasDocument = false
    }

    private let activeMax: Int
    private var nextTarget: TargetID = 1
    /// Which views wonder.
    let references = ReferenceSet()
    /// First come, first served.
    private(set) var waiting: [ResourcePath] = []
    private(set) var active: [TargetID: Active] = [:]
    private(set) var targets: [ResourcePath: TargetID] = [:]

    init(activeMax: Int) {
        self.activeMax = activeMax
    }

    mutating func add(_ path: ResourcePath, of target: TargetID) {
        self.references.add(path, target)
        guard self.targets[path] == nil, !self.waiting.contains(path) else { return }
        self.waiting.append(path)
    }

    /// The next one that may be asked about; nil when there is none.
    mutating func next() -> TargetData? {
        guard self.active.count < self.activeMax, !self.waiting.isEmpty else { return nil }
        let path = self.waiting.removeFirst()
        let id = self.nextTarget
        self.nextTarget += 2
        self.active[id] = Active(path: path)
        self.targets[path] = id
        return TargetData(target: .document(path), id: id, purpose: .limboResolution, sequence: -1)
    }

    /// Gives the target that nobody needs any more.
    mutating func forget(_ path: ResourcePath) -> TargetID? {
        self.waiting.removeAll { $0 == path }
        guard let target = self.targets.removeValue(forKey: path) else { return nil }
        self.active[target] = nil
        return target
    }

    /// Takes note of what the server said.
    mutating func note(_ change: TargetChange, for target: TargetID) {
        guard self.active[target] != nil else { return }
        if !change.added.isEmpty || !change.modified.isEmpty {
            self.active[target]?.hasDocument = true
        } else if !change.removed.isEmpty {
            self.active[target]?.hasDocument = false
        }
    }
}
