import Synchronization

/// How many connections there are, and were.
final class ConnectionCount: Sendable {
    private let opened = Atomic<Int>(0)
    private let closed = Atomic<Int>(0)

    func connectionOpened() { self.opened.add(1, ordering: .relaxed) }
    func connectionClosed() { self.closed.add(1, ordering: .relaxed) }

    var accepted: Int { self.opened.load(ordering: .relaxed) }
    var open: Int { max(0, self.opened.load(ordering: .relaxed) - self.closed.load(ordering: .relaxed)) }
}
