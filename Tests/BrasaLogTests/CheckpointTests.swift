import BrasaLog
import BrasaPlatform
import BrasaSimulation
import Testing

@Suite struct CheckpointTests {
    let disk = SimulatedDisk(seed: 31)

    private func fill(_ log: WriteAheadLog, _ times: ClosedRange<Int64>) throws {
        for time in times {
            try log.append(
                time: time,
                record: [UInt8](repeating: UInt8(truncatingIfNeeded: time), count: 700),
                waiter: nil
            )
            _ = log.step()
        }
    }

    private func checkpoint(_ log: WriteAheadLog, _ time: Int64, _ chunks: [[UInt8]]) throws {
        let writer = try log.beginCheckpoint(time: time)
        for chunk in chunks { try writer.append(chunk) }
        try writer.commit()
    }

    private func files(_ suffix: String) -> [String] { self.disk.paths.filter { $0.hasSuffix(suffix) } }

    @Test func aRestartReplaysTheCheckpointAndWhatCameAfter() throws {
        let (log, _) = try openLog(self.disk)
        try self.fill(log, 1...50)
        #expect(self.files(".log").count > 3)
        let chunks: [[UInt8]] = [[1, 2, 3], [], [UInt8](repeating: 9, count: 100_000)]
        try self.checkpoint(log, 45, chunks)
        #expect(self.files(".chk").count == 1)
        try self.fill(log, 51...55)
        log.stop()
        let (again, recovered) = try openLog(self.disk)
        #expect(recovered.chunks == chunks)
        #expect(recovered.records.map(\.time) == Array(46...55))
        #expect(again.lastTime == 55)
    }

    @Test func whatACheckpointCoversIsRemoved() throws {
        let (log, _) = try openLog(self.disk)
        try self.fill(log, 1...50)
        let before = self.files(".log")
        let bytes = log.bytesSinceCheckpoint
        #expect(bytes >= 50 * 4096)
        try self.checkpoint(log, 30, [[1]])
        let between = self.files(".log")
        #expect(between.count < before.count && between.last == before.last)
        try self.checkpoint(log, 50, [[2]])
        #expect(self.files(".log").count == 1)
        #expect(self.files(".chk").count == 1)
        #expect(log.bytesSinceCheckpoint == 0)
        log.stop()
        #expect(try openLog(self.disk).recovered == Recovered(chunks: [[2]]))
    }

    /// The log's own syncs wait behind a checkpoint's.
    @Test func aCheckpointIsSyncedInPieces() throws {
        let (log, _) = try openLog(self.disk)
        try self.fill(log, 1...3)
        let chunk = [UInt8](repeating: 7, count: 256 << 10)
        try self.checkpoint(log, 3, Array(repeating: chunk, count: 100))
        #expect(self.disk.syncedBytesMax > 4 << 20 && self.disk.syncedBytesMax < 10 << 20)
    }

    @Test func anAbandonedCheckpointLeavesNothing() throws {
        let (log, _) = try openLog(self.disk)
        try self.fill(log, 1...5)
        let before = self.disk.paths
        let writer = try log.beginCheckpoint(time: 5)
        try writer.append([1, 2, 3])
        #expect(self.disk.paths != before)
        writer.abandon()
        #expect(self.disk.paths == before)
    }

    @Test func anUnfinishedCheckpointIsRemovedAtTheNextStart() throws {
        let (log, _) = try openLog(self.disk)
        try self.fill(log, 1...5)
        let writer = try log.beginCheckpoint(time: 5)
        try writer.append([UInt8](repeating: 1, count: 2 << 20))
        self.disk.killProcess()
        let (_, recovered) = try openLog(self.disk)
        #expect(recovered.records.count == 5 && recovered.chunks.isEmpty)
        #expect(self.files(".tmp").isEmpty)
        _ = writer
    }

    @Test func aCheckpointMayBeAheadOfTheLogAfterAPowerCutInModeOS() throws {
        let (log, _) = try openLog(self.disk, testDirectory, .small(.os))
        try self.fill(log, 1...3)
        try self.checkpoint(log, 3, [[7]])
        self.disk.crash()
        let (again, recovered) = try openLog(self.disk)
        #expect(recovered.chunks == [[7]] && again.lastTime == 3)
        try self.fill(again, 4...6)
        again.stop()
        #expect(try openLog(self.disk).recovered.records.map(\.time) == [4, 5, 6])
    }

    @Test func aFlippedBitInTheOnlyCheckpointStopsTheOpen() throws {
        let (log, _) = try openLog(self.disk)
        try self.fill(log, 1...50)
        try self.checkpoint(log, 50, [[1, 2, 3, 4, 5, 6, 7, 8], [9]])
        try self.fill(log, 51...51)
        log.stop()
        let path = self.files(".chk")[0]
        let size = try #require(self.disk.bytes(path)).count
        for offset in 0..<size {
            self.disk.damage(path, at: offset)
            do throws(LogError) {
                // Only zero padding is not looked at.
                #expect(try openLog(self.disk).recovered.chunks == [[1, 2, 3, 4, 5, 6, 7, 8], [9]])
                #expect(offset >= 40 + 24 + 17 && offset < 40 + 24 + 24)
            } catch {
                #expect([.damaged, .unknownVersion].contains(error.code) && error.file == path)
                #expect((error.offset ?? .max) <= offset || offset < 16)
            }
            self.disk.damage(path, at: offset)
        }
    }

    @Test func anOlderCheckpointStandsInWhenTheLogReachesBackToIt() throws {
        let (log, _) = try openLog(self.disk)
        try self.fill(log, 1...3)
        try self.checkpoint(log, 2, [[2]])
        let older = try #require(self.disk.bytes(self.files(".chk")[0]))
        let olderPath = self.files(".chk")[0]
        try self.checkpoint(log, 3, [[3]])
        log.stop()
        self.disk.place(older, at: olderPath)
        let newer = self.files(".chk")[1]
        // In the chunk, and behind it, when it has been replayed.
        let size = try #require(self.disk.bytes(newer)).count
        for offset in [44, size - 8] {
            self.disk.damage(newer, at: offset)
            let (again, recovered) = try openLog(self.disk)
            #expect(recovered.chunks == [[2]] && recovered.records.map(\.time) == [3])
            again.stop()
            self.disk.damage(newer, at: offset)
            self.disk.place(older, at: olderPath)
        }
    }

    @Test func aDamagedCheckpointIsPassedOverWhenTheLogIsStillComplete() throws {
        let (log, _) = try openLog(self.disk)
        try self.fill(log, 1...3)
        try self.checkpoint(log, 3, [[3]])
        log.stop()
        self.disk.damage(self.files(".chk")[0], at: 44)
        let (_, recovered) = try openLog(self.disk)
        #expect(recovered.chunks.isEmpty && recovered.records.map(\.time) == [1, 2, 3])
    }

    @Test func memoryModeHasNoCheckpoints() throws {
        let (log, _) = try openLog(self.disk, testDirectory, .small(.memory))
        #expect(throws: LogError.self) { _ = try log.beginCheckpoint(time: 1) }
    }

    @Test func theInspectorSaysWhatThereIsAndChangesNothing() throws {
        let (log, _) = try openLog(self.disk)
        try self.fill(log, 1...50)
        try self.checkpoint(log, 45, [[1], [2]])
        try self.fill(log, 51...52)
        #expect(throws: LogError.self) { _ = try LogInspector.check(disk: self.disk, directory: testDirectory) }
        log.stop()
        let before = self.disk.paths.map { ($0, self.disk.bytes($0)) }
        var chunks = 0
        var records = 0
        let report = try LogInspector.check(disk: self.disk, directory: testDirectory) { entry in
            switch entry {
            case .checkpointChunk: chunks += 1
            case .checkpointVoid: chunks = 0
            case .record: records += 1
            }
        }
        #expect(report.isUsable && report.damage.isEmpty && report.leftovers.isEmpty)
        #expect(chunks == 2 && records == 7 && report.lastTime == 52)
        #expect(report.checkpoints.map(\.chunks) == [2] && report.checkpoints.map(\.time) == [45])
        #expect(report.records == report.segments.reduce(0) { $0 + $1.records })
        #expect(before.map(\.0) == self.disk.paths)
        #expect(before.allSatisfy { self.disk.bytes($0.0) == $0.1 })
        let segment = try #require(report.segments.first?.file)
        self.disk.damage(segment, at: 4096 + 50)
        let damaged = try LogInspector.check(disk: self.disk, directory: testDirectory)
        #expect(!damaged.isUsable && damaged.damage.map(\.file) == [segment])
        #expect(damaged.damage.first?.offset == 4096 + 32)
    }

    @Test func theInspectorReportsAMissingFolder() {
        let error = #expect(throws: LogError.self) {
            _ = try LogInspector.check(disk: self.disk, directory: "/nowhere")
        }
        #expect(error?.cause?.isMissing == true)
    }
}
