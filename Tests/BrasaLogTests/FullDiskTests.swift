import BrasaLog
import BrasaPlatform
import BrasaSimulation
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A full disk is survived: what does not fit is refused and surely not written, and the log goes on when there is room.
@Suite struct FullDiskTests {
    let disk = SimulatedDisk(seed: 21)
    let journal = Journal()
    let mailbox = ImmediateMailbox()
    private static let payload = [UInt8](repeating: 1, count: 900)

    private func append(_ times: some Sequence<Int64>, to log: WriteAheadLog) throws(LogError) {
        for time in times {
            try log.append(time: time, record: Self.payload, waiter: self.journal.waiter(time, on: self.mailbox))
        }
    }

    /// Appends and writes one record after the other until one is refused; gives its time.
    private func fill(_ log: WriteAheadLog, from first: Int64) -> (refused: Int64, error: LogError)? {
        for time in first..<first + 200 {
            do throws(LogError) {
                try self.append([time], to: log)
            } catch {
                return (time, error)
            }
            _ = log.step()
            _ = log.prepareStep()
        }
        return nil
    }

    private func fillDisk(leaving bytes: Int = 0) {
        self.disk.faults.capacityBytes = self.disk.usedBytes + bytes
    }

    @Test func whatDoesNotFitAnyMoreIsRefusedAndTheLogGoesOnWhenThereIsRoom() throws {
        let (log, _) = try openLog(self.disk, journal: self.journal)
        self.fillDisk()
        let (refused, error) = try #require(self.fill(log, from: 1))
        // The segment that there was is used to its end.
        #expect(error.code == .diskFull && refused > 4)
        #expect(self.journal.acknowledged == Array(1..<refused) && self.journal.refused.isEmpty)
        #expect(self.journal.isDiskFull == [true] && self.journal.failures.isEmpty && log.isDiskFull)
        log.barrier(self.journal.waiter(-1, on: self.mailbox))
        #expect(self.journal.acknowledged.last == -1)

        self.disk.faults.capacityBytes = nil
        #expect(throws: LogError.self) { try self.append([refused], to: log) }
        _ = log.prepareStep()
        try self.append(refused...refused + 50, to: log)
        log.stepAll()
        #expect(self.journal.isDiskFull == [true, false] && !log.isDiskFull)
        log.stop()
        let (_, recovered) = try openLog(self.disk)
        #expect(recovered.records.map(\.time) == Array(1...refused + 50))
    }

    @Test func whatWasTakenBeforeAnybodyKnewWaitsForRoom() throws {
        let (log, _) = try openLog(self.disk, journal: self.journal)
        self.fillDisk()
        try self.append(1...60, to: log)
        log.stepAll()
        let written = self.journal.acknowledged
        #expect(written.count > 4 && written.count < 60 && self.journal.refused.isEmpty && log.isDiskFull)
        // Behind what waits nothing is taken, however small.
        let error = #expect(throws: LogError.self) { try log.append(time: 61, record: [], waiter: nil) }
        #expect(error?.code == .diskFull && !log.step() && self.journal.acknowledged == written)

        self.disk.faults.capacityBytes = nil
        _ = log.prepareStep()
        log.stepAll()
        try self.append([61], to: log)
        log.stepAll()
        #expect(self.journal.acknowledged == Array(1...61) && self.journal.failures.isEmpty)
        #expect(self.journal.isDiskFull == [true, false])
    }

    /// Each attempt may write as much as a segment.
    @Test func whoeverAsksForWhatWaitsCausesNoFurtherAttempt() throws {
        let (log, _) = try openLog(self.disk, journal: self.journal)
        self.fillDisk()
        try self.append(1...60, to: log)
        log.stepAll()
        let written = self.journal.acknowledged
        let attempts = self.disk.writeCount
        for number in 1...50 as ClosedRange<Int64> {
            log.barrier(self.journal.waiter(-number, on: self.mailbox))
            #expect(!log.step())
        }
        #expect(self.disk.writeCount == attempts && self.journal.acknowledged == written)
        // This does, every second.
        _ = log.prepareStep()
        #expect(!log.step() && self.disk.writeCount == attempts + 1)

        self.disk.faults.capacityBytes = nil
        _ = log.prepareStep()
        log.stepAll()
        #expect(self.journal.acknowledged == Array(1...60) + (1...50).map { -$0 })
    }

    @Test func whatWaitsIsTriedOnceMoreWhenTheLogIsClosed() throws {
        let (log, _) = try openLog(self.disk, journal: self.journal)
        self.fillDisk()
        try self.append(1...60, to: log)
        log.stepAll()
        self.disk.faults.capacityBytes = nil
        log.stop()
        #expect(self.journal.acknowledged == Array(1...60) && self.journal.failures.isEmpty)
    }

    @Test func whoWaitsForRoomHearsWhenTheLogIsClosed() throws {
        let (log, _) = try openLog(self.disk, journal: self.journal)
        self.fillDisk()
        try self.append(1...60, to: log)
        log.stop()
        let written = self.journal.acknowledged
        // They were surely not done, and that the log was closed is no failure.
        #expect(written.count < 60 && self.journal.failures.isEmpty)
        #expect(self.journal.refused == Array(repeating: .closed, count: 60 - written.count))
        self.disk.faults.capacityBytes = nil
        let (_, recovered) = try openLog(self.disk)
        #expect(recovered.records.map(\.time) == written)
    }

    /// Systems that copy on write need space for every write. What is there of the group must not be found by a restart,
    /// even when it is all of it.
    @Test(arguments: [Durability.fsync, .os], 0..<40 as Range<UInt64>)
    func whatAFullDiskTookOfAGroupIsTakenAway(_ durability: Durability, seed: UInt64) throws {
        let disk = SimulatedDisk(seed: seed)
        let (log, _) = try openLog(disk, testDirectory, .small(durability), journal: self.journal)
        try self.append(1...3, to: log)
        log.stepAll()
        disk.faults = SimulatedFaults(cutWrites: 1_000)
        try self.append(4...6, to: log)
        #expect(!log.step() && log.isDiskFull && self.journal.failures.isEmpty)
        #expect(self.journal.acknowledged == [1, 2, 3] && self.journal.refused.isEmpty)
        if seed % 2 == 0 {
            disk.faults = SimulatedFaults()
            _ = log.prepareStep()
            log.stepAll()
            #expect(self.journal.acknowledged == [1, 2, 3, 4, 5, 6])
        }
        disk.faults = SimulatedFaults()
        if durability == .fsync { disk.crash() } else { disk.killProcess() }
        let (_, recovered) = try openLog(disk)
        #expect(recovered.records.map(\.time) == self.journal.acknowledged)
    }

    @Test func theDiskCountsAsFullUntilWhatWaitsIsWritten() throws {
        let (log, _) = try openLog(self.disk, journal: self.journal)
        self.disk.faults = SimulatedFaults(cutWrites: 1_000)
        try self.append([1], to: log)
        for _ in 0..<5 {
            #expect(!log.step())
            // Allocating is possible all the time.
            _ = log.prepareStep()
            let error = #expect(throws: LogError.self) { try log.append(time: 2, record: [], waiter: nil) }
            #expect(error?.code == .diskFull && self.journal.isDiskFull == [true])
        }
        self.disk.faults = SimulatedFaults()
        _ = log.prepareStep()
        #expect(log.step() && self.journal.isDiskFull == [true, false] && self.journal.acknowledged == [1])
        try self.append([2], to: log)
        #expect(log.step() && self.journal.acknowledged == [1, 2])
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func aDiskThatIsFullAgainAndAgainLeavesNoTrailOfSegments(seed: UInt64) throws {
        let disk = SimulatedDisk(seed: seed)
        let (log, _) = try openLog(disk, journal: self.journal)
        let segments = { disk.paths.filter { $0.contains("segment-") && $0.hasSuffix(".log") }.count }
        for time in 1...20 as ClosedRange<Int64> {
            disk.faults = SimulatedFaults(cutWrites: 700)
            try self.append([time], to: log)
            while !log.step() { _ = log.prepareStep() }
            // All but the last have a group.
            #expect(segments() <= time + 1)
        }
        disk.faults = SimulatedFaults()
        let checkpoint = try log.beginCheckpoint(time: 20)
        try checkpoint.append([1])
        try checkpoint.commit()
        #expect(segments() == 1)
        log.stop()
        let (_, recovered) = try openLog(disk)
        #expect(recovered.chunks == [[1]] && recovered.records.allSatisfy { $0.time == 20 })
    }

    @Test func aFullDiskNeedsNoEndMark() throws {
        let (log, _) = try openLog(self.disk, journal: self.journal)
        // The end mark is the write after the group's.
        for time in 1...20 as ClosedRange<Int64> {
            self.disk.faults = SimulatedFaults(cutWrites: time % 2 == 0 ? 500 : 0)
            try self.append([time], to: log)
            while !self.journal.acknowledged.contains(time) { _ = log.step() || log.prepareStep() }
        }
        #expect(self.journal.failures.isEmpty)
        self.disk.faults = SimulatedFaults()
        self.disk.crash()
        let (_, recovered) = try openLog(self.disk)
        #expect(recovered.records.map(\.time) == Array(1...20))
    }

    @Test func aSyncThatFailsForLackOfSpaceIsAFailureOfTheLog() throws {
        let (log, _) = try openLog(self.disk, journal: self.journal)
        self.disk.faults = SimulatedFaults(failedSyncs: 1_000)
        self.disk.faults.failedSyncNumber = ENOSPC
        try self.append([1], to: log)
        #expect(!log.step() && self.journal.failures == [.disk] && self.journal.refused == [.failed])
    }

    @Test func whatCouldNotBePreparedIsNotLeftBehind() throws {
        let (log, _) = try openLog(self.disk, journal: self.journal)
        self.fillDisk(leaving: 30 << 10)
        _ = self.fill(log, from: 1)
        #expect(log.isDiskFull && !self.disk.paths.contains { $0.hasSuffix(".tmp") })
    }

    @Test func aPreparedSegmentThatCouldNotGrowIsAsItWas() throws {
        var configuration = LogConfiguration.small()
        configuration.recordBytesMax = 32 << 20
        configuration.queuedBytesMax = 64 << 20
        let (log, _) = try openLog(self.disk, testDirectory, configuration, journal: self.journal)
        log.prepareNextSegment()
        let usedBytes = self.disk.usedBytes
        // Room for the first half of the record.
        self.fillDisk(leaving: 10 << 20)
        let record = [UInt8](repeating: 1, count: 20 << 20)
        try log.append(time: 1, record: record, waiter: self.journal.waiter(1, on: self.mailbox))
        #expect(!log.step() && log.isDiskFull && self.disk.usedBytes == usedBytes)
        self.disk.faults.capacityBytes = nil
        _ = log.prepareStep()
        #expect(log.step() && self.journal.acknowledged == [1])
    }

    @Test func aCheckpointThatFindsNoRoomIsGivenUpAndTheLogGoesOn() throws {
        let (log, _) = try openLog(self.disk, journal: self.journal)
        try self.append(1...3, to: log)
        log.stepAll()
        let checkpoint = try log.beginCheckpoint(time: 3)
        try checkpoint.append([1])
        self.fillDisk()
        let error = #expect(throws: LogError.self) { try checkpoint.commit() }
        #expect(error?.code == .diskFull)
        checkpoint.abandon()
        #expect(!self.disk.paths.contains { $0.hasSuffix(".tmp") })
        try self.append([4], to: log)
        log.stepAll()
        #expect(self.journal.acknowledged == [1, 2, 3, 4])
        self.disk.faults.capacityBytes = nil
        let second = try log.beginCheckpoint(time: 4)
        try second.append([2])
        try second.commit()
        log.stop()
        let (_, recovered) = try openLog(self.disk)
        #expect(recovered.chunks == [[2]])
    }
}
