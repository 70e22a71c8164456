import BrasaLog
import BrasaPlatform
import BrasaSimulation
import Testing

/// What a disk that refuses does to a running log.
@Suite struct FailureTests {
    let disk = SimulatedDisk(seed: 21)
    let journal = Journal()
    let mailbox = ImmediateMailbox()

    @Test(arguments: [SimulatedFaults(failedWrites: 1_000), SimulatedFaults(failedSyncs: 1_000)])
    func afterAFailedWriteOrSyncNothingIsAcknowledged(_ faults: SimulatedFaults) throws {
        let (log, _) = try openLog(self.disk, journal: self.journal)
        try log.append(time: 1, record: [1], waiter: self.journal.waiter(1, on: self.mailbox))
        log.stepAll()
        self.disk.faults = faults
        for time in 2...4 as ClosedRange<Int64> {
            try log.append(time: time, record: [1], waiter: self.journal.waiter(time, on: self.mailbox))
        }
        #expect(!log.step())
        // The disk is well again, the log is not trusted all the same.
        self.disk.faults = SimulatedFaults()
        #expect(self.journal.acknowledged == [1] && self.journal.durableTime == 1)
        #expect(self.journal.refused == [.failed, .failed, .failed] && self.journal.failures == [.disk])
        let error = #expect(throws: LogError.self) { try log.append(time: 9, record: [1], waiter: nil) }
        #expect(error?.code == .failed)
        log.barrier(self.journal.waiter(9, on: self.mailbox))
        #expect(self.journal.refused.count == 4 && !log.step())
        log.stop()
        #expect(self.journal.failures.count == 1)
    }

    @Test func aBarrierBehindWhatFailedHearsOfWhatItWaitsFor() throws {
        let (log, _) = try openLog(self.disk, journal: self.journal)
        // Each fills a group.
        let large = [UInt8](repeating: 1, count: 4 << 10)
        try log.append(time: 1, record: large, waiter: nil)
        try log.append(time: 2, record: large, waiter: nil)
        log.barrier(through: 1, self.journal.waiter(-1, on: self.mailbox))
        log.barrier(through: 2, self.journal.waiter(-2, on: self.mailbox))
        #expect(log.step() && self.journal.durableTime == 1)
        #expect(self.journal.acknowledged.isEmpty)
        self.disk.faults = SimulatedFaults(failedWrites: 1_000)
        #expect(!log.step())
        #expect(self.journal.acknowledged == [-1] && self.journal.refused == [.failed])
        log.barrier(through: 1, self.journal.waiter(-3, on: self.mailbox))
        log.barrier(through: 2, self.journal.waiter(-4, on: self.mailbox))
        #expect(self.journal.acknowledged == [-1, -3] && self.journal.refused == [.failed, .failed])
    }

    @Test func whatAFailedSyncLeftInTheCacheIsNotBelieved() throws {
        // The process is restarted after the failure, sees the record in the system's cache, and tells others about it.
        // Then power is lost: the record must still be there.
        for seed in 0..<50 as Range<UInt64> {
            let disk = SimulatedDisk(seed: seed)
            let (log, _) = try openLog(disk)
            try log.append(time: 1, record: [1], waiter: nil)
            log.stepAll()
            disk.faults = SimulatedFaults(failedSyncs: 1_000)
            try log.append(time: 2, record: [UInt8](repeating: 2, count: 3_000), waiter: nil)
            log.stepAll()
            disk.faults = SimulatedFaults()
            disk.killProcess()
            let (_, seen) = try openLog(disk)
            disk.crash()
            let (_, later) = try openLog(disk)
            #expect(later == seen, "seed \(seed)")
        }
    }

    @Test func aFullDiskAtTheStartIsOneClearError() throws {
        self.disk.faults = SimulatedFaults(capacityBytes: 10_000)
        let error = #expect(throws: LogError.self) { _ = try openLog(self.disk) }
        #expect(error?.code == .diskFull)
        // The attempt leaves neither a lock nor a file that the next one would stumble over.
        self.disk.faults = SimulatedFaults()
        _ = try openLog(self.disk)
    }

    @Test func anAttemptToStartOnAFullDiskHarmsNothing() throws {
        let (log, _) = try openLog(self.disk)
        for time in 1...3 as ClosedRange<Int64> {
            try log.append(time: time, record: [1], waiter: nil)
            log.stepAll()
        }
        log.stop()
        self.disk.faults = SimulatedFaults(capacityBytes: 1)
        #expect(throws: LogError.self) { _ = try openLog(self.disk) }
        self.disk.faults = SimulatedFaults()
        #expect(try openLog(self.disk).recovered.records.map(\.time) == [1, 2, 3])
    }

    @Test func theNextSegmentIsReadyBeforeItIsNeeded() throws {
        let (log, _) = try openLog(self.disk)
        #expect(!self.disk.paths.contains { $0.hasSuffix(".tmp") })
        for time in 1...3 as ClosedRange<Int64> {
            try log.append(time: time, record: [1], waiter: nil)
            log.stepAll()
            _ = log.prepareStep()
        }
        #expect(self.disk.paths.filter { $0.hasSuffix(".tmp") }.count == 1)
        log.stop()
        #expect(!self.disk.paths.contains { $0.hasSuffix(".tmp") })
    }
}
