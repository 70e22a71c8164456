import BrasaDocuments
import BrasaPlatform
import BrasaStore
import BrasaWatch

/// What a listener asks for, with what the model thinks it should show.
enum ListenedSelection {
    case documents([Int])
    /// By the query's number.
    case query(Int)

    func selection(_ queries: [ModelQuery]) -> TargetRequest.Selection {
        switch self {
        case .documents(let documents): .documents(documents.map { ModelWorld.paths[$0] })
        case .query(let number): .query(queries[number].query)
        }
    }

    func documents(_ queries: [ModelQuery], _ document: (Int) -> ModelDocument?) -> [Int: ModelDocument] {
        var shown: [Int: ModelDocument] = [:]
        switch self {
        case .documents(let documents): for index in documents { shown[index] = document(index) }
        case .query(let number):
            for result in queries[number].results(document) { shown[result.document] = result.value }
        }
        return shown
    }
}

/// A client that listens. It outlives servers: after a while it comes back with the tokens that it has. Whatever it is
/// told is checked at once: each document must be durable, and at each snapshot all that the listener has must be the
/// state of that time.
final class SimulatedListener: WatchSink {
    struct Target {
        let selection: ListenedSelection
        /// As of the last snapshot, and with what came since.
        var documents: [Int: ModelDocument] = [:]
        var pending: [Int: ModelDocument] = [:]
        var token: [UInt8] = []
        var pendingToken: [UInt8]?
        var isCurrent = false
        /// Goes on from a state that it knows, so far.
        var isResumed = false
        /// The count of an existence filter, until its snapshot.
        var filter: Int?
    }

    private unowned let simulation: EngineSimulation
    private var stream: WatchStream?
    private var targets: [Int32: Target] = [:]
    /// Ids of which the stream has said that they are there, and of those that were to go.
    private var added: Set<Int32> = []
    private var removing: Set<Int32> = []
    private var lastTime: Timestamp?
    private var lastID: Int32 = 0
    /// How many events it takes before it needs a rest.
    private var credit = Int.max
    private(set) var snapshots = 0
    private(set) var resets = 0
    /// Targets that became current without beginning again.
    private(set) var resumptions = 0

    init(_ simulation: EngineSimulation) {
        self.simulation = simulation
    }

    private var checker: SimulationChecker { self.simulation.checker }
    var isConnected: Bool { self.stream != nil }

    // MARK: What it does

    func connect(to watcher: Watcher) throws {
        self.stream = watcher.open(self.simulation.database, sink: self)
        self.lastTime = nil
        for id in self.targets.keys.sorted() { try self.resume(id) }
    }

    /// `isAlive`: the server hears of it. What came after the last snapshot does not count.
    func disconnect(isAlive: Bool) {
        if isAlive { self.stream?.close() }
        self.stream = nil
        self.added = []
        for id in self.removing { self.targets[id] = nil }
        self.removing = []
        for id in self.targets.keys {
            guard var target = self.targets[id] else { continue }
            if target.token.isEmpty { target.documents = [:] }
            target.pending = target.documents
            target.pendingToken = nil
            target.isCurrent = false
            target.isResumed = false
            target.filter = nil
            self.targets[id] = target
        }
    }

    func listen() throws {
        guard self.isConnected, self.targets.count < 5 else { return }
        let count = ModelWorld.names.count
        let isQuery = self.random(3) > 0
        let selection: ListenedSelection =
            isQuery
            ? .query(self.random(ModelQuery.count)) : .documents([self.random(count), self.random(count)])
        self.lastID += 1
        self.targets[self.lastID] = Target(selection: selection)
        guard self.random(4) == 0, let time = self.knownTime() else { return try self.resume(self.lastID) }
        let documents = self.expected(selection, at: time)
        self.targets[self.lastID]?.documents = documents
        self.targets[self.lastID]?.pending = documents
        try self.add(self.lastID, selection, from: .time(time), count: documents.count)
    }

    /// A time of which it may know the state: of a late commit, or just before one.
    private func knownTime() -> Timestamp? {
        guard let commit = self.checker.timeline.times.suffix(12).randomElement(using: &self.simulation.random) else {
            return nil
        }
        let store = self.simulation.server.store
        let time = Timestamp(microseconds: commit - Int64(self.random(2)))
        return time >= store.oldestReadTime(in: self.simulation.database) && time <= store.watermark ? time : nil
    }

    private func resume(_ id: Int32) throws {
        guard let target = self.targets[id] else { return }
        let start: TargetRequest.Start = target.token.isEmpty ? .beginning : .token(target.token)
        try self.add(id, target.selection, from: start, count: target.documents.count)
    }

    private func add(
        _ id: Int32,
        _ selection: ListenedSelection,
        from start: TargetRequest.Start,
        count: Int
    ) throws {
        let request = TargetRequest(
            id: id,
            selection: selection.selection(self.checker.queries),
            start: start,
            expectedCount: self.random(2) == 0 ? count : nil
        )
        switch start {
        case .beginning: break
        case .token, .time: self.targets[id]?.isResumed = true
        }
        try self.stream?.add(request)
    }

    func stopListening() {
        guard let stream = self.stream,
            let id = self.targets.keys.filter({ !self.removing.contains($0) }).sorted()
                .randomElement(using: &self.simulation.random)
        else { return }
        self.removing.insert(id)
        stream.remove(id)
    }

    /// How much it takes from here on.
    func take(_ count: Int) {
        self.credit = count
        if count > 0 { self.stream?.becameWritable() }
    }

    /// Of the newest state, once nothing moves any more.
    func checkEnd() throws {
        for (id, target) in self.targets where !self.removing.contains(id) {
            let expected = self.expected(target.selection, at: .latest)
            guard target.isCurrent, target.documents == expected else {
                throw SimulationFailure(
                    .listening,
                    "target \(id), current: \(target.isCurrent), ends with \(target.documents), not \(expected)"
                )
            }
        }
    }

    private func random(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self.simulation.random) }

    private func expected(_ selection: ListenedSelection, at time: Timestamp) -> [Int: ModelDocument] {
        selection.documents(self.checker.queries) { self.checker.timeline.document($0, at: time.microseconds) }
    }

    // MARK: What it is told

    var isWritable: Bool { self.credit > 0 }

    func flush() {}

    func send(_ event: WatchEvent) {
        if self.credit != .max { self.credit -= 1 }
        self.simulation.catching { try self.take(event) }
    }

    private func take(_ event: WatchEvent) throws {
        switch event {
        case .targetAdded(let id):
            guard self.added.insert(id).inserted else { throw self.failure("target \(id) was added twice") }
        case .documentChanged(let watched, let targets, let removed):
            let (index, document) = try self.durable(watched)
            for id in targets { try self.change(id) { $0.pending[index] = document } }
            for id in removed { try self.change(id) { $0.pending[index] = nil } }
        case .documentDeleted(let deletion, let removed):
            guard let index = ModelWorld.index(of: deletion.path) else { throw self.failure("\(deletion.path)") }
            for id in removed { try self.change(id) { $0.pending[index] = nil } }
        case .current(let ids, let snapshot):
            for id in ids {
                try self.change(id) { target in
                    if target.isCurrent { throw self.failure("target \(id) is current twice") }
                    target.isCurrent = true
                    if target.isResumed { self.resumptions += 1 }
                    target.isResumed = false
                    target.pendingToken = snapshot.token?.bytes
                }
            }
        case .reset(let ids):
            for id in ids {
                try self.change(id) { target in
                    target.pending = [:]
                    target.pendingToken = []
                    target.isCurrent = false
                    target.isResumed = false
                }
                self.resets += 1
            }
        case .targetRemoved(let id, let cause):
            if let cause { throw self.failure("target \(id) failed: \(cause)") }
            guard self.removing.remove(id) != nil else { throw self.failure("target \(id) is gone") }
            self.added.remove(id)
            self.targets[id] = nil
        case .existenceFilter(let id, let count, _): try self.change(id) { $0.filter = count }
        case .resumable(let ids, let snapshot):
            for id in ids { try self.change(id) { $0.pendingToken = snapshot.token?.bytes } }
        case .alive: break
        case .snapshot(let snapshot): try self.snapshot(snapshot)
        }
    }

    private func change(_ id: Int32, _ body: (inout Target) throws -> Void) throws {
        guard self.added.contains(id), self.targets[id] != nil else {
            throw self.failure("target \(id) is told something and not there")
        }
        try self.targets[id].map { known in
            var target = known
            try body(&target)
            self.targets[id] = target
        }
    }

    /// Every version that anybody hears of is one that became durable.
    private func durable(_ watched: WatchedDocument) throws -> (Int, ModelDocument) {
        guard let index = ModelWorld.index(of: watched.path), let document = ModelWorld.document(watched.document)
        else {
            throw self.failure("\(watched.path)")
        }
        guard self.checker.timeline.document(index, at: document.updateTime) == document else {
            throw self.failure("told of \(document) of \(ModelWorld.names[index]), which never became durable")
        }
        return (index, document)
    }

    private func snapshot(_ snapshot: WatchSnapshot) throws {
        let time = snapshot.time
        if let last = self.lastTime, time < last { throw self.failure("back from \(last) to \(time)") }
        self.lastTime = time
        self.snapshots += 1
        try self.checker.told(at: time)
        for id in self.targets.keys.sorted() where self.added.contains(id) {
            guard var target = self.targets[id] else { continue }
            target.documents = target.pending
            target.token = snapshot.token?.bytes ?? target.pendingToken ?? target.token
            target.pendingToken = nil
            let filter = target.isCurrent ? target.filter.take() : nil
            self.targets[id] = target
            guard target.isCurrent else {
                if snapshot.token != nil { throw self.failure("a token while target \(id) is not current") }
                continue
            }
            let expected = self.expected(target.selection, at: time)
            guard target.documents == expected, filter ?? expected.count == expected.count else {
                throw self.failure(
                    "target \(id), \(target.selection), at \(time.microseconds): \(target.documents), not \(expected)"
                )
            }
        }
    }

    private func failure(_ detail: String) -> SimulationFailure { SimulationFailure(.listening, detail) }
}
