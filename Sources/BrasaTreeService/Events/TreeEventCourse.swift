import BrasaDocuments
import BrasaStore
import BrasaTree
import Synchronization

/// What equal event streams of one loop are told, worked out once for all of them.
///
/// It is no queue: it goes on when one of its streams asks for more than is known, and keeps the latest few changes while the
/// store does, for the others. Who comes later than that works out by itself what it has missed, and shares again from
/// where it has caught up.
final class TreeEventCourse: Sendable {
    /// What there is to tell to who was told of `from` last, and where it stands then. No events: nothing that it sees.
    struct Step: Sendable {
        let from: TreeNode
        let to: TreeEventPosition
        let events: [TreeToldEvent]
    }

    enum Next {
        case step(Step)
        case nothing(through: Timestamp, hasMore: Bool)
        /// It is not known here any more.
        case missed
    }

    private struct State {
        var head: TreeEventPosition
        /// The latest up to the head, oldest first.
        var steps: [Step] = []
        /// All changes after this time and up to the head are in the steps.
        var start: Timestamp
        /// What a stream that begins at that version is told.
        var opening: (node: TreeNode, event: TreeToldEvent)?
    }

    static let stepsMax = 16

    let subject: TreeEventSubject
    private let state: Mutex<State>
    private let streams = Atomic<Int>(0)
    private let ended = Atomic<Bool>(false)

    init(_ subject: TreeEventSubject, _ followers: TreeFollowers) {
        self.subject = subject
        let head = TreeEventPosition(subject, followers)
        self.state = Mutex(State(head: head, start: head.time))
    }

    // MARK: Who follows it

    func join() {
        self.streams.add(1, ordering: .relaxed)
    }

    /// Whether that was the last.
    func leave() -> Bool { self.streams.subtract(1, ordering: .relaxed).newValue == 0 }

    private var isShared: Bool { self.streams.load(ordering: .relaxed) > 1 }

    func told(_ event: TreeEvent, _ followers: TreeFollowers) -> TreeToldEvent {
        TreeToldEvent(event, self.subject.form, self.isShared ? followers.textRoom : nil)
    }

    /// Whether its streams are to end, since what its windows are found by has grown too large.
    var hasEnded: Bool { self.ended.load(ordering: .relaxed) }

    func end() {
        self.ended.store(true, ordering: .relaxed)
    }

    // MARK: What it tells

    /// Where a stream begins, and its first event.
    func begin(_ followers: TreeFollowers) -> (position: TreeEventPosition, opening: TreeToldEvent) {
        self.state.withLock { state in
            let position = TreeEventPosition(self.subject, followers)
            if let opening = state.opening, opening.node.isSame(as: position.node) {
                return (position, opening.event)
            }
            let event = self.told(position.opening, followers)
            if self.isShared { state.opening = (position.node, event) }
            return (position, event)
        }
    }

    func next(after position: TreeEventPosition, _ followers: TreeFollowers) -> Next {
        self.state.withLock { state in
            guard position.time >= state.start else { return .missed }
            if let known = Self.step(after: position, in: state.steps) { return known }
            let before = state.head.node
            let (events, hasMore) = state.head.look(self.subject, followers)
            var made: [Step] = []
            if !events.isEmpty || !state.head.node.isSame(as: before) {
                let told = events.map { self.told($0, followers) }
                made = [Step(from: before, to: state.head, events: told)]
            }
            if self.isShared {
                state.steps += made
                Self.forget(&state, keeping: Self.stepsMax, followers.store)
            } else {
                state.steps = []
                state.start = state.head.time
            }
            return Self.step(after: position, in: made)
                ?? .nothing(through: max(position.time, state.head.time), hasMore: hasMore || !made.isEmpty)
        }
    }

    private static func step(after position: TreeEventPosition, in steps: [Step]) -> Next? {
        guard let step = steps.first(where: { $0.to.time > position.time }) else { return nil }
        return step.from.isSame(as: position.node) ? .step(step) : .missed
    }

    /// What the store has forgotten is not kept here either. To be called every second.
    func forget(_ store: Store) {
        self.state.withLock { state in
            Self.forget(&state, keeping: Self.stepsMax, store)
            if let opening = state.opening, !opening.node.isSame(as: state.head.node) { state.opening = nil }
        }
    }

    private static func forget(_ state: inout State, keeping count: Int, _ store: Store) {
        let oldest = store.oldestTreeStepsTime
        let known = state.steps.firstIndex { $0.to.time > oldest } ?? state.steps.count
        let gone = max(known, state.steps.count - count)
        guard gone > 0 else { return }
        state.start = state.steps[gone - 1].to.time
        state.steps.removeFirst(gone)
    }

    /// How many changes it keeps.
    var stepCount: Int { self.state.withLock { $0.steps.count } }
}
