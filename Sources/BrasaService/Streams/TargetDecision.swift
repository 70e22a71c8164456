import BrasaDocuments
import BrasaRules
import NIOCore

/// The way to a decision about one target of a listener, in turns of the loop.
struct TargetDecision {
    let demand: RuleDemand
    /// Of the rules that are asked.
    let edition: Int
    /// The state that they are asked about.
    let time: Timestamp
    private var judgement: Judgement

    init(_ demand: RuleDemand, edition: Int, at time: Timestamp, _ judgement: Judgement) {
        self.demand = demand
        self.edition = edition
        self.time = time
        self.judgement = judgement
    }

    var reads: [ResourcePath] { self.judgement.reads }

    mutating func turn(on eventLoop: any EventLoop) -> Judgement.Progress {
        self.judgement.turn(on: eventLoop)
    }
}

/// What a target's last decision rests on.
struct DecisionBasis {
    private(set) var edition: Int
    private(set) var time: Timestamp
    /// Whether a later decision by the same rules may differ because documents have changed. Once it may it always may: which
    /// documents rules look at can depend on the time.
    private(set) var dependsOnDocuments: Bool
    /// Hashes of the paths of documents that a query's decision has looked at; two that are equal cost a decision more.
    private var paths: Set<Int>

    init(_ decision: TargetDecision) {
        self.edition = decision.edition
        self.time = decision.time
        self.dependsOnDocuments = !decision.reads.isEmpty
        self.paths = Self.paths(decision)
    }

    mutating func become(_ decision: TargetDecision) {
        let isSame = decision.edition == self.edition
        self.dependsOnDocuments = isSame && self.dependsOnDocuments || !decision.reads.isEmpty
        self.edition = decision.edition
        self.time = decision.time
        self.paths = Self.paths(decision)
    }

    func rests(on path: ResourcePath) -> Bool { self.paths.contains(path.hashValue) }

    /// Those of a documents target are its own, and may be many.
    private static func paths(_ decision: TargetDecision) -> Set<Int> {
        if case .documents = decision.demand { return [] }
        return Set(decision.reads.map(\.hashValue))
    }
}

/// The documents of one time, and one as a listener is about to be shown it.
struct ShownDocuments: RuleDocuments {
    let stored: SnapshotDocuments
    var shown: (path: ResourcePath, lookup: RuleLookup)?

    init(stored: SnapshotDocuments) {
        self.stored = stored
    }

    func document(_ path: ResourcePath, after: Bool) -> RuleLookup {
        if let shown = self.shown, shown.path == path { return shown.lookup }
        return self.stored.document(path, after: after)
    }
}
