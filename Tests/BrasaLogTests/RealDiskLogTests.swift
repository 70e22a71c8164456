import BrasaLog
import BrasaPlatform
import BrasaSimulation
import Synchronization
import Testing

/// The log on real files and real threads.
@Suite struct RealDiskLogTests {
    let folder: TemporaryFolder
    let journal = Journal()

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test(arguments: [Durability.fsync, .os])
    func manyThreadsAppendAndEverythingComesBack(_ durability: Durability) throws {
        let (log, _) = try openLog(RealDisk(), self.folder.path, .small(durability), journal: self.journal)
        log.start()
        let writerSection = Mutex<Int64>(0)
        let failures = Mutex(0)
        let writers = (0..<4).map { writer in
            let worker = Worker(name: "writer-\(writer)")
            let left = Mutex(200)
            worker.start {
                let isDone = left.withLock { left in
                    left -= 1
                    return left < 0
                }
                if isDone { return false }
                writerSection.withLock { time in
                    time += 1
                    do throws(LogError) {
                        try log.append(
                            time: time,
                            record: [UInt8](repeating: UInt8(writer), count: Int(time) % 200),
                            waiter: self.journal.waiter(time, on: ImmediateMailbox())
                        )
                    } catch {
                        failures.withLock { $0 += 1 }
                    }
                }
                return true
            }
            return worker
        }
        for writer in writers { writer.stop() }
        log.stop()
        #expect(failures.withLock { $0 } == 0)
        #expect(self.journal.acknowledged == Array(1...800) && self.journal.durableTime == 800)
        let (_, recovered) = try openLog(RealDisk(), self.folder.path)
        #expect(recovered.records.map(\.time) == Array(1...800))
        #expect(recovered.records.allSatisfy { $0.payload.count == Int($0.time) % 200 })
    }

    @Test func theRunningLogPreparesSegmentsAndChecksOut() throws {
        let (log, _) = try openLog(RealDisk(), self.folder.path, .small())
        log.start()
        for time in 1...200 as ClosedRange<Int64> {
            try log.append(time: time, record: [UInt8](repeating: 1, count: 2_000), waiter: nil)
        }
        let done = Worker(name: "waits")
        done.start { log.durableTime < 200 }
        done.stop()
        let writer = try log.beginCheckpoint(time: 150)
        try writer.append([1, 2, 3])
        try writer.commit()
        log.stop()
        let report = try LogInspector.check(disk: RealDisk(), directory: self.folder.path)
        #expect(report.isUsable && report.damage.isEmpty && report.leftovers.isEmpty && report.lastTime == 200)
        let (_, recovered) = try openLog(RealDisk(), self.folder.path)
        #expect(recovered.chunks == [[1, 2, 3]] && recovered.records.map(\.time) == Array(151...200))
    }

    @Test func theFolderIsLockedWhileTheLogIsOpen() throws {
        let (log, _) = try openLog(RealDisk(), self.folder.path)
        let error = #expect(throws: LogError.self) { _ = try openLog(RealDisk(), self.folder.path) }
        #expect(error?.code == .locked)
        #expect(
            error?.description.contains(self.folder.path) == true && error?.description.contains("process ") == true
        )
        log.stop()
        _ = try openLog(RealDisk(), self.folder.path)
    }

    @Test func aFolderThatCannotBeMadeIsOneClearError() throws {
        let file = self.folder.path + "/file"
        _ = try RealDisk().open(file, .create)
        let error = #expect(throws: LogError.self) { _ = try openLog(RealDisk(), file + "/data") }
        #expect(error?.code == .disk && error?.description.contains(file) == true)
    }

    /// Where the system allows it: as root, on Linux.
    @Test(.enabled(if: SmallFileSystem.isPossible))
    func aRealDiskThatIsFullRefusesUntilThereIsRoom() throws {
        let small = try SmallFileSystem(at: self.folder.path, bytes: 1 << 20)
        let (log, _) = try openLog(RealDisk(), small.path, .small(), journal: self.journal)
        // Somebody else takes the rest.
        let other = try RealDisk().open(small.path + "/other", .create)
        var taken = 0
        while (try? other.allocate(taken + 4096)) != nil { taken += 4096 }
        let refused = Mutex<(time: Int64, code: LogError.Code)?>(nil)
        let append = { @Sendable (time: Int64) throws(LogError) in
            try log.append(
                time: time,
                record: [UInt8](repeating: 1, count: 3_000),
                waiter: self.journal.waiter(time, on: ImmediateMailbox())
            )
        }
        log.start()
        let writer = Worker(name: "writes")
        let time = Mutex<Int64>(0)
        writer.start {
            time.withLock { time in
                let isWaiting = time > 0 && log.durableTime < time && !log.isDiskFull
                if isWaiting, self.journal.failures.isEmpty { return true }
                do throws(LogError) {
                    try append(time + 1)
                    time += 1
                    return true
                } catch {
                    refused.withLock { $0 = (time + 1, error.code) }
                    return false
                }
            }
        }
        writer.stop()
        let first = try #require(refused.withLock { $0 })
        #expect(first.code == .diskFull && self.journal.failures.isEmpty)
        other.close()
        try RealDisk().remove(small.path + "/other")
        let done = Worker(name: "waits")
        done.start {
            log.retryFullDisk()
            return log.isDiskFull && self.journal.failures.isEmpty
        }
        done.stop()
        for time in first.time..<first.time + 20 { try append(time) }
        log.stop()
        #expect(self.journal.acknowledged == Array(1..<first.time + 20) && self.journal.failures.isEmpty)
        let (_, recovered) = try openLog(RealDisk(), small.path)
        #expect(recovered.records.map(\.time) == Array(1..<first.time + 20))
    }
}
