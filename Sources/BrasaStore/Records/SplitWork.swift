import BrasaPlatform
import Synchronization

/// Work of a start that several threads share.
enum SplitWork {
    static let threads = 4

    /// What `body` makes of each number below `count`, in their order, on this thread and others.
    static func map<Output: Sendable>(
        _ count: Int,
        name: String,
        _ body: @escaping @Sendable (Int) -> Output
    ) -> [Output] {
        let split = Split(count, body)
        let workers = (1..<max(1, min(count, self.threads))).map { Worker(name: "\(name)-\($0)") }
        for worker in workers { worker.start { split.step() } }
        while split.step() {}
        for worker in workers { worker.stop() }
        return split.outputs
    }

    private final class Split<Output: Sendable>: Sendable {
        private let made: Mutex<[Output?]>
        private let next = Mutex(0)
        private let count: Int
        private let body: @Sendable (Int) -> Output

        init(_ count: Int, _ body: @escaping @Sendable (Int) -> Output) {
            self.made = Mutex(Array(repeating: nil, count: count))
            self.count = count
            self.body = body
        }

        /// Whether there was something left to do.
        func step() -> Bool {
            let index = self.next.withLock { next in
                defer { next += 1 }
                return next
            }
            guard index < self.count else { return false }
            let output = self.body(index)
            self.made.withLock { $0[index] = output }
            return true
        }

        /// Once nothing is left, and all threads have ended.
        var outputs: [Output] { self.made.withLock { $0 }.compactMap { $0 } }
    }
}
