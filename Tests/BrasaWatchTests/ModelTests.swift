import BrasaDocuments
import BrasaLog
import BrasaQueries
import BrasaQueryModel
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaWatch

/// Promise 5: every snapshot a listener is told of is the state at one commit time; across reconnects with a resume
/// token nothing is missed and nothing invented.
@Suite struct ConsistentListeningTests {
    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `every snapshot is the state of one time`(seed: UInt64) throws {
        var run = try RandomRun(seed: seed)
        try run.run(steps: 800)
    }
}

/// Commits, listeners that come, go, resume and are slow, restarts, and history that is short: what comes next is drawn.
struct RandomRun {
    private let seed: UInt64
    private var random: BrasaSimulation.SeededRandom
    private var generator: QueryCaseGenerator
    private let world: WatchWorld
    private var listeners: [TestListener] = []
    private var nextID: Int32 = 1
    private let isSynced: Bool

    init(seed: UInt64) throws {
        self.seed = seed
        self.random = BrasaSimulation.SeededRandom(seed: seed)
        self.generator = QueryCaseGenerator(seed: seed, database: WatchWorld.databaseName)
        let hasPressure = self.random.chance(1, in: 3)
        let isSynced = self.random.chance(2, in: 3)
        self.isSynced = isSynced
        var watch = WatchConfiguration()
        if self.random.chance(1, in: 2) {
            watch.turnEventsMax = Int.random(in: 1...60, using: &self.random)
            watch.turnChangesMax = Int.random(in: 1...20, using: &self.random)
            watch.turnReadsMax = Int.random(in: 1...400, using: &self.random)
        }
        let few = self.random.chance(1, in: 3)
        self.world = try WatchWorld(
            seed: seed,
            loops: self.random.chance(1, in: 2) ? 2 : 1,
            watch: watch
        ) { configuration in
            if few { configuration.recentChangesMax = 16 }
            if !isSynced { configuration.log.durability = .os }
            if hasPressure {
                configuration.historyBytesMax = 2_000
                configuration.historyMin = .milliseconds(1)
            }
        }
        self.listeners = (0..<4).map { _ in TestListener(self.world) }
        for listener in self.listeners {
            listener.loop = Int.random(in: 0..<self.world.watchers.count, using: &self.random)
            listener.connect()
        }
    }

    mutating func run(steps: Int) throws {
        for step in 0..<steps {
            try self.act()
            for listener in self.listeners where !listener.failures.isEmpty {
                Issue.record("seed \(self.seed), step \(step): \(listener.failures.joined(separator: "\n"))")
                return
            }
        }
        for listener in self.listeners {
            if listener.stream == nil { self.reconnect(listener) }
            listener.grant(.max)
        }
        self.world.settle()
        for watcher in self.world.watchers { watcher.tick() }
        self.world.settle()
        for listener in self.listeners {
            #expect(listener.failures.isEmpty, "seed \(self.seed)")
            for (id, target) in listener.targets {
                #expect(target.isCurrent, "seed \(self.seed): \(id) is not current")
                let last = self.world.states[self.world.states.count - 1]
                #expect(target.documents == target.target.documents(in: last), "seed \(self.seed): the last state")
            }
        }
        self.checkEnd()
    }

    private func checkEnd() {
        for listener in self.listeners { listener.disconnect() }
        self.world.settle()
        for watcher in self.world.watchers {
            let counts = watcher.counters.current
            #expect(counts.streams == 0 && counts.targets == 0 && counts.views == 0, "seed \(self.seed)")
            #expect(watcher.memory.windowBytes == 0, "seed \(self.seed)")
        }
        #expect(self.world.store.statistics.snapshotPins == 0, "seed \(self.seed)")
    }

    private mutating func act() throws {
        switch Int.random(in: 0..<1_000, using: &self.random) {
        case ..<250: try self.commit()
        case ..<400: _ = self.world.store.step()
        case ..<420: _ = self.world.store.prepareStep()
        case ..<700: _ = self.world.scheduler.runOne()
        case ..<730: self.world.clock.advance(microseconds: .random(in: 0...3_000, using: &self.random))
        case ..<735: self.world.clock.advance(microseconds: 40_000_000)
        case ..<760: _ = self.world.store.maintain()
        case ..<780: _ = self.world.store.indexStep()
        case ..<800: self.world.watchers.randomElement(using: &self.random)?.tick()
        case ..<860: self.add()
        case ..<885: self.remove()
        case ..<910: self.disconnect()
        case ..<998: self.grant()
        default: try self.restart()
        }
    }

    private mutating func commit() throws {
        var writes: [(ResourcePath, [Value.MapEntry]?)] = []
        for _ in 0..<Int.random(in: 1...4, using: &self.random) {
            let known = self.world.states[self.world.states.count - 1].documents.keys.sorted()
            let isOld = self.random.chance(1, in: 2)
            let path = (isOld ? known.randomElement(using: &self.random) : nil) ?? self.generator.path()
            writes.append((path, self.random.chance(1, in: 4) ? nil : self.generator.entries()))
        }
        try self.world.commit(writes)
    }

    // MARK: Listeners

    private mutating func add() {
        guard let listener = self.listeners.randomElement(using: &self.random), listener.stream != nil,
            listener.targets.count < 6
        else { return }
        // What others listen to already has a view, which knows what changed lately.
        let known = self.listeners.flatMap { $0.targets.sorted { $0.key < $1.key } }
        let shared = self.random.chance(1, in: 3) ? known.randomElement(using: &self.random)?.value.target : nil
        let target = shared ?? self.target()
        if self.random.chance(1, in: 4), let time = self.readTime() {
            listener.add(self.nextID, target, from: time)
        } else {
            listener.add(self.nextID, target, once: self.random.chance(1, in: 10))
        }
        self.nextID += 1
    }

    /// A settled time, of a commit or between two, mostly a late one.
    private mutating func readTime() -> Timestamp? {
        let watermark = self.world.store.watermark
        let settled = self.world.states.prefix { $0.time <= watermark }
        guard let state = settled.suffix(self.random.chance(1, in: 4) ? .max : 12).randomElement(using: &self.random)
        else { return nil }
        let time = Timestamp(microseconds: state.time.microseconds + .random(in: 0...1, using: &self.random))
        return min(time, watermark)
    }

    private mutating func target() -> TestTarget {
        if self.random.chance(1, in: 4) {
            let count = Int.random(in: 1...3, using: &self.random)
            return .documents((0..<count).map { _ in self.generator.path() })
        }
        if self.random.chance(1, in: 2), let target = self.limited() { return target }
        while true {
            let documents = self.world.states[self.world.states.count - 1].documents.values.map(\.document)
            var (query, parent) = self.generator.query(on: documents.sorted { $0.path < $1.path })
            query.findNearest = nil
            if let target = try? TestTarget(query, parent: parent), case .query(_, _, let checked) = target,
                checked.names.collectionID != nil
            {
                return target
            }
        }
    }

    /// One whose window moves often.
    private mutating func limited() -> TestTarget? {
        var query = StructuredQuery()
        query.from = [
            StructuredQuery.CollectionSelector(collectionID: "c", allDescendants: self.random.chance(1, in: 4))
        ]
        for name in ["a", "b"].shuffled(using: &self.random).prefix(Int.random(in: 0...2, using: &self.random)) {
            guard let field = try? FieldPath(parsing: name.utf8) else { return nil }
            query.orderBy.append(
                StructuredQuery.Order(field: field, direction: self.random.chance(1, in: 2) ? .ascending : .descending)
            )
        }
        query.limit = Int32.random(in: 0...6, using: &self.random)
        query.offset = self.random.chance(1, in: 3) ? Int32.random(in: 1...3, using: &self.random) : 0
        let parent = ParentName(database: WatchWorld.databaseName, path: .root)
        return parent.flatMap { try? TestTarget(query, parent: $0) }
    }

    private mutating func remove() {
        guard let listener = self.listeners.randomElement(using: &self.random), listener.stream != nil,
            let id = listener.targets.keys.sorted().randomElement(using: &self.random)
        else { return }
        listener.remove(id)
    }

    private mutating func disconnect() {
        guard let listener = self.listeners.randomElement(using: &self.random) else { return }
        if listener.stream == nil { self.reconnect(listener) } else { listener.disconnect() }
    }

    private mutating func reconnect(_ listener: TestListener) {
        listener.loop = Int.random(in: 0..<self.world.watchers.count, using: &self.random)
        listener.connect()
        for id in listener.targets.keys.sorted() {
            listener.resume(id, isCounting: self.random.chance(1, in: 2))
        }
    }

    private mutating func grant() {
        guard let listener = self.listeners.randomElement(using: &self.random) else { return }
        listener.grant(self.random.chance(1, in: 3) ? .max : Int.random(in: 0...12, using: &self.random))
    }

    private mutating func restart() throws {
        let told = self.listeners.compactMap(\.lastTime).max()
        for listener in self.listeners { listener.disconnect() }
        if self.random.chance(1, in: 3) {
            self.world.clock.step(microseconds: -.random(in: 0...50_000_000, using: &self.random))
        }
        let lost = try self.world.restart(losingPower: self.random.chance(1, in: 2))
        if self.isSynced, let told, let lost { #expect(told < lost, "seed \(self.seed): what was told is lost") }
    }
}
