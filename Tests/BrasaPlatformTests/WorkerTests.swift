import BrasaPlatform
import Synchronization
import Testing

@Suite struct WorkerTests {
    private static let never: Duration = .seconds(365 * 86_400)

    /// How often each body ran, and whoever waits for it.
    private final class Runs: Sendable {
        private let count = Atomic<Int>(0)

        var current: Int { self.count.load(ordering: .acquiring) }

        func note() { self.count.add(1, ordering: .acquiringAndReleasing) }

        /// A run that does not come leaves this spinning for ever.
        func wait(for count: Int) { while self.current < count {} }
    }

    @Test(arguments: [nil, Self.never] as [Duration?])
    func everyWakeUpIsFollowedByARun(interval: Duration?) {
        let wanted = Atomic<Int>(0)
        let done = Atomic<Int>(0)
        let worker = Worker(name: "test", interval: interval)
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

    @Test func aWakeUpBeforeTheStartIsNotLost() {
        let runs = Runs()
        let worker = Worker(name: "test")
        worker.wake()
        worker.start {
            runs.note()
            return false
        }
        // One run of the start, one of the wake-up.
        runs.wait(for: 2)
        worker.stop()
    }

    @Test func afterTheIntervalItRunsThoughNobodyWakesIt() {
        let runs = Runs()
        let worker = Worker(name: "test", interval: .milliseconds(1), ending: .leaving)
        worker.start {
            runs.note()
            return false
        }
        runs.wait(for: 5)
        worker.stop()
        let count = runs.current
        #expect(count >= 5)
        #expect(runs.current == count)
    }

    @Test(arguments: [Worker.Ending.finishing, .leaving], [nil, Self.never] as [Duration?])
    func stoppingDoesNotWaitForTheInterval(ending: Worker.Ending, interval: Duration?) {
        let runs = Runs()
        let worker = Worker(name: "test", interval: interval, ending: ending)
        worker.start {
            runs.note()
            return false
        }
        runs.wait(for: 1)
        worker.stop()
    }

    #if os(Linux)
        @Test(arguments: [
            ("log", "log"), ("fifteen bytes--", "fifteen bytes--"), ("sixteen bytes---", "sixteen bytes--"),
        ])
        func theSystemKnowsTheThreadByTheFirstBytesOfItsName(_ name: String, _ expected: String) {
            let known = Mutex<String?>(nil)
            let runs = Runs()
            let worker = Worker(name: name)
            worker.start {
                var bytes = [UInt8](repeating: 0, count: 32)
                let file = try? RealDisk().open("/proc/thread-self/comm", .readOnly)
                let count = bytes.withUnsafeMutableBytes { (try? file?.read(into: $0, at: 0)) ?? 0 }
                known.withLock { $0 = String(decoding: bytes.prefix(count), as: UTF8.self) }
                runs.note()
                return false
            }
            runs.wait(for: 1)
            worker.stop()
            #expect(known.withLock { $0 } == expected + "\n")
        }
    #endif

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

    @Test func stoppingAWorkerThatLeavesWaitsForTheRunInProgressOnly() {
        let (begun, ended, released) = (Runs(), Runs(), Runs())
        let worker = Worker(name: "test", ending: .leaving)
        worker.start {
            begun.note()
            released.wait(for: 1)
            ended.note()
            // There is always more.
            return true
        }
        begun.wait(for: 1)
        let stopper = Worker(name: "stops")
        stopper.start {
            worker.stop()
            return false
        }
        released.note()
        stopper.stop()
        #expect(begun.current == ended.current)
    }

    @Test func stoppingWithoutStartingIsHarmless() {
        let worker = Worker(name: "idle")
        worker.wake()
        worker.stop()
        worker.stop()
    }
}
