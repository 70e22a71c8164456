import BrasaLog
import BrasaSimulation
import Testing

@testable import BrasaStore

/// Checkpoints and the log share the disk's space; the log comes first.
@Suite struct FullDiskTests {
    private let fixture: StoreFixture
    private let database: DatabaseHandle

    init() throws {
        self.fixture = try StoreFixture { $0.checkpointBytesMin = 4_000 }
        self.database = self.fixture.store.database(try databaseName())
    }

    private func commit(_ count: Int) throws {
        let text = String(repeating: "x", count: 3_000)
        for _ in 0..<count { try self.fixture.commit(self.database, [("a/1", text)]) }
    }

    private func fillDisk(leaving bytes: Int) {
        self.fixture.disk.faults.capacityBytes = self.fixture.disk.usedBytes + bytes
    }

    /// Calls as the server does, every second; the numbers of the calls at which the disk was found to be full.
    private func refusals(calls: Int) -> [Int] {
        (0..<calls).filter { _ in
            do {
                _ = try self.fixture.store.checkpointIfNeeded()
                return false
            } catch {
                return (error as? StoreError)?.code == .diskFull
            }
        }
    }

    @Test func aCheckpointThatTheDiskHasNoRoomForIsTriedAtGrowingIntervals() throws {
        try self.commit(6)
        self.fillDisk(leaving: 0)
        #expect(self.refusals(calls: 256) == [0, 2, 6, 14, 30, 62, 126, 190, 254])

        self.fixture.disk.faults.capacityBytes = nil
        #expect(self.refusals(calls: 64).isEmpty && !self.fixture.store.isCheckpointDue)
        // Then at once again.
        try self.commit(6)
        #expect(try self.fixture.store.checkpointIfNeeded())
        try self.commit(6)
        self.fillDisk(leaving: 0)
        #expect(self.refusals(calls: 6) == [0, 2])
    }

    @Test func aCheckpointLeavesTheLogRoomForItsNextSegment() throws {
        try self.commit(6)
        let segmentBytes = self.fixture.configuration.log.segmentBytes
        self.fillDisk(leaving: segmentBytes + 1_000)
        #expect(self.refusals(calls: 1) == [0])
        self.fillDisk(leaving: 0)
        // More than the current segment has room for.
        try self.commit(segmentBytes / 4_096)
    }
}
