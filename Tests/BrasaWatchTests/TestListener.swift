import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import BrasaStore

@testable import BrasaWatch

/// What a test listens to, with the naive way to see what it should show.
enum TestTarget {
    case documents([ResourcePath])
    case query(StructuredQuery, ParentName, Query)

    init(_ query: StructuredQuery, parent: ParentName) throws {
        self = .query(query, parent, try Query(query, parent: parent))
    }

    var selection: TargetRequest.Selection {
        switch self {
        case .documents(let paths): .documents(paths)
        case .query(_, _, let query): .query(query)
        }
    }

    func documents(in state: WatchWorld.State) -> [ResourcePath: Document] {
        var shown: [ResourcePath: Document] = [:]
        switch self {
        case .documents(let paths):
            for path in paths {
                if let written = state.documents[path] { shown[path] = Self.document(written, mask: nil) }
            }
        case .query(let query, let parent, let checked):
            let model = QueryModel(query, parent: parent)
            let mask = query.select.map { FieldMask($0 + checked.order.clauses.map(\.path)) }
            for document in model.results(among: state.documents.values.map(\.document)) {
                if let written = state.documents[document.path] {
                    shown[document.path] = Self.document(written, mask: mask)
                }
            }
        }
        return shown
    }

    private static func document(_ written: WatchWorld.Written, mask: FieldMask?) -> Document {
        let fields = written.document.fields
        return Document(
            fields: mask.map { fields.projected(to: $0) } ?? fields,
            createTime: written.createTime,
            updateTime: written.updateTime
        )
    }

    var text: String {
        switch self {
        case .documents(let paths): "documents \(paths)"
        case .query(let query, let parent, _): query.text(parent: parent)
        }
    }
}

/// A client: keeps what it is told, and checks every snapshot against what was committed.
final class TestListener: WatchSink {
    final class Target {
        let target: TestTarget
        /// As of the last snapshot, and with what came since.
        var documents: [ResourcePath: Document] = [:]
        var pending: [ResourcePath: Document] = [:]
        var isCurrent = false
        var token: [UInt8] = []
        var pendingToken: [UInt8]?
        var filter: (count: Int, bloom: BloomFilter?)?

        init(_ target: TestTarget) {
            self.target = target
        }
    }

    private let world: WatchWorld
    private(set) var stream: WatchStream?
    /// Whose watcher has its next stream.
    var loop = 0
    var targets: [Int32: Target] = [:]
    /// Ids that were asked to be removed, or added, and are to be answered.
    private var added: Set<Int32> = []
    private(set) var log: [String] = []
    private(set) var failures: [String] = []
    private(set) var removals: [(id: Int32, cause: TargetFailure?)] = []
    private(set) var snapshots = 0
    private(set) var filters = 0
    private(set) var lastTime: Timestamp?
    /// How many events it takes before it needs a rest.
    var credit = Int.max
    var keepsLog = false
    private(set) var flushes = 0

    init(_ world: WatchWorld) {
        self.world = world
    }

    func connect() {
        self.stream?.close()
        self.added = []
        self.lastTime = nil
        self.stream = self.world.open(self, loop: self.loop)
    }

    /// The stream is gone; what was told after the last snapshot does not count.
    func disconnect() {
        self.stream?.close()
        self.stream = nil
        for target in self.targets.values {
            target.pending = target.documents
            target.pendingToken = nil
            target.isCurrent = false
            target.filter = nil
            if target.token.isEmpty { target.documents = [:] }
            target.pending = target.documents
        }
    }

    func add(_ id: Int32, _ target: TestTarget, once: Bool = false) {
        self.targets[id] = Target(target)
        self.resume(id, once: once)
    }

    /// Adds a target of which it knows the state at a time.
    func add(_ id: Int32, _ target: TestTarget, from time: Timestamp) {
        let known = Target(target)
        known.documents = target.documents(in: self.world.state(at: time))
        known.pending = known.documents
        self.targets[id] = known
        self.add(TargetRequest(id: id, selection: target.selection, start: .time(time)))
    }

    /// Adds a known target again, from its token.
    func resume(_ id: Int32, once: Bool = false, isCounting: Bool = false) {
        guard let known = self.targets[id] else { return }
        let request = TargetRequest(
            id: id,
            selection: known.target.selection,
            start: known.token.isEmpty ? .beginning : .token(known.token),
            once: once,
            expectedCount: isCounting ? known.documents.count : nil
        )
        self.add(request)
    }

    private func add(_ request: TargetRequest) {
        do {
            try self.stream?.add(request)
        } catch {
            self.failures.append("\(error)")
        }
    }

    func remove(_ id: Int32) { self.stream?.remove(id) }

    func grant(_ credit: Int) {
        self.credit = credit
        self.stream?.becameWritable()
    }

    func takeLog() -> [String] {
        defer { self.log = [] }
        return self.log
    }

    // MARK: WatchSink

    var isWritable: Bool { self.credit > 0 }

    func flush() { self.flushes += 1 }

    func send(_ event: WatchEvent) {
        if self.credit != .max { self.credit -= 1 }
        if self.keepsLog { self.log.append(event.text) }
        switch event {
        case .targetAdded(let id):
            if !self.added.insert(id).inserted { self.fail("added twice: \(id)") }
        case .documentChanged(let watched, let targets, let removed):
            if targets.isEmpty, removed.isEmpty { self.fail("a change for nobody") }
            for id in targets { self.target(id)?.pending[watched.path] = watched.document }
            for id in removed { self.target(id)?.pending[watched.path] = nil }
        case .documentDeleted(let deletion, let removed):
            if removed.isEmpty { self.fail("a deletion for nobody") }
            for id in removed { self.target(id)?.pending[deletion.path] = nil }
        case .current(let ids, let snapshot):
            for id in ids { self.current(id, snapshot) }
        case .reset(let ids):
            for id in ids {
                self.target(id)?.pending = [:]
                self.target(id)?.isCurrent = false
                self.target(id)?.pendingToken = []
            }
        case .targetRemoved(let id, let cause):
            self.removals.append((id, cause))
            if case .duplicateID = cause { return }
            self.added.remove(id)
            self.targets[id] = nil
        case .existenceFilter(let id, let count, let bloom): self.target(id)?.filter = (count, bloom)
        case .alive(let ids):
            for id in ids { _ = self.target(id) }
        case .resumable(let ids, let snapshot):
            for id in ids { self.target(id)?.pendingToken = snapshot.token?.bytes ?? [] }
        case .snapshot(let snapshot): self.snapshot(snapshot)
        }
    }

    private func target(_ id: Int32) -> Target? {
        if !self.added.contains(id) { self.fail("an event for \(id), which was not added") }
        return self.targets[id]
    }

    private func current(_ id: Int32, _ snapshot: WatchSnapshot) {
        guard let target = self.target(id) else { return }
        if target.isCurrent { self.fail("current twice: \(id)") }
        target.isCurrent = true
        target.pendingToken = snapshot.token?.bytes
        if let filter = target.filter {
            let expected = target.target.documents(in: self.world.state(at: snapshot.time))
            if filter.count != expected.count { self.fail("a filter of \(filter.count), not \(expected.count)") }
            for path in expected.keys {
                let name = DocumentName(database: WatchWorld.databaseName, path: path)?.bytes ?? []
                if filter.bloom?.mayContain(name) != true { self.fail("a filter without \(path)") }
            }
            target.filter = nil
            self.filters += 1
        }
    }

    private func snapshot(_ snapshot: WatchSnapshot) {
        self.snapshots += 1
        if let last = self.lastTime, snapshot.time < last { self.fail("back from \(last) to \(snapshot.time)") }
        self.lastTime = snapshot.time
        if snapshot.time > self.world.store.watermark { self.fail("\(snapshot.time) is not durable") }
        let state = self.world.state(at: snapshot.time)
        for (id, target) in self.targets where self.added.contains(id) {
            target.documents = target.pending
            if let token = snapshot.token?.bytes ?? target.pendingToken { target.token = token }
            target.pendingToken = nil
            guard target.isCurrent else {
                if snapshot.token != nil { self.fail("a token while \(id) is not current") }
                continue
            }
            let expected = target.target.documents(in: state)
            if target.documents != expected {
                self.fail(
                    "\(id) at \(snapshot.time.microseconds), \(target.target.text): "
                        + "\(target.documents.text), not \(expected.text)"
                )
            }
        }
    }

    private func fail(_ text: String) {
        self.failures.append(text)
    }
}

extension [ResourcePath: Document] {
    fileprivate var text: String {
        self.sorted { $0.key < $1.key }.map { "\($0.key)@\($0.value.updateTime.microseconds % 1_000_000)" }.joined(
            separator: " "
        )
    }
}

extension WatchEvent {
    /// One word and what it is about, without times.
    var text: String {
        switch self {
        case .targetAdded(let id): "add \(id)"
        case .documentChanged(let watched, let targets, let removed):
            "change \(watched.path) \(targets)" + (removed.isEmpty ? "" : " -\(removed)")
        case .documentDeleted(let deletion, let removed): "delete \(deletion.path) -\(removed)"
        case .current(let ids, _): "current \(ids)"
        case .reset(let ids): "reset \(ids)"
        case .targetRemoved(let id, let cause): "remove \(id)" + (cause.map { ": \($0)" } ?? "")
        case .existenceFilter(let id, let count, _): "filter \(id) \(count)"
        case .alive(let ids): "alive \(ids)"
        case .resumable(let ids, _): "resumable \(ids)"
        case .snapshot(let snapshot): snapshot.token == nil ? "snapshot without token" : "snapshot"
        }
    }
}
