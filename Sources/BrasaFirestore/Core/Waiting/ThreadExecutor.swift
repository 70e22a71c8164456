internal import BrasaClientNetwork
internal import NIOCore

/// Runs tasks on a thread that nothing ever blocks.
final class ThreadExecutor: TaskExecutor {
    /// For reads that a thread waits for. The thread is there from the first one.
    static let reads = ThreadExecutor()

    private let thread = EventLoopThread()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.thread.eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
