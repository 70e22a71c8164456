import BrasaPlatform
import BrasaSimulation
import Synchronization
import Testing

@Suite struct SimulatedSchedulerTests {
    private func order(_ seed: UInt64) -> [Int] {
        let scheduler = SimulatedScheduler(seed: seed)
        let seen = Recorder()
        let mailboxes = (0..<3).map { _ in scheduler.mailbox() }
        for round in 0..<10 {
            for (index, mailbox) in mailboxes.enumerated() { mailbox.post { seen.add(index * 100 + round) } }
        }
        scheduler.runAll()
        return seen.values
    }

    @Test func eachMailboxKeepsItsOrder() {
        let order = self.order(1)
        for mailbox in 0..<3 { #expect(order.filter { $0 / 100 == mailbox } == (0..<10).map { mailbox * 100 + $0 }) }
    }

    @Test func theSeedDecidesTheOrderBetweenMailboxes() {
        #expect(self.order(1) == self.order(1))
        #expect(self.order(1) != self.order(2))
    }

    @Test func workMayPostWork() {
        let scheduler = SimulatedScheduler(seed: 1)
        let seen = Recorder()
        let mailbox = scheduler.mailbox()
        mailbox.post { mailbox.post { seen.add(1) } }
        scheduler.runAll()
        #expect(seen.values == [1] && !scheduler.runOne())
    }

    @Test func discardedWorkNeverRuns() {
        let scheduler = SimulatedScheduler(seed: 1)
        scheduler.mailbox().post { Issue.record("ran all the same") }
        scheduler.discardAll()
        #expect(!scheduler.runOne())
    }

    @Test func theWallClockStepsAndTheOtherDoesNot() {
        let simulated = SimulatedClock(wallMicroseconds: 1_000)
        let monotonic = simulated.clock.monotonic()
        simulated.step(microseconds: -500)
        #expect(simulated.clock.wall().microseconds == 500 && simulated.clock.monotonic() == monotonic)
        simulated.advance(microseconds: 10)
        #expect(
            simulated.clock.wall().microseconds == 510 && simulated.clock.monotonic() == monotonic + .microseconds(10)
        )
    }
}

final class Recorder: Sendable {
    private let list = Mutex<[Int]>([])
    var values: [Int] { self.list.withLock { $0 } }

    func add(_ value: Int) {
        self.list.withLock { $0.append(value) }
    }
}
