import BrasaPlatform
import Synchronization

/// A thread that does what is posted to it, as an event loop does.
///
/// `@unchecked Sendable`: `taken` is used on the thread only.
final class Loop: Mailbox, @unchecked Sendable {
    private let queue = Mutex<[@Sendable () -> Void]>([])
    private let worker: Worker
    private var taken: [@Sendable () -> Void] = []
    private let posts = Atomic<Int>(0)

    init(number: Int) {
        self.worker = Worker(name: "loop-\(number)")
    }

    var postCount: Int { self.posts.load(ordering: .relaxed) }

    func start() { self.worker.start { self.turn() } }
    func stop() { self.worker.stop() }

    func post(_ work: @escaping @Sendable () -> Void) {
        self.posts.add(1, ordering: .relaxed)
        self.queue.withLock { $0.append(work) }
        self.worker.wake()
    }

    private func turn() -> Bool {
        self.queue.withLock { swap(&$0, &self.taken) }
        if self.taken.isEmpty { return false }
        for work in self.taken { work() }
        self.taken.removeAll(keepingCapacity: true)
        return true
    }
}

/// Does at once what is posted, so that a profile has a commit in one piece.
final class Inline: Mailbox {
    func post(_ work: @escaping @Sendable () -> Void) { work() }
}
