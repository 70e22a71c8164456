import BrasaDocuments
import Synchronization

/// The databases that have documents or that somebody holds. Any name is a database, so names that nothing was ever
/// written to must not gather: when their number passes a bound that grows with what is in use, the ones that nobody
/// holds are dropped. Past a fixed number, pruning looks at some each time, so that what was in use once does not stay.
final class DatabaseRegistry: Sendable {
    private struct State {
        var handles: [DatabaseName: DatabaseHandle] = [:]
        var sweepAt = DatabaseRegistry.sweepAtLeast
        /// Those that pruning is still to look at in this round.
        var unswept: [DatabaseName] = []
        /// For databases that come: what was before is not known, or not kept.
        var oldestReadTime = Int64.min
    }

    private static let sweepAtLeast = 1024
    /// Bounds what pruning looks at in one turn.
    private static let sweptPerTurn = 64

    private let state = Mutex(State())
    let historyTotal = HistoryTotal()
    private let shardCount: Int
    let hash: KeyedHash

    init(shardCount: Int, hash: KeyedHash) {
        self.shardCount = shardCount
        self.hash = hash
    }

    func handle(_ name: DatabaseName) -> DatabaseHandle {
        self.state.withLock { state in
            if let handle = state.handles[name] { return handle }
            if state.handles.count >= state.sweepAt { Self.sweep(&state) }
            let handle = DatabaseHandle(
                name: name,
                shardCount: self.shardCount,
                hash: self.hash,
                oldestReadTime: state.oldestReadTime,
                historyTotal: self.historyTotal
            )
            state.handles[name] = handle
            return handle
        }
    }

    var count: Int { self.state.withLock { $0.handles.count } }

    /// In the order of their names.
    var all: [DatabaseHandle] {
        let handles = self.state.withLock { Array($0.handles.values) }
        return handles.sorted { ByteOrder.compare($0.name.bytes, $1.name.bytes) == .ascending }
    }

    /// All there are; those that come later begin no earlier than `oldestReadTime`.
    func all(oldestReadTime: Int64) -> [DatabaseHandle] {
        self.state.withLock { state in
            state.oldestReadTime = max(state.oldestReadTime, oldestReadTime)
            Self.sweepSome(&state)
            return Array(state.handles.values)
        }
    }

    private static func sweep(_ state: inout State) {
        for name in Array(state.handles.keys) { self.dropIfUnused(name, &state) }
        self.noteSwept(&state)
    }

    private static func sweepSome(_ state: inout State) {
        guard state.handles.count > self.sweepAtLeast else { return state.unswept = [] }
        if state.unswept.isEmpty { state.unswept = Array(state.handles.keys) }
        let before = state.handles.count
        for _ in 0..<min(self.sweptPerTurn, state.unswept.count) {
            self.dropIfUnused(state.unswept.removeLast(), &state)
        }
        if state.handles.count < before { self.noteSwept(&state) }
    }

    private static func noteSwept(_ state: inout State) {
        state.handles.letRoomGo()
        state.sweepAt = max(self.sweepAtLeast, state.handles.count * 2)
    }

    /// New references come only from `handle` and `all`, under the lock, or from someone who holds one already; so what
    /// only the dictionary refers to stays unreferenced until the lock is released.
    private static func dropIfUnused(_ name: DatabaseName, _ state: inout State) {
        guard var handle = state.handles.removeValue(forKey: name) else { return }
        if !isKnownUniquelyReferenced(&handle) || !handle.isEmpty {
            state.handles[name] = handle
        } else {
            state.oldestReadTime = max(state.oldestReadTime, handle.history.oldest)
        }
    }
}
