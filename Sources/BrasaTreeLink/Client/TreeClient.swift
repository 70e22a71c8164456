package import BrasaTree
package import BrasaTreeSync
import BrasaTreeWire

/// A client of one database without network, clock and threads: its engine, its link, and what they have to tell each
/// other. Each step gives what follows from it.
package struct TreeClient: Sendable {
    /// For how long a `get` waits for a connection.
    package static let getPatience = Duration.seconds(3)
    /// Of what is larger, the server is told hashes by range.
    private static let compoundHashAbove = 1_024

    var engine: TreeSyncEngine
    var link: TreeLink
    var info = InfoTree()
    /// How far the server's clock is ahead.
    package internal(set) var serverTimeOffset: Int64 = 0
    /// Until when each waits, while there is no connection.
    var gets: [Int: Duration] = [:]
    var lastCall = 0
    /// Of the step that is being made.
    var outputs: [ClientOutput] = []
    var stored: [StoredChange] = []

    /// - Parameter isStored: whether what is kept over restarts is told, as `ClientOutput.store`.
    package init(_ configuration: LinkConfiguration, isStored: Bool = false) {
        self.link = TreeLink(configuration)
        self.engine = TreeSyncEngine(isStored: isStored)
    }

    /// Until when nothing need be done if nothing comes: then `tick`.
    package var deadline: Duration? {
        let getDeadline = self.link.isOpen ? nil : self.gets.values.min()
        return [self.link.deadline, getDeadline].compactMap { $0 }.min()
    }

    mutating func finishStep() -> [ClientOutput] {
        defer { (self.outputs, self.stored) = ([], []) }
        return (self.stored.isEmpty ? [] : [.store(self.stored)]) + self.outputs
    }

    func serverTime(_ moment: TreeMoment) -> Int64 {
        let (sum, overflow) = moment.milliseconds.addingReportingOverflow(self.serverTimeOffset)
        return overflow ? moment.milliseconds : sum
    }

    mutating func handle(_ effects: EngineEffects, _ moment: TreeMoment) {
        self.stored += effects.stored
        self.outputs += effects.events.map { .event($0, .database) }
        for change in effects.listens {
            switch change {
            case .open(let target, let tag):
                // The next connection asks for all of them. A hash for nobody would be as much work as a large node is.
                guard self.link.isOpen else { continue }
                self.request(self.listen(target, tag: tag), moment)
            case .close(let target, let tag):
                // Nobody is there to answer.
                guard self.link.isOpen else {
                    self.engine.completeClose(target)
                    continue
                }
                self.request(.unlisten(target, tag: tag), moment)
            }
        }
        for write in effects.writes {
            switch write {
            case .write(let pending): self.request(.write(id: pending.id, pending.write), moment)
            case .transaction(let put, let write, let hash):
                self.request(.transaction(put: put, write, hash: hash), moment)
            }
        }
        self.outputs += effects.ended.map { .transactionEnded($0) }
    }

    mutating func request(_ request: LinkRequest, _ moment: TreeMoment) {
        self.handle(self.link.request(request, uptime: moment.uptime), moment)
    }

    /// With the hash of what is known, so that it is not sent again.
    func listen(_ target: TreeTarget, tag: Int?) -> LinkRequest {
        let node = self.engine.tree.assumed(target)
        let compound = node.estimate > Self.compoundHashAbove ? CompoundHash(of: node) : nil
        return .listen(target, tag: tag, hash: node.hash, compound: compound)
    }
}

// MARK: What users ask for

extension TreeClient {
    /// Sends what an earlier process had queued, in order. The first step.
    package mutating func restore(_ writes: [PendingWrite], _ moment: TreeMoment) -> [ClientOutput] {
        self.handle(self.engine.restore(writes), moment)
        return self.finishStep()
    }

    /// Whether what a disk has of a target would be used by a listener, or by a transaction.
    package func wantsStored(_ query: TreeQuery, at path: TreePath) -> Bool {
        self.engine.tree.wantsStored(query, at: path)
    }

    /// What a query shows of a node that a disk has, with the queued writes.
    package func shown(_ query: TreeQuery, at path: TreePath, stored: TreeNode) -> TreeNode {
        query.filter(self.engine.tree.overlaid(stored, at: path))
    }

    /// - Parameter stored: what the disk has of it, where `wantsStored`.
    package mutating func listen(
        _ query: TreeQuery,
        at path: TreePath,
        of source: TreeListener.Source = .database,
        stored: StoredNode? = nil,
        _ moment: TreeMoment
    ) -> (listener: TreeListener, outputs: [ClientOutput]) {
        switch source {
        case .database:
            let (listener, effects) = self.engine.listen(query, at: path, stored: stored)
            self.handle(effects, moment)
            return (TreeListener(.database, listener), self.finishStep())
        case .info:
            let (listener, events) = self.info.listen(query, at: path)
            self.outputs += events.map { .event($0, .info) }
            return (TreeListener(.info, listener), self.finishStep())
        }
    }

    package mutating func unlisten(_ listener: TreeListener, _ moment: TreeMoment) -> [ClientOutput] {
        switch listener.source {
        case .database: self.handle(self.engine.unlisten(listener.id), moment)
        case .info: self.info.unlisten(listener.id)
        }
        return self.finishStep()
    }

    package mutating func keepSynced(
        _ isKept: Bool,
        _ query: TreeQuery,
        at path: TreePath,
        stored: StoredNode? = nil,
        _ moment: TreeMoment
    ) -> [ClientOutput] {
        self.handle(self.engine.keepSynced(isKept, query, at: path, stored: stored), moment)
        return self.finishStep()
    }

    /// A set or an update. Its answer is the server's.
    package mutating func write(_ write: TreeWrite, _ moment: TreeMoment) -> (call: TreeCall, outputs: [ClientOutput]) {
        let (id, effects) = self.engine.write(write, milliseconds: self.serverTime(moment))
        self.handle(effects, moment)
        return (.write(id), self.finishStep())
    }

    package mutating func transact(
        at path: TreePath,
        isShown: Bool,
        stored: StoredNode? = nil,
        _ moment: TreeMoment,
        _ update: @escaping TransactionUpdate
    ) -> (id: TreeTransactionID, outputs: [ClientOutput]) {
        let time = self.serverTime(moment)
        let (id, effects) = self.engine.transact(
            at: path,
            isShown: isShown,
            stored: stored,
            milliseconds: time,
            update
        )
        self.handle(effects, moment)
        return (id, self.finishStep())
    }

    /// Answered from what is listened to where that is complete, else by the server.
    package mutating func get(
        _ query: TreeQuery,
        at path: TreePath,
        of source: TreeListener.Source = .database,
        _ moment: TreeMoment
    ) -> (call: TreeCall, outputs: [ClientOutput]) {
        self.lastCall += 1
        let call = TreeCall.get(self.lastCall)
        let target = TreeTarget(path, query)
        if source == .info {
            self.outputs.append(.answered(call, .node(query.filter(self.info.node[path]))))
        } else if self.engine.tree.known(target) != nil, let node = self.engine.tree.shown(query, at: path) {
            self.outputs.append(.answered(call, .node(node)))
        } else {
            self.gets[self.lastCall] = moment.uptime + Self.getPatience
            self.request(.get(id: self.lastCall, target), moment)
        }
        return (call, self.finishStep())
    }

    package mutating func onDisconnect(
        _ request: DisconnectRequest,
        _ moment: TreeMoment
    ) -> (call: TreeCall, outputs: [ClientOutput]) {
        self.lastCall += 1
        self.request(.onDisconnect(id: self.lastCall, request), moment)
        return (.onDisconnect(self.lastCall), self.finishStep())
    }

    /// Gives up all writes, transactions and requests for the connection's end that have no answer.
    package mutating func purge(_ moment: TreeMoment) -> [ClientOutput] {
        let cancelled = TreeAnswer.refused(status: Self.cancelled, message: nil)
        let dropped = self.link.drop { request in
            switch request {
            case .write, .transaction, .onDisconnect: true
            case .listen, .unlisten, .get: false
            }
        }
        for write in self.engine.unansweredWrites {
            self.handle(self.engine.answerWrite(write.id, isDone: false), moment)
            self.outputs.append(.answered(.write(write.id), cancelled))
        }
        for case .onDisconnect(let id, _) in dropped { self.outputs.append(.answered(.onDisconnect(id), cancelled)) }
        self.handle(self.engine.endTransactions(status: Self.cancelled), moment)
        // There is room now for what waited behind them.
        self.handle(self.link.resume([], uptime: moment.uptime), moment)
        return self.finishStep()
    }

    private static let cancelled = "write_canceled"
}
