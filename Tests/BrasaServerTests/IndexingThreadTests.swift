import Synchronization
import Testing

@testable import BrasaServer

@Suite struct IndexingThreadTests {
    /// Steps that are left, and who is told when there are none.
    private final class Work: Sendable {
        let left: Mutex<Int>
        let idle: AsyncStream<Int>.Continuation

        init(_ left: Int, idle: AsyncStream<Int>.Continuation) {
            self.left = Mutex(left)
            self.idle = idle
        }

        func step() -> Bool {
            let left = self.left.withLock { left in
                left = max(left - 1, 0)
                return left
            }
            if left == 0 { self.idle.yield(0) }
            return left > 0
        }
    }

    @Test func `It works until nothing is left, sleeps, and goes on when it is woken`() async {
        let (idles, idle) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        let work = Work(100, idle: idle)
        let signal = IndexingThread.Signal()
        // Nobody but the signal wakes it.
        let thread = IndexingThread(signal: signal, interval: .seconds(3_600)) { work.step() }
        thread.start()
        var iterator = idles.makeAsyncIterator()
        _ = await iterator.next()
        #expect(work.left.withLock { $0 } == 0)
        work.left.withLock { $0 = 50 }
        signal.wake()
        _ = await iterator.next()
        #expect(work.left.withLock { $0 } == 0)
        thread.stop()
    }

    @Test func `Stopping waits neither for the interval nor for what is left`() {
        let thread = IndexingThread(signal: IndexingThread.Signal(), interval: .seconds(3_600)) { true }
        thread.start()
        thread.stop()
        let idle = IndexingThread(signal: IndexingThread.Signal(), interval: .seconds(3_600)) { false }
        idle.start()
        idle.stop()
    }
}
