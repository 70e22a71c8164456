import BrasaPlatform
import BrasaWatch

/// The watchers of one process, and the clients that listen to one process after the other.
final class SimulatedListening {
    /// The log reaches the watchers, which are made after it.
    final class Waker: @unchecked Sendable {
        // Sendable, because one thread runs the simulation.
        fileprivate var watchers: [Watcher] = []

        func wake() { for watcher in self.watchers { watcher.wake() } }
    }

    private unowned let simulation: EngineSimulation
    private let waker: Waker
    private let configuration: WatchConfiguration
    private let loops: Int
    private var listeners: [SimulatedListener] = []

    private static let listeners = 3

    init(_ simulation: EngineSimulation, _ waker: Waker) {
        self.simulation = simulation
        self.waker = waker
        self.loops = Int.random(in: 1...2, using: &simulation.random)
        var configuration = WatchConfiguration()
        // Then turns end in the middle of things.
        if simulation.random.chance(1, in: 2) {
            configuration.turnEventsMax = Int.random(in: 1...60, using: &simulation.random)
            configuration.turnChangesMax = Int.random(in: 1...20, using: &simulation.random)
            configuration.turnReadsMax = Int.random(in: 1...60, using: &simulation.random)
            configuration.turnBeatsMax = 1
        }
        self.configuration = configuration
        self.listeners = (0..<Self.listeners).map { _ in SimulatedListener(simulation) }
    }

    func count(in report: inout EngineSimulation.Report) {
        for listener in self.listeners {
            report.snapshots += listener.snapshots
            report.resets += listener.resets
            report.resumptions += listener.resumptions
        }
    }

    /// A new process: its streams are yet to be opened.
    func begin() {
        let server = self.simulation.server
        self.waker.watchers = (0..<self.loops).map { _ in
            Watcher(
                store: server.store,
                mailbox: server.scheduler.mailbox(),
                clock: self.simulation.clock.clock,
                configuration: self.configuration
            )
        }
    }

    /// The process is dead, and nobody told it anything before.
    func end() -> Any {
        for listener in self.listeners { listener.disconnect(isAlive: false) }
        defer { self.waker.watchers = [] }
        return self.waker.watchers
    }

    func act() throws {
        guard let listener = self.listeners.randomElement(using: &self.simulation.random) else { return }
        switch Int.random(in: 0..<100, using: &self.simulation.random) {
        case ..<25: try listener.listen()
        case ..<33: listener.stopListening()
        case ..<60: listener.take(.random(in: 0...8, using: &self.simulation.random))
        case ..<70: listener.take(.max)
        case ..<80: self.tick()
        case ..<85: listener.disconnect(isAlive: true)
        default: try self.connect(listener)
        }
    }

    private func tick() {
        self.waker.watchers.randomElement(using: &self.simulation.random)?.tick()
    }

    private func connect(_ listener: SimulatedListener) throws {
        guard !listener.isConnected, let watcher = self.waker.watchers.randomElement(using: &self.simulation.random)
        else { return }
        try listener.connect(to: watcher)
    }

    /// All come back and take what there is.
    func gather() throws {
        for listener in self.listeners {
            try self.connect(listener)
            listener.take(.max)
        }
        for watcher in self.waker.watchers { watcher.tick() }
    }

    func checkEnd() throws {
        for listener in self.listeners { try listener.checkEnd() }
    }
}
