import BrasaIdentity
package import BrasaTree
import Synchronization

/// What one reader of an event stream is told. Nothing waits for a slow one: it is asked for the next event when the reader
/// has taken those before, and looks then at what has happened since. When that is not known any more it goes on with the
/// newest version, so that it loses steps and never the end.
package final class TreeEventStream: Sendable {
    private struct State {
        /// Everything up to there is told or in `pending`.
        var position: TreeEventPosition
        /// Of one step, the next one last.
        var pending: [TreeToldEvent]
        /// There was an event larger than one may be: nothing more is told.
        var hasOutgrown = false
    }

    private static let stepsAtOnce = 64

    package let form: TreeEmitter.Form
    private let reading: TreeReading
    private let followers: TreeFollowers
    private let course: TreeEventCourse
    private let admission: Admission?
    private let state: Mutex<State>
    private let followerID = Mutex<UInt64?>(nil)

    init(
        _ reading: TreeReading,
        _ form: TreeEmitter.Form,
        _ followers: TreeFollowers,
        admission: Admission?
    ) {
        self.form = form
        self.reading = reading
        self.followers = followers
        self.admission = admission
        self.course = followers.join(TreeEventSubject(tree: reading.tree, target: reading.target, form: form))
        let (position, opening) = self.course.begin(followers)
        self.state = Mutex(State(position: position, pending: [opening]))
    }

    deinit {
        self.followers.leave(self.course)
    }

    /// `wake` is called when there may be something to tell.
    package func start(_ wake: @escaping @Sendable () -> Void) {
        let (reading, course) = (self.reading, self.course)
        let follower = TreeFollowers.Follower(tree: reading.tree, wake: wake) {
            let work = reading.judge()
            if course.hasEnded || !reading.isAllowed { wake() }
            return work
        }
        let id = self.followers.add(follower)
        self.followerID.withLock { $0 = id }
        // What became durable before it followed.
        wake()
    }

    package func stop() {
        guard let id = self.followerID.withLock({ $0.take() }) else { return }
        self.followers.remove(id)
    }

    /// Nil when there is nothing to tell now. A bounded number of steps is looked at; nil with `hasMore` asks for another
    /// turn.
    package func next() -> (event: TreeToldEvent?, hasMore: Bool) {
        self.state.withLock { state in
            if state.hasOutgrown { return (nil, false) }
            if !state.pending.isEmpty { return (self.pop(&state), state.hasOutgrown) }
            for _ in 0..<Self.stepsAtOnce {
                var hasMore = true
                switch self.course.next(after: state.position, self.followers) {
                case .step(let step):
                    state.position = step.to
                    state.pending = step.events.reversed()
                    if state.pending.isEmpty { continue }
                case .nothing(let time, let isMore):
                    state.position.time = time
                    hasMore = isMore
                case .missed: hasMore = self.catchUp(&state)
                }
                return (self.pop(&state), hasMore || state.hasOutgrown)
            }
            return (nil, true)
        }
    }

    private func pop(_ state: inout State) -> TreeToldEvent? {
        guard let event = state.pending.popLast() else { return nil }
        guard event.event.estimate <= self.followers.eventBytesMax else {
            state.hasOutgrown = true
            return nil
        }
        return event
    }

    var subject: TreeEventSubject { self.course.subject }

    /// What equal streams were told longer ago it works out for itself.
    private func catchUp(_ state: inout State) -> Bool {
        let (events, hasMore) = state.position.look(self.course.subject, self.followers)
        state.pending = events.reversed().map { TreeToldEvent($0, self.form, nil) }
        return hasMore
    }

    /// The event that ends it; nil while its reader may read on. To be asked before each event.
    package var ending: TreeEvent? {
        guard self.admission?.stands ?? true else { return .authRevoked }
        guard self.reading.isAllowed else { return .cancel(.denied) }
        return self.course.hasEnded || self.state.withLock { $0.hasOutgrown } ? .cancel(.tooLarge) : nil
    }
}
