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
    /// First come, first served; whose number is not in `numbers` any more has gone.
    private var queue: [(number: Int, path: ResourcePath)] = []
    private var head = 0
    private var lastNumber = 0
    private var numbers: [ResourcePath: Int] = [:]
    private(set) var active: [TargetID: Active] = [:]
    private(set) var targets: [ResourcePath: TargetID] = [:]

    init(activeMax: Int) {
        self.activeMax = activeMax
    }

    mutating func add(_ path: ResourcePath, of target: TargetID) {
        self.references.add(path, target)
        guard self.targets[path] == nil, self.numbers[path] == nil else { return }
        self.lastNumber += 1
        self.numbers[path] = self.lastNumber
        self.queue.append((self.lastNumber, path))
    }

    /// In the order in which they will be asked about.
    var waiting: [ResourcePath] {
        self.queue[self.head...].filter { self.numbers[$0.path] == $0.number }.map(\.path)
    }

    /// The next one that may be asked about; nil when there is none.
    mutating func next() -> TargetData? {
        guard self.active.count < self.activeMax, let path = self.popWaiting() else { return nil }
        let id = self.nextTarget
        self.nextTarget += 2
        self.active[id] = Active(path: path)
        self.targets[path] = id
        return TargetData(target: .document(path), id: id, purpose: .limboResolution, sequence: -1)
    }

    private mutating func popWaiting() -> ResourcePath? {
        while self.head < self.queue.count {
            let (number, path) = self.queue[self.head]
            self.head += 1
            guard self.numbers[path] == number else { continue }
            self.numbers[path] = nil
            return path
        }
        self.queue = []
        self.head = 0
        return nil
    }

    /// Gives the target that nobody needs any more.
    mutating func forget(_ path: ResourcePath) -> TargetID? {
        self.numbers[path] = nil
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
