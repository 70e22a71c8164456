import BrasaLog
import BrasaPlatform
import BrasaSimulation
import Testing

/// Commits on a shared log, with checkpoints in a folder; the simulation has the rest.
@Suite struct SharedCommitLogTests {
    let disk = SimulatedDisk(seed: 41)
    let shared = SimulatedSharedLog(seed: 41)

    private func open(
        _ shared: SimulatedSharedLog? = nil,
        _ directory: String = testDirectory,
        journal: Journal = Journal()
    ) throws(LogError) -> (log: SharedCommitLog, recovered: Recovered) {
        let shared = shared ?? self.shared
        var recovered = Recovered()
        let log = try SharedCommitLog.open(
            shared,
            disk: self.disk,
            directory: directory,
            configuration: .small(),
            observer: journal.observer,
            mailbox: ImmediateMailbox(),
            awaitAnswer: { _ = shared.deliver() }
        ) { recovered.take($0) }
        return (log, recovered)
    }

    private func fill(_ log: SharedCommitLog, _ times: ClosedRange<Int64>, _ journal: Journal = Journal()) throws {
        for time in times {
            let waiter = journal.waiter(time, on: ImmediateMailbox())
            try log.append(time: time, record: [UInt8](repeating: UInt8(time), count: 700), waiter: waiter)
        }
        while log.step() { while self.shared.deliver() {} }
    }

    /// Returns its path.
    private func checkpoint(_ log: SharedCommitLog, _ time: Int64, _ chunks: [[UInt8]]) throws -> String {
        let writer = try log.beginCheckpoint(time: time)
        for chunk in chunks { try writer.append(chunk) }
        try writer.commit()
        return try #require(self.disk.paths.first { $0.hasSuffix(".chk") })
    }

    @Test func aRestartReplaysTheCheckpointAndWhatCameAfter() throws {
        let (log, _) = try self.open()
        try self.fill(log, 1...20)
        _ = try self.checkpoint(log, 15, [[1], [2, 3]])
        log.stop()
        let (again, recovered) = try self.open()
        #expect(recovered.chunks == [[1], [2, 3]] && recovered.records.map(\.time) == Array(16...20))
        #expect(again.lastTime == 20)
    }

    @Test func afterARestartOnlyWhatCameAfterTheCheckpointCountsTowardsTheNext() throws {
        let (log, _) = try self.open()
        try self.fill(log, 1...20)
        let frameBytes = log.bytesSinceCheckpoint / 20
        let path = try self.checkpoint(log, 20, [[1]])
        log.stop()
        let (again, _) = try self.open()
        #expect(again.bytesSinceCheckpoint == 0)
        try self.fill(again, 21...23)
        let since = again.bytesSinceCheckpoint
        again.stop()
        let (third, _) = try self.open()
        #expect(since >= 3 * 700 && since <= third.bytesSinceCheckpoint)
        #expect(third.bytesSinceCheckpoint < since + frameBytes)
        third.stop()
        // Without it all of the log is to be read again.
        try self.disk.remove(path)
        #expect(try self.open().log.bytesSinceCheckpoint > 23 * 700)
    }

    @Test func theFirstFramesOfALargeRecordCountWithItsLast() throws {
        let (log, _) = try self.open()
        try self.fill(log, 1...1)
        _ = try self.checkpoint(log, 1, [[1]])
        let bytes = 5 * self.shared.frameBytesMax
        try log.append(time: 2, record: [UInt8](repeating: 2, count: bytes), waiter: nil)
        while log.step() { while self.shared.deliver() {} }
        log.stop()
        #expect(try self.open().log.bytesSinceCheckpoint > bytes)
    }

    @Test(arguments: ["in its first chunk", "behind its chunks"])
    func theLogStandsInForACheckpointThatIsDamaged(_ place: String) throws {
        let (log, _) = try self.open()
        try self.fill(log, 1...3)
        let path = try self.checkpoint(log, 3, [[3], [4]])
        log.stop()
        let size = try #require(self.disk.bytes(path)).count
        self.disk.damage(path, at: place == "in its first chunk" ? 44 : size - 8)
        let (_, recovered) = try self.open()
        #expect(recovered.chunks.isEmpty && recovered.records.map(\.time) == [1, 2, 3])
    }

    @Test func aCheckpointOfAnotherLogIsRefused() throws {
        let (log, _) = try self.open()
        try self.fill(log, 1...3)
        _ = try self.checkpoint(log, 3, [[3]])
        log.stop()
        let error = #expect(throws: LogError.self) { try self.open(SimulatedSharedLog(seed: 42)) }
        #expect(error?.code == .damaged && error?.detail.contains("another log") == true)
    }

    @Test func whoIsNoLongerTheLeaderAcknowledgesNothing() throws {
        let journal = Journal()
        let (log, _) = try self.open(journal: journal)
        try self.fill(log, 1...3, journal)
        let (_, recovered) = try self.open(self.shared, "/other")
        #expect(recovered.records.map(\.time) == [1, 2, 3])
        try self.fill(log, 4...4, journal)
        #expect(journal.acknowledged == [1, 2, 3] && journal.failures == [.failed])
        #expect(throws: LogError.self) { try self.fill(log, 5...5, journal) }
    }
}
