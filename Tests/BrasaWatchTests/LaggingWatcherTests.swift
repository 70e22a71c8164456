import BrasaDocuments
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaWatch

/// Two watchers of one store go on at their own pace, each taking several commits as one when it is behind. Clients know
/// states of the one, or of a time that they chose, that the other never stood at.
@Suite struct LaggingWatcherTests {
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `a state that a watcher passed over is as good a start as any`(seed: UInt64) throws {
        var run = try LaggingRun(seed: seed)
        try run.run(steps: 400)
    }
}

/// Few documents and few targets, the same for all, so that views remember much of what listeners that come lack.
private struct LaggingRun {
    private let seed: UInt64
    private var random: BrasaSimulation.SeededRandom
    private let world: WatchWorld
    private let listeners: [TestListener]
    private let targets: [TestTarget]
    private var nextID: Int32 = 1

    init(seed: UInt64) throws {
        self.seed = seed
        self.random = BrasaSimulation.SeededRandom(seed: seed)
        var watch = WatchConfiguration()
        watch.turnEventsMax = Int.random(in: 1...6, using: &self.random)
        let world = try WatchWorld(seed: seed, loops: 2, watch: watch)
        self.world = world
        self.targets = [
            try target("c"), try target("c", atLeast: 5), try target("c", limit: 2),
            .documents([try path("c/0"), try path("c/1")]),
        ]
        self.listeners = (0..<6).map { _ in TestListener(world) }
        for (index, listener) in self.listeners.enumerated() {
            listener.loop = index % 2
            listener.connect()
        }
        // Two that stay, so that both watchers always have all views.
        for listener in self.listeners.prefix(2) { for target in self.targets { self.add(target, to: listener) } }
    }

    mutating func run(steps: Int) throws {
        for step in 0..<steps {
            switch Int.random(in: 0..<10, using: &self.random) {
            case ..<4: try self.commit()
            case ..<5: _ = self.world.store.step()
            case ..<8: _ = self.world.scheduler.runOne()
            default: self.move()
            }
            let failures = self.listeners.flatMap(\.failures)
            guard failures.isEmpty else {
                Issue.record("seed \(self.seed), step \(step): \(failures.joined(separator: "\n"))")
                return
            }
        }
        self.world.settle()
        #expect(self.listeners.flatMap(\.failures) == [], "seed \(self.seed)")
        let last = self.world.state(at: .latest)
        for target in self.listeners.flatMap(\.targets.values) {
            #expect(target.isCurrent && target.documents == target.target.documents(in: last), "seed \(self.seed)")
        }
    }

    private mutating func commit() throws {
        let writes = (0..<Int.random(in: 1...2, using: &self.random)).map { _ in
            let value = self.random.chance(1, in: 3) ? nil : Int64.random(in: 0...9, using: &self.random)
            return ("c/\(Int.random(in: 0..<6, using: &self.random))", value)
        }
        try self.world.commit(writes)
    }

    /// One of those that do not stay changes its loop, or starts anew from a time of its choice.
    private mutating func move() {
        guard let listener = self.listeners.dropFirst(2).randomElement(using: &self.random) else { return }
        listener.disconnect()
        listener.loop = Int.random(in: 0...1, using: &self.random)
        listener.connect()
        let settled = self.world.states.prefix { $0.time <= self.world.store.watermark }
        if self.random.chance(1, in: 2), let start = settled.suffix(8).randomElement(using: &self.random),
            let target = self.targets.randomElement(using: &self.random)
        {
            listener.targets = [:]
            listener.add(self.nextID, target, from: start.time)
            self.nextID += 1
        } else {
            for id in listener.targets.keys.sorted() {
                listener.resume(id, isCounting: self.random.chance(1, in: 4))
            }
        }
    }

    private mutating func add(_ target: TestTarget, to listener: TestListener) {
        listener.add(self.nextID, target)
        self.nextID += 1
    }
}
