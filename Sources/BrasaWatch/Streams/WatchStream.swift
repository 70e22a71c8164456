import BrasaDocuments
import BrasaPlatform
import BrasaQueries
package import BrasaStore

/// One listener's targets, in one database. Used on its watcher's loop only.
///
/// A live stream is at the watcher's position: what a commit changes is handed to its sink at once. One that cannot take
/// it is behind, and keeps nothing but the time of the state that it was told of. See `WatchStream+Rounds.swift`.
package final class WatchStream {
    /// What comes next for targets that are not live.
    enum Course {
        /// A round, or a new target's first state.
        case anything
        /// New targets first: a round has ended, and a stream that never keeps up has one after another.
        case newTargets
        case round(Round)
    }

    // First what telling a change needs: thousands of streams are not in the processor's caches.
    let sink: any WatchSink
    private(set) var isClosed = false
    /// Two of its targets have, or have had, the same view.
    private(set) var hasEqualTargets = false
    /// Targets that are not live.
    var unsettledCount = 0
    /// When it was told of a snapshot, and since when it takes nothing.
    var lastTold: MonotonicTime
    var tokens = DueTokens()
    let watcher: Watcher
    let table: ViewTable
    private(set) var targets: ContiguousArray<WatchTarget> = []
    private var identifiers = TargetIdentifiers()

    /// Its place among the watcher's streams.
    var index = 0
    var isQueued = false
    var needsFlush = false
    /// What its targets select takes.
    private var selectionBytes = 0
    var course = Course.anything
    var share = StepShare()
    var stalledSince: MonotonicTime?

    init(watcher: Watcher, table: ViewTable, sink: any WatchSink, now: MonotonicTime) {
        self.watcher = watcher
        self.table = table
        self.sink = sink
        self.lastTold = now
    }

    package var targetCount: Int { self.targets.count }

    /// About what it keeps of its targets.
    package var keptBytes: Int { self.selectionBytes + TargetRequest.ownBytes * self.targets.count }

    package var database: DatabaseHandle { self.table.database }

    /// Whether it is told of steps: some target is live. The others then have not been said to be current, since all live
    /// ones fall behind together, and come back together.
    var isLive: Bool { self.unsettledCount < self.targets.count }

    // MARK: From its owner

    /// Adds a target; the sink hears `targetAdded`, or `targetRemoved` with the cause, before anything else about it:
    /// during the call, unless the sink itself is being called or a step is being told. Throws for ids that end the stream.
    package func add(_ request: TargetRequest) throws(TargetIDError) {
        let id = try self.refuse(request.id)
        self.watcher.perform { self.accept(request, id: id) }
    }

    /// Checks the id of a target that the owner refuses by itself, and gives the one to name in the answer.
    package func refuse(_ id: Int32) throws(TargetIDError) -> Int32 {
        try self.identifiers.next(id)
    }

    /// Removes a target; the sink hears `targetRemoved`, for an unknown id as well, since every removal is answered.
    package func remove(_ id: Int32) {
        self.watcher.perform {
            if let target = self.targets.first(where: { $0.id == id }) {
                self.end(target, cause: nil)
            } else {
                self.send(.targetRemoved(id, cause: nil))
            }
        }
    }

    /// The sink takes events again.
    package func becameWritable() {
        self.stalledSince = nil
        if self.unsettledCount > 0, !self.isClosed { self.watcher.enqueue(self) }
    }

    /// From here on the sink hears nothing, and what the stream held is given back.
    package func close() {
        guard !self.isClosed else { return }
        self.isClosed = true
        self.watcher.perform {
            self.course = .anything
            for target in self.targets.reversed() { self.end(target, cause: nil) }
            self.watcher.remove(self)
        }
    }

    // MARK: Targets

    private func accept(_ request: TargetRequest, id: Int32) {
        if self.isClosed { return }
        guard let selection = self.selection(of: request, id: id) else { return }
        if self.watcher.values.targets == 0 { self.watcher.activate() }
        self.watcher.values.targets += 1
        self.send(.targetAdded(id))
        self.selectionBytes += request.selectionBytes
        let base = self.base(for: request.start)
        let target = WatchTarget(
            request,
            id: id,
            stream: self,
            view: self.watcher.view(selection, bytes: request.selectionBytes, in: self.table),
            base: base,
            notBefore: self.watcher.store.strongReadTime()
        )
        if base == nil, request.start.isResumption { target.restart() }
        if self.targets.contains(where: { $0.view === target.view }) { self.hasEqualTargets = true }
        target.view.add(target)
        self.targets.append(target)
        self.watcher.enqueue(self)
    }

    /// Nil when the target is refused, which is then said.
    private func selection(of request: TargetRequest, id: Int32) -> View.Selection? {
        let configuration = self.watcher.configuration
        let failure: TargetFailure
        if self.targets.contains(where: { $0.id == id }) {
            failure = .duplicateID(id)
        } else if self.targets.count >= configuration.streamTargetsMax
            || self.watcher.values.targets >= configuration.targetsMax
        {
            failure = .tooManyTargets
        } else {
            switch request.selection {
            case .documents(let paths) where paths.count > configuration.targetDocumentsMax:
                failure = .tooManyDocuments(max: configuration.targetDocumentsMax)
            case .query(let query) where query.names.collectionID == nil: failure = .allCollections
            case .query(let query) where query.nearest != nil: failure = .nearest
            case .documents(let paths):
                if let selection = self.fitting(.documents(Set(paths).sorted()), of: request) { return selection }
                failure = .selectionTooLarge
            case .query(let query):
                if let selection = self.fitting(.query(query), of: request) { return selection }
                failure = .selectionTooLarge
            }
        }
        self.send(.targetRemoved(id, cause: failure))
        return nil
    }

    /// Nil when it is too much for the stream, or for the watcher, which keeps equal ones once.
    private func fitting(_ selection: View.Selection, of request: TargetRequest) -> View.Selection? {
        let (bytes, configuration) = (request.selectionBytes, self.watcher.configuration)
        guard self.selectionBytes + bytes <= configuration.streamSelectionBytesMax else { return nil }
        let isNew = self.table.view(selection) == nil
        return isNew && self.watcher.memory.selectionBytes + bytes > configuration.selectionBytesMax ? nil : selection
    }

    /// Where to go on; nil for the beginning, and when that state is not known, or not any more.
    private func base(for start: TargetRequest.Start) -> Base? {
        let time: Timestamp
        switch start {
        case .beginning: return nil
        case .time(let asked): time = asked
        case .token(let bytes):
            let token = ResumeToken(parsing: bytes)
            guard let start = token?.start(in: self.database, of: self.watcher.store) else { return nil }
            time = start
        }
        do throws(StoreError) {
            let (store, database) = (self.watcher.store, self.database)
            try store.checkReadTime(time, in: database)
            return Base(time: time, isPosition: false, pin: try store.pin(at: time, in: database))
        } catch {
            return nil
        }
    }

    /// The target is done, removed or has failed.
    func end(_ target: WatchTarget, cause: TargetFailure?) {
        guard !target.isEnded else { return }
        target.phase = .ended
        if case .round(let round) = self.course { round.leave(target) }
        self.tokens.clear(target)
        self.targets.removeAll { $0 === target }
        self.selectionBytes -= target.selectionBytes
        target.view.remove(target)
        self.watcher.removeIfUnused(target.view, from: self.table)
        self.send(.targetRemoved(target.id, cause: cause))
        self.watcher.values.targets -= 1
        if self.watcher.values.targets == 0 { self.watcher.deactivate() }
        // It may be the one that the others waited for.
        if self.unsettledCount > 0, !self.isClosed { self.watcher.enqueue(self) }
    }
}

extension TargetRequest.Start {
    fileprivate var isResumption: Bool {
        switch self {
        case .beginning: false
        case .token(let bytes): !bytes.isEmpty
        case .time: true
        }
    }
}
