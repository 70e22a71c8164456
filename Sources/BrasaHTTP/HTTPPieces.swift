/// A body that is made piece by piece, as the client takes it: nothing waits but the piece at hand. Used on the request's
/// event loop only.
package final class HTTPPieces: Sendable {
    package enum Next: Sendable {
        case piece([UInt8])
        /// There is none yet; what was passed to `start` is called when there may be.
        case later
        case end
    }

    /// Goes on as long as the client likes, and may end between any two pieces; the end of others says that they are whole.
    let isEndless: Bool
    let next: @Sendable () -> Next
    /// Called once before the first `next`, with what may be called then, from any thread.
    let start: @Sendable (_ wake: @escaping @Sendable () -> Void) -> Void
    /// Called once, after the last `next`, however it ended, also where it never began.
    let stop: @Sendable () -> Void

    package init(
        isEndless: Bool = false,
        start: @escaping @Sendable (_ wake: @escaping @Sendable () -> Void) -> Void = { _ in },
        stop: @escaping @Sendable () -> Void = {},
        next: @escaping @Sendable () -> Next
    ) {
        self.isEndless = isEndless
        self.start = start
        self.stop = stop
        self.next = next
    }
}

extension HTTPPieces: Hashable {
    package static func == (first: HTTPPieces, second: HTTPPieces) -> Bool { first === second }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
