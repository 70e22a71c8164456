import Synchronization
import Testing

@testable import BrasaServer

@Suite struct PeriodicThreadTests {
    @Test func `Work is done again and again until the thread is stopped, and not after`() async {
        let count = Atomic<Int>(0)
        let (ticks, tick) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
        let shared = Shared(count: count, tick: tick)
        let thread = PeriodicThread(name: "test", interval: .milliseconds(1)) { shared.work() }
        thread.start()
        for await number in ticks where number >= 3 { break }
        thread.stop()
        let after = shared.count.load(ordering: .acquiring)
        #expect(after >= 3)
        #expect(shared.count.load(ordering: .acquiring) == after)
    }

    @Test func `Stopping waits for the call in progress and does not wait for the interval`() {
        let thread = PeriodicThread(name: "test", interval: .seconds(3_600)) {}
        thread.start()
        thread.stop()
    }

    private final class Shared: Sendable {
        let count: Atomic<Int>
        let tick: AsyncStream<Int>.Continuation

        init(count: consuming Atomic<Int>, tick: AsyncStream<Int>.Continuation) {
            self.count = count
            self.tick = tick
        }

        func work() {
            self.tick.yield(self.count.add(1, ordering: .acquiringAndReleasing).newValue)
        }
    }
}
