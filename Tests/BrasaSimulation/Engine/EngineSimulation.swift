import BrasaDocuments
import BrasaLog
import BrasaPlatform
import BrasaStore
import BrasaTransactions

/// Log, store, transactions and listeners of one process under clients, crashes, torn tails, failing and slow syncs, a full
/// disk and clocks that jump; everything follows from the seed. Which piece moves next is drawn: a client, one group of the
/// log, one delivery to a mailbox, the clock, pruning, a chunk of a checkpoint.
package final class EngineSimulation: @unchecked Sendable {
    // Sendable, because one thread runs it.

    private let settings: Settings
    var random: SeededRandom
    private let disk: SimulatedDisk
    private let sharedLog: SimulatedSharedLog?
    let clock = SimulatedClock()
    private(set) var server: SimulatedServer
    private(set) var database: DatabaseHandle
    let checker: SimulationChecker
    private var clients: [SimulatedClient] = []
    private let waker = SimulatedListening.Waker()
    private lazy var listening = SimulatedListening(self, self.waker)
    private lazy var trees = SimulatedTrees(self)
    private var checkpoint: CheckpointRun?
    /// What crashed processes had in memory: nothing of it is cleaned up.
    private var graveyard: [Any] = []
    private var failure: (any Error)?
    private var outstanding: [Int: String] = [:]
    private(set) var lastCall = 0
    private var lastWriter: Int64 = 0
    /// Writes of which the server said that they have not happened.
    private var invitations: [ModelWrite] = []
    private let durability: Durability
    /// How many steps were made, and after which the disk was one that had refused for lack of room, last.
    private(set) var step = 0
    private var lastFullStep = -1
    /// The disk refuses for other reasons than space, or has done so since the process began.
    private var mayLogFail = false
    let pressure: HistoryPressure
    private var report = Report()

    // MARK: From outside

    @discardableResult
    package static func run(_ settings: Settings) throws -> Report {
        try EngineSimulation(settings).run()
    }

    private init(_ settings: Settings) throws {
        self.settings = settings
        self.random = SeededRandom(seed: settings.seed)
        self.durability = self.random.chance(1, in: 8) ? .os : .fsync
        let faults = SimulatedFaults(slowSyncs: 50, shortReads: 20)
        self.disk = SimulatedDisk(seed: settings.seed, faults: faults, clock: self.clock)
        self.sharedLog = SimulatedSharedLog(settings)
        self.pressure = HistoryPressure(clientsMax: settings.clientsMax, &self.random)
        self.server = try Self.start(
            self.disk,
            self.clock,
            &self.random,
            self.durability,
            self.pressure,
            settings,
            self.sharedLog,
            self.waker
        )
        self.database = self.server.database()
        self.checker = SimulationChecker(queries: ModelQuery.all(in: self.database.name))
        self.clients = (0..<self.pressure.clients).map { _ in SimulatedClient(self) }
        self.listening.begin()
        self.trees.begin()
    }

    private func run() throws -> Report {
        for _ in 0..<self.settings.steps {
            self.step += 1
            try self.act()
            try self.settleStep()
        }
        try self.drain()
        try self.checkWritesGoOn()
        try self.checkListeners()
        try self.checker.checkState(self.server.store, self.database)
        try self.trees.checkState()
        try self.trees.leaveOne()
        try self.settleAll()
        try self.restart(losingPower: self.durability == .fsync)
        try self.checkListeners()
        try self.drain()
        try self.trees.checkEndings()
        self.listening.count(in: &self.report)
        self.trees.count(in: &self.report)
        self.report.commits = self.checker.acknowledgedCount
        self.report.reads = self.checker.checkedReads
        self.report.judged = self.checker.judgedCount
        self.report.outdated = self.checker.outdatedCount
        return self.report
    }

    // MARK: One step

    private func act() throws {
        switch Int.random(in: 0..<1_320, using: &self.random) {
        case ..<380: try self.startClient()
        case ..<650: _ = self.server.scheduler.runOne()
        case ..<830: self.stepLog()
        case ..<840: _ = self.server.store.prepareStep()
        case ..<850: self.stepIndexes()
        case ..<900: self.clock.advance(microseconds: .random(in: 0...5_000, using: &self.random))
        case ..<909: self.clock.advance(microseconds: .random(in: 0...30_000_000, using: &self.random))
        case ..<910: self.clock.advance(microseconds: 2_000_000_000)
        case ..<912: self.clock.step(microseconds: .random(in: -5_000_000...5_000_000, using: &self.random))
        case ..<942: self.server.transactions.tick()
        case ..<962: _ = self.server.store.maintain()
        case ..<990: try self.stepCheckpoint()
        case ..<992: try self.breakDisk()
        case ..<994: try self.restart(losingPower: self.durability == .fsync)
        case ..<997: try self.clients.randomElement(using: &self.random)?.hangUp()
        case ..<1_000: if self.logFailed { try self.restart(losingPower: self.durability == .fsync) }
        case ..<1_150: try self.listening.act()
        case ..<1_300: try self.trees.act()
        default: self.stepIndexes()
        }
        // The mail may have made commits durable, whose versions must not go unseen.
        try self.follow()
        if self.pressure.isHigh, self.random.chance(1, in: 8) { _ = self.server.store.maintain() }
        // Nobody knows what becomes of what is on its way.
        if self.sharedLog?.isAsked == true, self.random.chance(1, in: 100) {
            try self.restart(losingPower: self.durability == .fsync)
        }
    }

    private func settleStep() throws {
        if let failure = self.failure { throw failure }
        if self.disk.hasRefusedForSpace { self.lastFullStep = self.step }
        if self.logFailed, !self.mayLogFail {
            throw SimulationFailure(.space, "the log failed of a disk that was at most full")
        }
        try self.follow()
    }

    private func follow() throws {
        try self.checker.follow(self.server.store, self.database)
        try self.trees.follow()
    }

    private func startClient() throws {
        let ready = self.clients.filter { !$0.isBusy || $0.isThinking }
        guard let client = ready.randomElement(using: &self.random) else { return }
        if client.isBusy { try client.goOn() } else { try client.begin() }
    }

    private func stepLog() {
        _ = self.server.stepLog()
        self.catching { try self.follow() }
    }

    private func stepIndexes() {
        if self.random.chance(1, in: 2), let query = self.checker.queries.randomElement(using: &self.random) {
            let isForQueue = self.random.chance(1, in: 2)
            let index = isForQueue ? self.checker.queries[ModelQuery.nextJob].index : query.index
            self.server.store.requestIndex(index, in: self.database)
        }
        for _ in 0..<Int.random(in: 1...4, using: &self.random) { _ = self.server.store.indexStep() }
    }

    private func stepCheckpoint() throws {
        do {
            if let run = self.checkpoint {
                while try run.step() { if !self.pressure.isHigh { return } }
                self.checkpoint = nil
                self.report.checkpoints += 1
            } else if self.server.store.isCheckpointDue || self.random.chance(1, in: self.pressure.isHigh ? 40 : 4) {
                self.checkpoint = try self.server.store.beginCheckpoint()
            }
        } catch {
            // A disk that refuses a checkpoint refuses the log as well, or is full; the next one may succeed.
            self.checkpoint = nil
            guard self.isDiskBroken else { throw error }
        }
    }

    // MARK: Faults

    private var isDiskBroken: Bool {
        let faults = self.disk.faults
        return faults.failedSyncs > 0 || faults.failedWrites > 0 || self.hasNoRoom || self.logFailed
    }

    private var hasNoRoom: Bool { !self.disk.faults.haveRoom }

    private func breakDisk() throws {
        if self.isDiskBroken { return try self.mendDisk() }
        if let sharedLog { return sharedLog.misbehave(&self.random) }
        switch Int.random(in: 0..<4, using: &self.random) {
        case 0: self.disk.faults.failedSyncs = 200
        case 1: self.disk.faults.failedWrites = 200
        default: return self.fillDisk()
        }
        self.mayLogFail = true
    }

    private func fillDisk() {
        let room = Int.random(in: 0...20_000, using: &self.random)
        self.disk.faults.capacityBytes = self.disk.usedBytes + room
        // Some systems need space for every write.
        if self.random.chance(1, in: 3) { self.disk.faults.cutWrites = .random(in: 50...500, using: &self.random) }
        self.report.fullDisks += 1
    }

    /// A disk that has room again needs no new process.
    private func mendDisk() throws {
        self.disk.faults = SimulatedFaults(slowSyncs: 50, shortReads: 20)
        self.sharedLog?.faults = SimulatedSharedLog.Faults()
        _ = self.server.store.prepareStep()
        // What waits for room is written first.
        self.stepLog()
        if self.server.store.isDiskFull, !self.logFailed {
            throw SimulationFailure(.space, "refused though there is room")
        }
    }

    /// A refusal for lack of space has to be true: the disk itself has refused since the commit was asked for, or before
    /// without having had room again.
    func checkRefusal(_ error: TransactionError, asked step: Int) throws {
        guard case .exhausted(.diskSpace) = error, self.lastFullStep < step, !self.disk.hasRefusedForSpace else {
            return
        }
        throw SimulationFailure(.space, "refused at step \(self.step), full at \(self.lastFullStep)")
    }

    private func checkWritesGoOn() throws {
        try self.mendDisk()
        try SimulatedClient(self).writeOnce()
        try self.drain()
    }

    /// The process ends here and now; a new one recovers what the disk holds.
    private func restart(losingPower: Bool) throws {
        if self.logFailed { self.report.failedLogs += 1 }
        self.graveyard.append(
            (self.server, self.checkpoint as Any, self.clients, self.listening.end(), self.trees.die())
        )
        self.checkpoint = nil
        self.clients = []
        self.outstanding = [:]
        self.server.scheduler.discardAll()
        if losingPower { self.disk.crash() } else { self.disk.killProcess() }
        self.sharedLog?.nodeCrashed()
        self.disk.faults = SimulatedFaults(slowSyncs: 50, shortReads: 20)
        self.mayLogFail = false
        self.clock.advance(microseconds: .random(in: 0...2_000_000, using: &self.random))
        if self.random.chance(1, in: 4) { self.clock.step(microseconds: -3_000_000) }
        // Times that reads and empty commits were answered with are not on disk: a clock that is behind them after a restart
        // gives them out again.
        let behind = self.checker.lastTimeGiven - self.clock.clock.wall().microseconds
        if behind > -2_000 { self.clock.step(microseconds: behind + 2_000) }
        do {
            self.server = try Self.start(
                self.disk,
                self.clock,
                &self.random,
                self.durability,
                self.pressure,
                self.settings,
                self.sharedLog,
                self.waker
            )
        } catch {
            throw SimulationFailure(.recovery, "\(error)")
        }
        self.database = self.server.database()
        try self.checker.followRecovered(self.server.store, self.database)
        try self.trees.followRecovered()
        self.checker.forgetAsked()
        try self.checker.checkState(self.server.store, self.database)
        self.clients = (0..<self.pressure.clients).map { _ in SimulatedClient(self) }
        self.listening.begin()
        self.trees.begin()
        self.report.restarts += 1
    }

    private static func start(
        _ disk: SimulatedDisk,
        _ clock: SimulatedClock,
        _ random: inout SeededRandom,
        _ durability: Durability,
        _ pressure: HistoryPressure,
        _ settings: Settings,
        _ sharedLog: SimulatedSharedLog?,
        _ waker: SimulatedListening.Waker
    ) throws -> SimulatedServer {
        var store = SimulatedServer.smallStore
        pressure.apply(to: &store)
        store.log.durability = durability
        let disk: any Disk = settings.diskLies ? LyingDisk(disk) : disk
        return try SimulatedServer(
            seed: random.next(),
            disk: disk,
            clock: clock,
            store: store,
            sharedLog: sharedLog,
            losesTreeRecords: settings.losesTreeRecords,
            forgetsEndings: settings.forgetsEndings,
            onDurable: { _ in waker.wake() }
        )
    }

    // MARK: The end

    /// No new work. Everything that was asked for must be answered within the time that locks and transactions have.
    private func drain() throws {
        if self.mayLogFail, self.isDiskBroken { return try self.restart(losingPower: self.durability == .fsync) }
        try self.mendDisk()
        self.trees.endSessions()
        for _ in 0..<400 where !self.outstanding.isEmpty || !self.trees.hasEnded {
            try self.settleAll()
            self.clock.advance(microseconds: 1_000_000)
            self.server.transactions.tick()
            self.trees.tick()
        }
        guard self.outstanding.isEmpty, self.trees.hasEnded else {
            throw SimulationFailure(
                .liveness,
                "no answer to \(self.outstanding.values.sorted()), or no end of a session"
            )
        }
        try self.settleAll()
    }

    private func settleAll() throws {
        while true {
            self.stepLog()
            guard self.server.scheduler.runOne() else { break }
            try self.settleStep()
        }
        try self.settleStep()
    }

    /// Listeners that come back hear of the last state, whatever they missed.
    private func checkListeners() throws {
        try self.listening.gather()
        while self.server.scheduler.runOne() { try self.settleStep() }
        try self.listening.checkEnd()
    }

    // MARK: For clients

    var forgetsRuleReads: Bool { self.settings.forgetsRuleReads }

    var logFailed: Bool { self.server.logHasFailed }

    var now: MonotonicTime { self.clock.clock.monotonic() }

    func nextWriter() -> Int64 {
        self.lastWriter += 1
        return self.lastWriter
    }

    func noteQuery(_ scan: QueryScan) {
        if !scan.plan.indexesUsed.isEmpty { self.report.indexReads += 1 }
    }

    func invite(_ write: ModelWrite) { self.invitations.append(write) }

    func popInvitation() -> ModelWrite? { self.invitations.popLast() }

    func expectAnswer(to what: String) -> Int {
        self.lastCall += 1
        self.outstanding[self.lastCall] = what
        return self.lastCall
    }

    func answered(_ call: Int) throws {
        guard self.outstanding.removeValue(forKey: call) != nil else {
            throw SimulationFailure(.liveness, "call \(call) was answered twice")
        }
    }

    /// Keeps the first failure; the loop throws it.
    func catching(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            if self.failure == nil { self.failure = error }
        }
    }
}
