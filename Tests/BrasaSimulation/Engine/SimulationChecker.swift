import BrasaDocuments
import BrasaStore
import BrasaTransactions

/// Holds what clients were told against what became durable, and both against the plain model.
///
/// It follows the store's own list of durable changes after every step. Each entry must be the whole effect of a commit
/// that some client asked for and has no final refusal of. What clients are told must then fit the timeline.
final class SimulationChecker {
    /// A commit that a client asked for and that has no final answer.
    struct Asked {
        let writes: [ModelWrite]
        /// What its transaction has read before.
        let reads: ModelReads
        let isJudged: Bool
        /// The newest durable commit, and the newest acknowledged one, at that moment.
        let since: Int64
        let acknowledgedBefore: Int64
    }

    private(set) var timeline = ModelTimeline()
    let queries: [ModelQuery]
    private(set) var lastDurable: Int64 = 0
    /// Nothing that is not in the timeline happened up to here.
    private var followedUpTo: Int64 = 0
    private(set) var lastAcknowledged: Int64 = 0
    /// The latest time that a read was answered for.
    private var lastReadTime: Int64 = 0
    /// The latest time that a listener was told of by this process.
    private var lastToldTime: Int64 = 0
    private var asked: [Int: Asked] = [:]
    private var acknowledgedTimes: Set<Int64> = []
    /// By their writers: those that have counted the counter up.
    private var counted: Set<Int64> = []
    private var lastID = 0

    /// The latest time of an answer.
    var lastTimeGiven: Int64 { max(self.lastReadTime, self.acknowledgedTimes.max() ?? 0) }

    private(set) var acknowledgedCount = 0
    private(set) var checkedReads = 0
    /// Commits that rules were asked about, and those that had to be judged again.
    private(set) var judgedCount = 0
    private(set) var outdatedCount = 0

    init(queries: [ModelQuery]) {
        self.queries = queries
    }

    // MARK: What became durable

    func follow(_ store: Store, _ database: DatabaseHandle) throws {
        let after = Timestamp(microseconds: max(self.lastDurable, self.followedUpTo))
        guard let changes = store.changes(after: after, in: database, limit: .max) else {
            throw SimulationFailure(.visibility, "the changes since \(self.lastDurable) are forgotten")
        }
        var rest = changes[...]
        while let time = rest.first?.time {
            let paths = rest.prefix { $0.time == time }.map(\.path)
            rest = rest.dropFirst(paths.count)
            try self.add(paths, at: time, store, database)
        }
    }

    /// Follows a process that has recovered. Up to its checkpoint it does not know what changed, but nothing can have that
    /// was not followed already: a checkpoint has what was durable before.
    func followRecovered(_ store: Store, _ database: DatabaseHandle) throws {
        // Times that only listeners were told of are not on disk. Their tokens say what they stand for.
        self.lastToldTime = 0
        let start = store.oldestChangesTime(in: database)
        if start.microseconds > self.lastDurable {
            self.followedUpTo = start.microseconds
            if start >= store.oldestReadTime(in: database) { try self.checkState(store, database, at: start) }
        }
        try self.follow(store, database)
    }

    private func add(_ paths: [ResourcePath], at time: Timestamp, _ store: Store, _ database: DatabaseHandle) throws {
        let now = time.microseconds
        guard now > self.lastDurable else { throw SimulationFailure(.order, "\(now) after \(self.lastDurable)") }
        guard now > self.lastReadTime else {
            throw SimulationFailure(.order, "a commit at \(now), after a read at \(self.lastReadTime)")
        }
        guard now > self.lastToldTime else {
            throw SimulationFailure(.order, "a commit at \(now), after a snapshot of \(self.lastToldTime)")
        }
        var changes: [Int: ModelDocument?] = [:]
        for path in paths {
            guard let index = ModelWorld.index(of: path) else { throw SimulationFailure(.atomicity, "\(path) changed") }
            changes[index] = .some(try store.get(path, in: database, at: time).flatMap(ModelWorld.document))
        }
        if let counted = changes[ModelWorld.counter] ?? nil, !self.counted.insert(counted.writer).inserted {
            throw SimulationFailure(.once, "\(counted) at \(now)")
        }
        guard self.asked.values.contains(where: { self.explains($0, changes, at: now) }) else {
            throw SimulationFailure(.atomicity, "no commit that was asked for has the effect \(changes) at \(now)")
        }
        self.timeline.add(changes, at: now)
        self.lastDurable = now
    }

    private func explains(_ asked: Asked, _ changes: [Int: ModelDocument?], at time: Int64) -> Bool {
        let outcome = ModelEvaluation.outcome(of: asked.writes, at: time) { self.timeline.document($0, before: time) }
        guard case .success(let outcome) = outcome else { return false }
        return outcome.changes == changes
    }

    // MARK: Commits

    func ask(_ writes: [ModelWrite], reads: ModelReads = ModelReads(), isJudged: Bool = false) -> Int {
        self.lastID += 1
        self.asked[self.lastID] = Asked(
            writes: writes,
            reads: reads,
            isJudged: isJudged,
            since: self.lastDurable,
            acknowledgedBefore: self.lastAcknowledged
        )
        return self.lastID
    }

    func acknowledge(_ id: Int, _ time: Timestamp, _ results: [WriteResult]) throws {
        guard let asked = self.asked.removeValue(forKey: id) else {
            throw SimulationFailure(.liveness, "commit \(id) was answered twice")
        }
        let now = time.microseconds
        guard now > asked.acknowledgedBefore else {
            throw SimulationFailure(
                .order,
                "\(now), asked for after the acknowledgement of \(asked.acknowledgedBefore)"
            )
        }
        guard self.acknowledgedTimes.insert(now).inserted else { throw SimulationFailure(.order, "\(now) twice") }
        let outcome = ModelEvaluation.outcome(of: asked.writes, at: now) { self.timeline.document($0, before: now) }
        guard case .success(let expected) = outcome else {
            throw SimulationFailure(.results, "the commit at \(now) should have failed: \(outcome)")
        }
        guard self.timeline.changes(at: now) == expected.changes else {
            let durable = self.timeline.changes(at: now)
            throw SimulationFailure(.visibility, "acknowledged at \(now): \(expected.changes), durable: \(durable)")
        }
        try self.check(results, expected, at: now)
        let before = { self.timeline.document($0, before: now) }
        if let difference = asked.reads.difference(from: before, self.queries) {
            throw SimulationFailure(.serializability, "to the commit at \(now), \(difference)")
        }
        if asked.isJudged {
            let guarding = self.timeline.document(RuledCommit.guarding, before: now)
            guard RuledCommit.allows(guarding) else {
                throw SimulationFailure(.rules, "a commit at \(now), when it read \(String(describing: guarding))")
            }
            self.judgedCount += 1
        }
        if !expected.changes.isEmpty { self.lastAcknowledged = max(self.lastAcknowledged, now) }
        self.acknowledgedCount += 1
    }

    /// A write of a batch, whose commit time is not told.
    func acknowledge(_ id: Int, _ result: WriteResult) throws {
        guard let asked = self.asked.removeValue(forKey: id) else {
            throw SimulationFailure(.liveness, "write \(id) was answered twice")
        }
        let isPossible = self.timeline.moments(since: asked.since).contains { moment in
            let isChange = moment > asked.since && self.explains(asked, self.timeline.changes(at: moment), at: moment)
            let outcome = ModelEvaluation.outcome(of: asked.writes, at: isChange ? moment : moment + 1) {
                isChange
                    ? self.timeline.document($0, before: moment) : self.timeline.document($0, at: moment)
            }
            guard case .success(let expected) = outcome, isChange || expected.changes.isEmpty else { return false }
            guard (try? self.check([result], expected, at: moment)) != nil else { return false }
            // Two writes that restore the same may explain each other's change, so this claims no time for itself.
            return true
        }
        guard isPossible else { throw SimulationFailure(.results, "\(asked.writes): \(result)") }
        self.acknowledgedCount += 1
    }

    private func check(_ results: [WriteResult], _ expected: ModelOutcome, at time: Int64) throws {
        let numbers = results.map { result -> Int64? in
            guard case .integer(let number)? = result.transformResults.first else { return nil }
            return number
        }
        guard results.map({ $0.updateTime?.microseconds }) == expected.updateTimes, numbers == expected.numbers else {
            throw SimulationFailure(.results, "at \(time): \(results), not \(expected)")
        }
    }

    func refuse(_ id: Int, _ error: TransactionError, waited: Duration, inTransaction: Bool, logFailed: Bool) throws {
        guard let asked = self.asked[id] else { throw SimulationFailure(.liveness, "commit \(id) was answered twice") }
        if case .outcomeUnknown = error {
            guard logFailed else { throw SimulationFailure(.refusal, "\(error) while the log works") }
            // It may be there after a restart.
            return
        }
        self.asked[id] = nil
        switch error {
        case .unavailable:
            guard logFailed else { throw SimulationFailure(.refusal, "\(error) while the log works") }
        case .document(let failure): try self.check(failure, of: asked)
        case .tooMuchContention:
            guard waited >= .seconds(20) else {
                throw SimulationFailure(.refusal, "too much contention after \(waited)")
            }
        case .exhausted: break
        case .contention, .expired, .invalidTransaction:
            guard inTransaction else { throw SimulationFailure(.refusal, "a plain commit: \(error)") }
        default: throw SimulationFailure(.refusal, "\(error)")
        }
    }

    private func check(_ failure: DocumentError, of asked: Asked) throws {
        let isJustified = self.timeline.moments(since: asked.since).contains { moment in
            let outcome = ModelEvaluation.outcome(of: asked.writes, at: moment + 1) {
                self.timeline.document($0, at: moment)
            }
            guard case .failure(let expected) = outcome else { return false }
            return expected.code == failure.code
        }
        if !isJustified { throw SimulationFailure(.refusal, "\(failure) for \(asked.writes)") }
    }

    /// Nothing of it may ever become durable.
    func takeBack(_ id: Int, asOutdated: Bool = false) {
        self.asked[id] = nil
        if asOutdated { self.outdatedCount += 1 }
    }

    /// The process is gone, and what recovery found has been followed: what is not there now never will be.
    func forgetAsked() {
        self.asked = [:]
    }

    /// All of it, as a plain reader finds it.
    func checkState(_ store: Store, _ database: DatabaseHandle) throws {
        let time = store.strongReadTime()
        guard time.microseconds >= self.lastDurable else {
            throw SimulationFailure(.durability, "recovered up to \(time), durable was \(self.lastDurable)")
        }
        try self.checkState(store, database, at: time)
    }

    private func checkState(_ store: Store, _ database: DatabaseHandle, at time: Timestamp) throws {
        for index in ModelWorld.indices {
            let stored = try store.get(ModelWorld.paths[index], in: database, at: time)
            let document = stored.flatMap(ModelWorld.document)
            let expected = self.timeline.document(index, at: .max)
            guard document == expected else {
                throw SimulationFailure(
                    .durability,
                    "\(ModelWorld.names[index]) is \(String(describing: document)), not \(String(describing: expected))"
                )
            }
        }
    }

    // MARK: Reads

    /// A listener was told of all up to a time.
    func told(at time: Timestamp) throws {
        self.lastToldTime = max(self.lastToldTime, time.microseconds)
    }

    func checkRead(_ seen: [(document: Int, value: ModelDocument?)], at time: Timestamp, isStrong: Bool) throws {
        let now = time.microseconds
        if isStrong, now < self.lastAcknowledged {
            throw SimulationFailure(.visibility, "read at \(now), acknowledged at \(self.lastAcknowledged)")
        }
        self.lastReadTime = max(self.lastReadTime, now)
        self.checkedReads += 1
        for (document, value) in seen where self.timeline.document(document, at: now) != value {
            let expected = String(describing: self.timeline.document(document, at: now))
            throw SimulationFailure(
                .visibility,
                "\(ModelWorld.names[document]) at \(now) is \(String(describing: value)), not \(expected)"
            )
        }
    }

    func checkQuery(_ index: Int, _ results: [ModelQuery.Result], at time: Timestamp, isStrong: Bool) throws {
        let now = time.microseconds
        let expected = self.queries[index].results { self.timeline.document($0, at: now) }
        guard results == expected else {
            throw SimulationFailure(.visibility, "query \(index) at \(now) found \(results), not \(expected)")
        }
        try self.checkRead(results.map { ($0.document, $0.value) }, at: time, isStrong: isStrong)
    }

    func checkCount(_ index: Int, _ count: Int, at time: Timestamp) throws {
        let now = time.microseconds
        let expected = self.queries[index].results { self.timeline.document($0, at: now) }.count
        guard count == expected else {
            throw SimulationFailure(.visibility, "query \(index) at \(now) counted \(count), not \(expected)")
        }
        try self.checkRead([], at: time, isStrong: false)
    }

    /// Some moment must have all that a transaction has read.
    func checkConsistency(_ reads: ModelReads, since: Int64) throws {
        let isConsistent = self.timeline.moments(since: since).contains { moment in
            reads.difference(from: { self.timeline.document($0, at: moment) }, self.queries) == nil
        }
        if !isConsistent { throw SimulationFailure(.consistency, "\(reads)") }
    }
}
