package import BrasaTree

/// What the server is to be sent, in order.
package enum ServerWrite: Sendable {
    case write(PendingWrite)
    /// Only if what is there has the hash. It is not sent again on another connection.
    case transaction(put: Int, TreeWrite, hash: String)
}

/// What a step of the engine leads to.
package struct EngineEffects: Sendable {
    /// Before everything else.
    package var stored: [StoredChange] = []
    package var events: [TreeSyncEvent] = []
    package var listens: [ListenChange] = []
    /// After the listens.
    package var writes: [ServerWrite] = []
    /// After the events.
    package var ended: [TransactionEnd] = []
}

/// The client's engine: its copy of the database, its transactions, and what the server will write when the connection
/// ends. Whoever drives it has the wire, the disk and the clock: times are the server's, as far as that is known.
package struct TreeSyncEngine: Sendable {
    package internal(set) var tree: SyncTree
    /// What the server has taken to be written when the connection ends.
    package var onDisconnect = DisconnectQueue()
    var transactions = PathTree<[QueuedTransaction]>()
    var listeners: Set<SyncListenerID> = []
    var lastTransaction = 0
    /// Where each put of transactions was sent to.
    var puts: [Int: TreePath] = [:]
    var lastPut = 0
    /// Where this step may have brought transactions so far that they can be sent.
    var concerned: [TreePath] = []
    /// Of the step that is being made.
    var effects = EngineEffects()

    /// - Parameter isStored: whether what is kept over restarts is told.
    package init(isStored: Bool = false) {
        self.tree = SyncTree(isStored: isStored)
    }

    mutating func take(_ effects: SyncEffects) {
        self.effects.events += effects.events
        self.effects.listens += effects.listens
    }

    /// What the step has led to. The engine's own listeners are told nothing.
    mutating func finishStep() -> EngineEffects {
        var effects = self.effects
        self.effects = EngineEffects()
        effects.stored = self.tree.takeStored()
        guard !self.listeners.isEmpty else { return effects }
        effects.events = effects.events.compactMap { event in
            let listeners = event.listeners.filter { !self.listeners.contains($0) }
            guard !listeners.isEmpty else { return nil }
            return TreeSyncEvent(path: event.path, query: event.query, listeners: listeners, kind: event.kind)
        }
        return effects
    }
}

// MARK: Listeners and the server

extension TreeSyncEngine {
    /// - Parameter stored: what the disk has of it, where `SyncTree.wantsStored`; also of others.
    package mutating func listen(
        _ query: TreeQuery,
        at path: TreePath,
        stored: StoredNode? = nil
    ) -> (listener: SyncListenerID, effects: EngineEffects) {
        let (listener, effects) = self.tree.listen(query, at: path, stored: stored)
        self.take(effects)
        return (listener, self.finishStep())
    }

    package mutating func unlisten(_ listener: SyncListenerID) -> EngineEffects {
        self.take(self.tree.unlisten(listener))
        return self.finishStep()
    }

    package mutating func keepSynced(
        _ isKept: Bool,
        _ query: TreeQuery,
        at path: TreePath,
        stored: StoredNode? = nil
    ) -> EngineEffects {
        self.take(self.tree.keepSynced(isKept, query, at: path, stored: stored))
        return self.finishStep()
    }

    /// A push. Transactions that were run on something else are run again.
    package mutating func receive(_ change: TreeChange, tag: Int? = nil, milliseconds: Int64) -> EngineEffects {
        self.take(self.tree.receive(change, tag: tag))
        for placement in change.placements { self.rerun(at: placement.location.path, milliseconds) }
        self.sendReady(milliseconds)
        return self.finishStep()
    }

    package mutating func receive(
        _ merges: [RangeMerge],
        at path: TreePath,
        tag: Int? = nil,
        milliseconds: Int64
    ) -> EngineEffects {
        self.take(self.tree.receive(merges, at: path, tag: tag))
        self.rerun(at: path, milliseconds)
        self.sendReady(milliseconds)
        return self.finishStep()
    }

    package mutating func completeListen(_ target: TreeTarget) -> EngineEffects {
        self.take(self.tree.completeListen(target))
        return self.finishStep()
    }

    package mutating func completeClose(_ target: TreeTarget) { self.tree.completeClose(target) }

    package mutating func refuse(_ target: TreeTarget, status: String) -> EngineEffects {
        self.take(self.tree.refuse(target, status: status))
        return self.finishStep()
    }

    /// Sends what an earlier process had queued, in order. Before anybody listens.
    package mutating func restore(_ writes: [PendingWrite]) -> EngineEffects {
        for write in writes {
            self.tree.restore(write)
            self.effects.writes.append(.write(write))
        }
        return self.finishStep()
    }

    /// A set or an update. Transactions at its places, above and below are over.
    package mutating func write(_ write: TreeWrite, milliseconds: Int64) -> (id: Int, effects: EngineEffects) {
        // The server will not hear of what it ends.
        let ended = self.outputs(endedBy: write)
        let (pending, effects) = self.tree.write(write, without: ended, milliseconds: milliseconds)
        self.take(effects)
        self.effects.writes.append(.write(pending))
        self.tree.notes?.changes.append(.queued(pending))
        for path in pending.places { self.rerun(at: self.overwrite(at: path), milliseconds) }
        self.sendReady(milliseconds)
        return (pending.id, self.finishStep())
    }

    package mutating func answerWrite(_ id: Int, isDone: Bool) -> EngineEffects {
        self.tree.notes?.changes.append(.unqueued(id))
        self.take(isDone ? self.tree.acknowledge(id) : self.tree.revert(id))
        return self.finishStep()
    }

    /// A connection begins, which is asked for `tree.openListens` and knows nothing of those that were closed before.
    package mutating func connect() { self.tree.disconnect() }

    /// The connection has ended. What the server writes then is shown; transactions that were sent have failed. For the
    /// next connection: `tree.openListens`, and `unansweredWrites`.
    /// - Parameter unsentPuts: still waited to be sent: they are as good as before.
    package mutating func disconnect(milliseconds: Int64, unsentPuts: Set<Int> = []) -> EngineEffects {
        self.tree.disconnect()
        for put in self.puts.keys.sorted() where !unsentPuts.contains(put) {
            self.end(put, status: TransactionEnd.disconnected, milliseconds)
        }
        for write in self.onDisconnect.writes {
            // The server adds to what it has. Transactions that wait are ended by this, and what is queued comes after it.
            let change = self.tree.estimate(write, before: 0, milliseconds: milliseconds)
            self.take(self.tree.receive(change))
            for placement in change.placements {
                self.rerun(at: self.overwrite(at: placement.location.path), milliseconds)
            }
        }
        self.onDisconnect = DisconnectQueue()
        self.sendReady(milliseconds)
        return self.finishStep()
    }

    /// Plain writes that the server has not answered, in order. Transactions send themselves.
    package var unansweredWrites: [PendingWrite] {
        var own: Set<Int> = []
        self.transactions.forEach { own.formUnion($1.map(\.output.id)) }
        return self.tree.pendingWrites.filter { !own.contains($0.id) }
    }
}
