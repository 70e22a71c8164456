import BrasaLog
import BrasaPlatform
import BrasaSimulation
import Testing

/// Random records, steps, checkpoints, faults and crashes on a disk that loses and tears whatever was not synced.
/// Whatever happens, recovery finds a beginning of what was appended, and in it everything that was acknowledged.
@Suite struct CrashTests {
    /// One simulated life of a data folder, through several crashes.
    struct Life {
        let seed: UInt64
        let durability: Durability
        var random: SeededRandom
        let disk: SimulatedDisk
        /// Everything that may be in the log, oldest first, with records of lost futures removed.
        var appended: [TestRecord] = []
        var acknowledged = 0

        init(seed: UInt64, durability: Durability) {
            self.seed = seed
            self.durability = durability
            self.random = SeededRandom(seed: seed)
            self.disk = SimulatedDisk(seed: seed &+ 1)
        }

        mutating func run() throws {
            for _ in 0..<4 {
                let journal = Journal()
                self.disk.faults = SimulatedFaults(shortReads: 20)
                let (log, recovered) = try openLog(
                    self.disk,
                    testDirectory,
                    .small(self.durability),
                    journal: journal,
                    seed: self.seed
                )
                self.check(recovered)
                if self.random.chance(1, in: 2) {
                    self.disk.faults = SimulatedFaults(
                        failedWrites: 5,
                        failedSyncs: 20,
                        slowSyncs: 100,
                        shortReads: 20
                    )
                }
                try self.live(log, journal)
                self.end(log, journal)
            }
        }

        /// Chunks hold the records that the checkpoint covers, so that it can be compared like the rest.
        private mutating func check(_ recovered: Recovered) {
            let covered = recovered.chunks.reduce(0) { $0 + Int($1.count) }
            #expect(covered <= self.appended.count, "seed \(self.seed)")
            let all = self.appended.prefix(covered) + recovered.records
            #expect(Array(all) == Array(self.appended.prefix(all.count)), "seed \(self.seed)")
            #expect(all.count >= self.acknowledged, "seed \(self.seed)")
            self.appended = Array(all)
            self.acknowledged = all.count
        }

        private mutating func live(_ log: WriteAheadLog, _ journal: Journal) throws {
            let mailbox = ImmediateMailbox()
            for _ in 0..<Int.random(in: 0...60, using: &self.random) {
                switch Int.random(in: 0..<10, using: &self.random) {
                case 0..<5:
                    let record = randomRecords(1, after: max(0, log.lastTime), &self.random)[0]
                    do {
                        try log.append(
                            time: record.time,
                            record: record.payload,
                            waiter: journal.waiter(record.time, on: mailbox)
                        )
                    } catch {
                        #expect(error.code == .failed)
                        return
                    }
                    self.appended.append(record)
                case 5..<8: _ = log.step()
                case 8: _ = log.prepareStep()
                default: self.checkpoint(log)
                }
            }
        }

        private mutating func checkpoint(_ log: WriteAheadLog) {
            let time = log.durableTime
            let count = self.appended.prefix { $0.time <= time }.count
            guard count > 0 else { return }
            do {
                let writer = try log.beginCheckpoint(time: time)
                for piece in [count / 2, count - count / 2] { try writer.append([UInt8](repeating: 1, count: piece)) }
                _ = log.step()
                if self.random.chance(1, in: 5) { writer.abandon() } else { try writer.commit() }
            } catch {
                // The disk refused; the log itself runs on.
            }
        }

        private mutating func end(_ log: WriteAheadLog, _ journal: Journal) {
            switch Int.random(in: 0..<4, using: &self.random) {
            case 0:
                self.disk.faults = SimulatedFaults()
                log.stop()
            case 1: self.disk.killProcess()
            default:
                // The mode `os` promises nothing across a power cut but order.
                self.noteAcknowledged(journal)
                if self.durability == .os { self.acknowledged = 0 }
                self.disk.crash()
                return
            }
            self.noteAcknowledged(journal)
        }

        private mutating func noteAcknowledged(_ journal: Journal) {
            if let last = journal.acknowledged.last {
                self.acknowledged = self.appended.prefix { $0.time <= last }.count
            }
        }
    }

    @Test(arguments: [Durability.fsync, .os])
    func noAcknowledgedRecordIsEverLost(_ durability: Durability) throws {
        for seed in 0..<300 as Range<UInt64> {
            var life = Life(seed: seed, durability: durability)
            do {
                try life.run()
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
    }
}
