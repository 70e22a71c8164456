import BrasaDocuments
import BrasaIdentity
import BrasaMessages
import BrasaRules
import BrasaStatus
import BrasaStore
import BrasaWatch

/// Judges the targets of one user's Listen stream: before they begin, whenever there is news of them that the decision may
/// depend on, and all of them when the rules have changed. Used on the stream's event loop only.
///
/// A document is judged as it is about to be shown. What the rules read besides is read as it is at that moment.
final class ListenJudge {
    struct Target {
        /// 0: the watcher chooses.
        fileprivate(set) var id: Int32
        let demand: RuleDemand
        fileprivate var basis: DecisionBasis
        /// Another target may have its id later.
        fileprivate var serial = 0

        init(id: Int32, _ decision: TargetDecision) {
            self.id = id
            self.demand = decision.demand
            self.basis = DecisionBasis(decision)
        }

        fileprivate var namesDocuments: Bool { if case .documents = self.demand { true } else { false } }
    }

    /// All targets that there are at one time, which are to be decided about again.
    struct Round {
        fileprivate var ids: ArraySlice<Int32>
        fileprivate var current: (serial: Int, decision: TargetDecision)?
    }

    enum RoundProgress {
        case unfinished
        /// The target may not go on.
        case ends(Int32, Status)
        case finished
    }

    /// What is to be told of an event: which targets end before it, and it itself, unless nobody is left whom it is about.
    struct Verdict {
        var ended: [(id: Int32, cause: Status)] = []
        var event: WatchEvent?
    }

    private let service: FirestoreService
    private let caller: Caller
    private let database: DatabaseHandle
    /// Added, and not accepted yet.
    private var pending: [Target] = []
    private var targets: [Int32: Target] = [:]
    private var accepted = 0
    /// Ended by a verdict, and not by the watcher yet.
    private var ending: Set<Int32> = []

    init(_ caller: Caller, in database: DatabaseHandle, on service: FirestoreService) {
        self.service = service
        self.caller = caller
        self.database = database
    }

    /// The way to a decision about a target; nil when no rules say what the caller may do.
    /// - Parameter spansTurns: the state is kept until the decision is dropped.
    func decision(about demand: RuleDemand, showing news: News? = nil, spansTurns: Bool = false) -> TargetDecision? {
        // Before the rules themselves: if others come in between, that is noticed.
        let edition = self.service.rules.editionNumber
        guard let judge = self.service.judge(for: self.caller, in: self.database.name) else { return nil }
        let time = self.service.store.strongReadTime()
        var documents = ShownDocuments(
            stored: self.service.snapshot(of: self.database, at: time, isPinned: spansTurns)
        )
        switch news {
        case .changed(let document): documents.shown = (document.path, .fields(document.document.fields))
        case .deleted(let deletion): documents.shown = (deletion.path, .missing)
        case nil: break
        }
        return TargetDecision(demand, edition: edition, at: time, judge.judgement(of: demand, at: time, documents))
    }

    /// The watcher is about to be asked for the target.
    func expect(_ target: Target) { self.pending.append(target) }

    // MARK: All again

    func round() -> Round { Round(ids: Array(self.targets.keys)[...]) }

    /// As much of a round as may be done before other calls have their turn.
    func turn(of round: inout Round) -> RoundProgress {
        guard let id = round.ids.first else { return .finished }
        let known = round.current.take()
        guard let target = self.targets[id], known == nil || known?.serial == target.serial else {
            round.ids.removeFirst()
            return .unfinished
        }
        guard var decision = known?.decision ?? self.decision(about: target.demand, spansTurns: true) else {
            round.ids.removeFirst()
            return .ends(id, .permissionDenied)
        }
        switch decision.turn(on: self.service.eventLoop) {
        case .unfinished:
            round.current = (target.serial, decision)
            return .unfinished
        case .allowed:
            self.targets[id]?.basis.become(decision)
            round.ids.removeFirst()
            return .unfinished
        case .denied(let status):
            round.ids.removeFirst()
            return .ends(id, status)
        }
    }

    /// The watcher is about to be asked to remove the target, which the client knows already.
    func end(_ id: Int32) {
        self.targets[id] = nil
        self.ending.insert(id)
    }

    // MARK: Events

    func verdict(on event: WatchEvent) -> Verdict {
        var verdict = Verdict()
        switch event {
        case .targetAdded(let id):
            self.accept(id)
            verdict.event = self.targets[id] == nil ? nil : event
        case .documentChanged(let document, let targets, let removed):
            let shown = self.left(targets, by: .changed(document), &verdict)
            let hidden = self.left(removed, by: nil, &verdict)
            if !shown.isEmpty || !hidden.isEmpty {
                verdict.event = .documentChanged(document, targets: shown, removed: hidden)
            }
        case .documentDeleted(let deletion, let removed):
            let left = self.left(removed, by: .deleted(deletion), &verdict)
            if !left.isEmpty { verdict.event = .documentDeleted(deletion, removed: left) }
        case .current(let ids, let snapshot):
            let left = self.left(ids, by: nil, &verdict)
            if !left.isEmpty { verdict.event = .current(left, snapshot) }
        case .reset(let ids):
            let left = ids.filter { self.targets[$0] != nil }
            if !left.isEmpty { verdict.event = .reset(left) }
        case .resumable(let ids, let snapshot):
            let left = ids.filter { self.targets[$0] != nil }
            if !left.isEmpty { verdict.event = .resumable(left, snapshot) }
        case .alive(let ids):
            let left = ids.filter { self.targets[$0] != nil }
            if !left.isEmpty { verdict.event = .alive(left) }
        case .existenceFilter(let id, _, _):
            if !self.left([id], by: nil, &verdict).isEmpty { verdict.event = event }
        case .targetRemoved(let id, let cause):
            verdict.event = self.isToBeTold(ofRemoval: id, cause) ? event : nil
        case .snapshot:
            verdict.event = event
        }
        return verdict
    }

    private func accept(_ id: Int32) {
        guard let first = self.pending.first, first.id == 0 || first.id == id else { return }
        var target = self.pending.removeFirst()
        self.accepted += 1
        (target.id, target.serial) = (id, self.accepted)
        self.targets[id] = target
    }

    /// One that ended by a verdict has been told of. A client may ask to remove what is not there, and is answered.
    private func isToBeTold(ofRemoval id: Int32, _ cause: TargetFailure?) -> Bool {
        // The one that has the id already is not concerned.
        let isOfPending = if case .duplicateID? = cause { true } else { self.targets[id] == nil && cause != nil }
        if isOfPending, let first = self.pending.first, first.id == 0 || first.id == id {
            self.pending.removeFirst()
            return true
        }
        if self.targets.removeValue(forKey: id) != nil { return true }
        return self.ending.remove(id) == nil
    }

    enum News {
        case changed(WatchedDocument)
        case deleted(WatchedDeletion)

        var path: ResourcePath {
            switch self {
            case .changed(let document): document.path
            case .deleted(let deletion): deletion.path
            }
        }
    }

    /// Of the targets those that may be told.
    private func left(_ ids: [Int32], by news: News?, _ verdict: inout Verdict) -> [Int32] {
        ids.filter { id in
            guard let target = self.targets[id] else { return false }
            guard let status = self.denial(of: target, by: news) else { return true }
            self.end(id)
            verdict.ended.append((id, status))
            return false
        }
    }

    /// A document is judged as it is about to be shown. A query that may find that document alone is judged by it as it is
    /// shown, and by the state of now like any other.
    private func denial(of target: Target, by news: News?) -> Status? {
        if target.namesDocuments { return news.flatMap { self.denial(of: .documents([$0.path]), showing: $0) } }
        let isByTheseRules = target.basis.edition == self.service.rules.editionNumber
        if isByTheseRules, !target.basis.dependsOnDocuments { return nil }
        if let news, target.basis.rests(on: news.path),
            let status = self.denial(of: target.demand, showing: news)
        {
            return status
        }
        // Within a turn there are many events of one state.
        if isByTheseRules, target.basis.time == self.service.store.strongReadTime() { return nil }
        return self.denial(of: target.demand) { self.targets[target.id]?.basis.become($0) }
    }

    private func denial(
        of demand: RuleDemand,
        showing news: News? = nil,
        allowed: (TargetDecision) -> Void = { _ in }
    ) -> Status? {
        guard var decision = self.decision(about: demand, showing: news) else { return .permissionDenied }
        while true {
            switch decision.turn(on: self.service.eventLoop) {
            case .unfinished: continue
            case .denied(let status): return status
            case .allowed:
                allowed(decision)
                return nil
            }
        }
    }
}
