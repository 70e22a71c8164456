import BrasaDocuments
import Synchronization

/// How far back reads of a database go, and what is kept for them. `oldest` rises before versions are dropped, and readers
/// compare their time with it after they have read: whoever passes has missed nothing.
final class ReadHistory: Sendable {
    private struct Pin {
        let time: Int64
        /// Holds against the bound on bytes as well: a checkpoint, which ends by itself and must come to an end.
        let isFirm: Bool
    }

    private struct State {
        var pins: [UInt64: Pin] = [:]
        var nextID: UInt64 = 0
    }

    let garbage = GarbageQueue()
    private let state = Mutex(State())
    private let oldestTime: Atomic<Int64>
    private let heldBytes = Atomic<Int>(0)
    private let total: HistoryTotal

    init(oldest: Int64, total: HistoryTotal) {
        self.total = total
        self.oldestTime = Atomic(oldest)
    }

    var oldest: Int64 { self.oldestTime.load(ordering: .acquiring) }
    /// About what superseded versions, deleted documents and the keys that indexes have of them take.
    var bytes: Int { self.heldBytes.load(ordering: .relaxed) }

    func add(bytes: Int) {
        self.heldBytes.wrappingAdd(bytes, ordering: .relaxed)
        self.total.add(bytes)
    }

    func check(_ time: Int64) throws(StoreError) {
        if time < self.oldest { throw StoreError(.readTimeTooOld) }
    }

    func pin(_ time: Int64, isFirm: Bool) throws(StoreError) -> SnapshotPin {
        let id: UInt64? = self.state.withLock { state in
            guard time >= self.oldest else { return nil }
            let id = state.nextID
            state.nextID += 1
            state.pins[id] = Pin(time: time, isFirm: isFirm)
            return id
        }
        guard let id else { throw StoreError(.readTimeTooOld) }
        return SnapshotPin(time: time, id: id, history: self)
    }

    func unpin(_ id: UInt64) {
        self.state.withLock { $0.pins[id] = nil }
    }

    var pinCount: Int { self.state.withLock { $0.pins.count } }

    /// Moves `oldest` up to `horizon` or to the earliest pin that holds against it. Returns where it stands now.
    func raise(to horizon: Int64, underPressure: Bool) -> Int64 {
        self.state.withLock { state in
            var horizon = horizon
            for pin in state.pins.values where pin.isFirm || !underPressure { horizon = min(horizon, pin.time) }
            let before = self.oldest
            guard horizon > before else { return before }
            self.oldestTime.store(horizon, ordering: .releasing)
            return horizon
        }
    }
}

/// What all databases' histories take.
final class HistoryTotal: Sendable {
    private let heldBytes = Atomic<Int>(0)

    var bytes: Int { self.heldBytes.load(ordering: .relaxed) }

    func add(_ bytes: Int) { self.heldBytes.wrappingAdd(bytes, ordering: .relaxed) }
}
