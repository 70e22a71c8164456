import BrasaLog
import BrasaPlatform
import BrasaSimulation
import Testing

@Suite struct WriteAheadLogTests {
    let disk = SimulatedDisk(seed: 1)
    let journal = Journal()
    let mailbox = ImmediateMailbox()

    @Test func anEmptyFolderGivesAnEmptyLog() throws {
        let (log, recovered) = try openLog(self.disk)
        #expect(recovered == Recovered())
        #expect(log.lastTime == .min)
        #expect(!log.step())
    }

    @Test func nothingIsAcknowledgedBeforeTheStep() throws {
        let (log, _) = try openLog(self.disk, journal: self.journal)
        try log.append(time: 5, record: [1, 2, 3], waiter: self.journal.waiter(5, on: self.mailbox))
        #expect(self.journal.acknowledged.isEmpty && self.journal.durableTime == .min)
        #expect(log.lastTime == 5 && log.durableTime == .min)
        #expect(log.step())
        #expect(self.journal.acknowledged == [5] && self.journal.durableTime == 5 && log.durableTime == 5)
    }

    @Test(arguments: [Durability.fsync, .os]) func recordsComeBackInOrder(_ durability: Durability) throws {
        var random = SeededRandom(seed: 3)
        var expected: [TestRecord] = []
        for _ in 0..<4 {
            let (log, recovered) = try openLog(self.disk, testDirectory, .small(durability), journal: self.journal)
            #expect(recovered.records == expected)
            let records = randomRecords(200, after: max(0, log.lastTime), &random)
            for record in records {
                try log.append(time: record.time, record: record.payload, waiter: nil)
                if random.chance(1, in: 3) { log.stepAll() }
            }
            log.stepAll()
            expected += records
            log.stop()
        }
        let (_, recovered) = try openLog(self.disk)
        #expect(recovered.records == expected)
    }

    @Test func restartsWithoutWritesLeaveNoFilesBehind() throws {
        for round in 0..<5 {
            let (log, recovered) = try openLog(self.disk)
            #expect(recovered.records.count == min(round, 1))
            if round == 0 {
                try log.append(time: 1, record: [9], waiter: nil)
                log.stepAll()
            }
            log.stop()
            #expect(self.disk.paths == ["/data/LOCK", "/data/segment-0000000000000001.log"])
        }
    }

    @Test func aBarrierWaitsForWhatWasAppendedBefore() throws {
        let (log, _) = try openLog(self.disk, journal: self.journal)
        log.barrier(self.journal.waiter(-1, on: self.mailbox))
        #expect(self.journal.acknowledged == [-1])
        try log.append(time: 1, record: [1], waiter: nil)
        log.barrier(self.journal.waiter(-2, on: self.mailbox))
        #expect(self.journal.acknowledged == [-1])
        log.stepAll()
        #expect(self.journal.acknowledged == [-1, -2])
    }

    @Test func completionsOfOneGroupReachEachMailboxInOnePost() throws {
        let counting = CountingMailbox()
        let (log, _) = try openLog(self.disk, journal: self.journal)
        for time in 1...20 {
            let mailbox: any Mailbox = time % 2 == 0 ? counting : self.mailbox
            try log.append(time: Int64(time), record: [0], waiter: self.journal.waiter(Int64(time), on: mailbox))
        }
        log.stepAll()
        #expect(counting.posts == 1)
        #expect(self.journal.acknowledged.sorted() == Array(1...20))
    }

    @Test func aFullQueueRefusesAndRecovers() throws {
        var configuration = LogConfiguration.small()
        configuration.queuedBytesMax = 10_000
        let (log, _) = try openLog(self.disk, testDirectory, configuration)
        var time: Int64 = 0
        let error = #expect(throws: LogError.self) {
            while true {
                time += 1
                try log.append(time: time, record: Array(repeating: 1, count: 900), waiter: nil)
            }
        }
        #expect(error?.code == .resourceExhausted)
        #expect(time > 5)
        log.stepAll()
        try log.append(time: time, record: [1], waiter: nil)
    }

    @Test func aRecordThatIsTooLargeIsRefused() throws {
        let (log, _) = try openLog(self.disk)
        let error = #expect(throws: LogError.self) {
            try log.append(time: 1, record: Array(repeating: 1, count: (64 << 10) + 1), waiter: nil)
        }
        #expect(error?.code == .recordTooLarge)
    }

    @Test func aRecordLargerThanASegmentGetsALargerSegment() throws {
        let (log, _) = try openLog(self.disk)
        let payload = Array(repeating: UInt8(7), count: 60 << 10)
        for time in 1...3 { try log.append(time: Int64(time), record: payload, waiter: nil) }
        log.stepAll()
        log.stop()
        let (_, recovered) = try openLog(self.disk)
        #expect(recovered.records == (1...3).map { TestRecord(time: $0, payload: payload) })
    }

    @Test func memoryModeAcknowledgesAtOnceAndTouchesNoFile() throws {
        let (log, _) = try openLog(self.disk, testDirectory, .small(.memory), journal: self.journal)
        try log.append(time: 5, record: [1], waiter: self.journal.waiter(5, on: self.mailbox))
        #expect(self.journal.acknowledged == [5] && self.journal.durableTime == 5)
        #expect(!log.step() && self.disk.paths.isEmpty)
        log.stop()
    }

    @Test func aStoppedLogHasWrittenEverythingAndRefusesMore() throws {
        let (log, _) = try openLog(self.disk, journal: self.journal)
        try log.append(time: 5, record: [1], waiter: self.journal.waiter(5, on: self.mailbox))
        log.stop()
        #expect(self.journal.acknowledged == [5])
        let error = #expect(throws: LogError.self) { try log.append(time: 6, record: [1], waiter: nil) }
        #expect(error?.code == .closed)
    }

    @Test func aSecondOpenOfTheFolderIsRefusedUntilTheFirstIsDone() throws {
        let (log, _) = try openLog(self.disk)
        let error = #expect(throws: LogError.self) { _ = try openLog(self.disk) }
        #expect(error?.code == .locked && error?.description.contains(testDirectory) == true)
        log.stop()
        _ = try openLog(self.disk)
    }

    @Test func aRejectionNamesTheFileAndStopsTheOpen() throws {
        let (log, _) = try openLog(self.disk)
        try log.append(time: 5, record: [1], waiter: nil)
        log.stop()
        let error = #expect(throws: LogError.self) {
            _ = try WriteAheadLog.open(
                disk: self.disk,
                directory: testDirectory,
                configuration: .small(),
                clock: .system,
                entropy: .seeded(1),
                observer: self.journal.observer
            ) { _ throws(LogRejection) in throw LogRejection("unknown kind of change") }
        }
        #expect(error?.code == .rejected && error?.offset == 4096)
        #expect(error?.description == "/data/segment-0000000000000001.log, offset 4096: unknown kind of change")
    }
}
