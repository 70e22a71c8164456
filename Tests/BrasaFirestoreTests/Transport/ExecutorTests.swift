import BrasaClientNetwork
import BrasaDocuments
import NIOCore
import Synchronization
import Testing

@testable import BrasaFirestore
@testable import BrasaSync

@Suite struct ExecutorTests {
    @Test func `Work runs in order and never inside the call that hands it over`() async throws {
        let executor = SyncExecutor(EventLoopThread())
        let order = Mutex<[Int]>([])
        try await executor.eventLoop.submit {
            executor.enqueue { order.withLock { $0.append(2) } }
            executor.enqueue {
                order.withLock { $0.append(3) }
                executor.enqueue { order.withLock { $0.append(4) } }
            }
            order.withLock { $0.append(1) }
        }.get()
        for _ in 0..<2 { try await executor.eventLoop.submit {}.get() }
        #expect(order.withLock { $0 } == [1, 2, 3, 4])
    }

    @Test func `Timers fire in order of their time, and cancelled ones never`() async throws {
        let executor = SyncExecutor(EventLoopThread())
        let (fired, fire) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .unbounded)
        try await executor.eventLoop.submit {
            _ = executor.schedule(.onlineState, after: .milliseconds(20)) {
                fire.yield(2)
                fire.finish()
            }
            _ = executor.schedule(.watchStreamIdle, after: .milliseconds(10)) { fire.yield(1) }
            let cancelled = executor.schedule(.garbageCollection, after: .milliseconds(5)) { fire.yield(0) }
            executor.cancel(cancelled)
            executor.cancel(cancelled)
        }.get()
        #expect(await fired.reduce(into: []) { $0.append($1) } == [1, 2])
    }

    @Test func `Its clocks go forward`() async throws {
        let executor = SyncExecutor(EventLoopThread())
        let (now, later) = try await executor.eventLoop.submit { (executor.uptime, executor.uptime) }.get()
        #expect(now <= later && now > .zero)
        // After this was written.
        #expect(executor.now > BrasaDocuments.Timestamp(microseconds: 1_700_000_000_000_000))
        #expect((0..<1).contains(executor.random()))
    }

    @Test func `An executor with a thread of its own ends with the last who holds it`() async throws {
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        final class Watched: Sendable {
            let end: AsyncStream<Void>.Continuation
            init(_ end: AsyncStream<Void>.Continuation) { self.end = end }
            deinit { self.end.finish() }
        }
        weak var weakly: SyncExecutor?
        do {
            let executor = SyncExecutor(EventLoopThread())
            weakly = executor
            let watched = Watched(end)
            // Work that was handed over is done, though nobody but it holds the executor.
            executor.submit { _ = (executor, watched) }
        }
        for await _ in ended {}
        while weakly != nil { await Task.yield() }
    }
}
