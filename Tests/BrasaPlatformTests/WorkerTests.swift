import BrasaPlatform
import Synchronization
import Testing

@Suite struct WorkerTests {
    @Test func everyWakeUpIsFollowedByARun() {
        let wanted = Atomic<Int>(0)
        let done = Atomic<Int>(0)
        let worker = Worker(name: "test")
        worker.start {
            let seen = wanted.load(ordering: .acquiring)
            done.store(seen, ordering: .releasing)
            return false
        }
        for round in 1...2_000 {
            wanted.store(round, ordering: .releasing)
            worker.wake()
            // A lost wake-up would leave this spinning for ever.
            while done.load(ordering: .acquiring) != round {}
        }
        worker.stop()
    }

    @Test func stoppingLetsTheBodyFinishWhatItHas() {
        let left = Atomic<Int>(1_000)
        let worker = Worker(name: "a name longer than fifteen bytes")
        worker.start {
            if left.load(ordering: .relaxed) == 0 { return false }
            left.subtract(1, ordering: .relaxed)
            return true
        }
        worker.stop()
        #expect(left.load(ordering: .relaxed) == 0)
    }

    @Test func stoppingWithoutStartingIsHarmless() {
        let worker = Worker(name: "idle")
        worker.wake()
        worker.stop()
        worker.stop()
    }
}
