import BrasaPlatform
import Synchronization

/// Threads that share the work of a start for as long as it goes on. One thread asks them, one job after the other, and
/// works as well.
final class Crew: Sendable {
    private let jobs: Jobs
    private let workers: [Worker]

    /// - Parameter threads: with the one that asks, which is there in any case.
    init(name: String, threads: Int) {
        let jobs = Jobs()
        self.jobs = jobs
        self.workers = (1..<max(threads, 1)).map { Worker(name: "\(name)-\($0)") }
        for worker in self.workers { worker.start { jobs.step() } }
    }

    deinit {
        for worker in self.workers { worker.stop() }
    }

    /// What `body` makes of each number below `count`, in their order.
    func map<Output: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) -> Output) -> [Output] {
        guard count > 1 else { return (0..<count).map(body) }
        let made = Made<Output>(count)
        self.run(count) { index in
            let output = body(index)
            made.outputs.withLock { $0[index] = output }
        }
        return made.outputs.withLock { $0 }.compactMap { $0 }
    }

    private final class Made<Output: Sendable>: Sendable {
        let outputs: Mutex<[Output?]>

        init(_ count: Int) { self.outputs = Mutex(Array(repeating: nil, count: count)) }
    }

    private func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        self.jobs.begin(count, body)
        for worker in self.workers.prefix(count - 1) { worker.wake() }
        while self.jobs.step() {}
        self.jobs.end()
    }

    private final class Jobs: Sendable {
        private struct Job {
            let count: Int
            let body: @Sendable (Int) -> Void
            var next = 0
            var done = 0
        }

        private let job = Mutex<Job?>(nil)
        private let finished = Bell()

        func begin(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
            self.job.withLock { $0 = Job(count: count, body: body) }
        }

        /// Whether there was something left to do.
        func step() -> Bool {
            guard let (body, index) = self.take() else { return false }
            body(index)
            let isLast = self.job.withLock { job in
                job?.done += 1
                return job.map { $0.done == $0.count } ?? false
            }
            if isLast { self.finished.ring() }
            return true
        }

        private func take() -> (body: @Sendable (Int) -> Void, index: Int)? {
            self.job.withLock { job in
                guard let taken = job, taken.next < taken.count else { return nil }
                job?.next += 1
                return (taken.body, taken.next)
            }
        }

        /// Waits for what others still do of it.
        func end() {
            self.finished.wait(atMost: nil) { self.job.withLock { job in job.map { $0.done < $0.count } ?? false } }
            self.job.withLock { $0 = nil }
        }
    }
}
