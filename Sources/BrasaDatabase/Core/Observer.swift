internal import BrasaApp
internal import BrasaTree
internal import BrasaTreeSync
internal import Dispatch
internal import Synchronization

/// One observer of a query, from any thread.
final class Observer: Sendable {
    typealias Tell = (DataSnapshot, String?) -> Void
    typealias Cancel = (any Error) -> Void

    /// Where it is told.
    enum Delivery {
        case onQueue
        /// On the event loop: for what does no more than put by what it is told.
        case atOnce
    }

    let handle: DatabaseHandle
    let query: DatabaseQuery
    let kind: DataEventType
    /// It is told of one event only.
    let isSingle: Bool
    private let delivery: Delivery
    private let tell: Handed<Tell>
    private let cancel: Handed<Cancel?>
    /// By its user: nothing is told from then on.
    private let isRemoved = Atomic(false)
    /// Values that the queue has not come to.
    private let values = Mutex(PendingValues())

    private static let lastHandle = Atomic<DatabaseHandle>(0)

    init(
        of query: DatabaseQuery,
        _ kind: DataEventType,
        isSingle: Bool,
        delivery: Delivery,
        _ tell: @escaping Tell,
        cancel: Cancel?
    ) {
        self.handle = Self.lastHandle.add(1, ordering: .relaxed).newValue
        (self.query, self.kind, self.isSingle, self.delivery) = (query, kind, isSingle, delivery)
        (self.tell, self.cancel) = (Handed(tell), Handed(cancel))
    }

    func remove() {
        self.isRemoved.store(true, ordering: .relaxed)
        self.values.withLock { $0 = PendingValues() }
    }

    /// What an event is for it; nil when it does not want it.
    func snapshot(of event: TreeSyncEvent) -> (snapshot: DataSnapshot, previous: String?)? {
        switch event.kind {
        case .value(let node):
            guard self.kind == .value else { return nil }
            return (DataSnapshot(self.query.ref, node, event.query.order), nil)
        case .child(let child):
            guard self.kind == DataEventType(child.kind) else { return nil }
            let snapshot = DataSnapshot(self.query.ref.child(child.key), child.node)
            return (snapshot, child.previous?.description)
        case .refused: return nil
        }
    }

    /// - Parameter number: ascending over all that is delivered on the queue, to whomever.
    func deliver(_ snapshot: DataSnapshot, _ previous: String?, on queue: DispatchQueue, number: Int) {
        guard self.kind == .value, case .onQueue = self.delivery else {
            return self.deliver(on: queue) { $0.tell.value(snapshot, previous) }
        }
        guard self.values.withLock({ $0.append(snapshot, number) }) else { return }
        self.deliver(on: queue) { observer in
            let snapshot = observer.values.withLock { $0.take(number) }
            if let snapshot { observer.tell.value(snapshot, nil) }
        }
    }

    /// - Parameter isAskedFor: the program ended it with its app, which nobody has to be told who does not ask.
    func deliver(_ fault: DatabaseFault, on queue: DispatchQueue, isAskedFor: Bool = false) {
        self.deliver(on: queue) { observer in
            if let cancel = observer.cancel.value {
                cancel(fault.nsError)
            } else if !isAskedFor {
                Database.log.notice("a listener at /\(observer.query.place.text) has ended: \(fault.message)")
            }
        }
    }

    private func deliver(on queue: DispatchQueue, _ tell: @escaping @Sendable (Observer) -> Void) {
        let deliver = { @Sendable in
            if !self.isRemoved.load(ordering: .relaxed) { tell(self) }
        }
        switch self.delivery {
        case .onQueue: queue.async(execute: deliver)
        case .atOnce: deliver()
        }
    }
}

/// Values that wait to be told. Where there are many, the newest takes the place of the one before it, so that a handler that is
/// slower than the changes is never far behind. Each is told where its own turn is, after the child events that made it.
private struct PendingValues {
    private struct Value {
        /// The delivery at which it is told.
        var turn: Int
        /// The delivery that it is.
        let number: Int
        let snapshot: DataSnapshot
    }

    private var values = PendingEvents<Value>(countMax: 8)

    /// Whether it needs a turn; else it has that of the one before, since nothing else was delivered in between.
    mutating func append(_ snapshot: DataSnapshot, _ number: Int) -> Bool {
        var needsTurn = true
        _ = self.values.append(Value(turn: number, number: number, snapshot: snapshot)) { last, new in
            guard last.number + 1 == number else { return new }
            needsTurn = false
            var merged = new
            merged.turn = last.turn
            return merged
        }
        return needsTurn
    }

    /// Nil where a newer one has come in its place. Those of turns before it go: on a queue that is not serial they may come
    /// later, and would tell what is not so any more.
    mutating func take(_ turn: Int) -> DataSnapshot? {
        while let first = self.values.first, first.turn < turn { _ = self.values.next() }
        return self.values.first?.turn == turn ? self.values.next()?.snapshot : nil
    }
}

extension DataEventType {
    fileprivate init(_ kind: ChildEvent.Kind) {
        switch kind {
        case .added: self = .childAdded
        case .removed: self = .childRemoved
        case .moved: self = .childMoved
        case .changed: self = .childChanged
        }
    }
}
