import BrasaPlatform
import BrasaSimulation
import Testing

@Suite struct SimulatedDiskTests {
    private func write(_ bytes: [UInt8], _ file: any DiskFile, at offset: Int = 0) throws {
        try bytes.withUnsafeBytes { try file.write($0, at: offset) }
    }

    /// A file with stable ones, and twos written over them without a sync.
    private func unsynced(_ seed: UInt64) throws -> SimulatedDisk {
        let disk = SimulatedDisk(seed: seed)
        let file = try disk.open("/file", .create)
        try self.write([UInt8](repeating: 1, count: 8_192), file)
        try file.syncData()
        try disk.syncDirectory("/")
        try self.write([UInt8](repeating: 2, count: 4_096), file, at: 2_048)
        return disk
    }

    @Test func syncedBytesUnderSyncedNamesSurviveACrash() throws {
        for seed in 0..<50 as Range<UInt64> {
            let disk = try self.unsynced(seed)
            disk.crash()
            let bytes = try #require(disk.bytes("/file"))
            #expect(bytes[..<2_048].allSatisfy { $0 == 1 } && bytes[6_144...].allSatisfy { $0 == 1 })
        }
    }

    @Test func unsyncedSectorsSurviveOrNotOrAreTorn() throws {
        var kinds: Set<String> = []
        for seed in 0..<200 as Range<UInt64> {
            let disk = try self.unsynced(seed)
            disk.crash()
            let bytes = try #require(disk.bytes("/file"))
            for sector in 4..<12 {
                let values = Set(bytes[sector * 512..<sector * 512 + 512])
                kinds.insert(values == [1] ? "lost" : values == [2] ? "kept" : values == [1, 2] ? "torn" : "garbage")
            }
        }
        #expect(kinds == ["lost", "kept", "torn", "garbage"])
    }

    @Test func aKilledProcessLosesOnlyItsHandles() throws {
        let disk = SimulatedDisk(seed: 1)
        let file = try disk.open("/file", .create)
        let lock = try disk.lock("/LOCK")
        try self.write([1, 2, 3], file)
        disk.killProcess()
        #expect(disk.bytes("/file") == [1, 2, 3])
        #expect(throws: DiskError.self) { try file.syncData() }
        let next = try disk.lock("/LOCK")
        // The dead process's lock has no power over the new one.
        lock.release()
        #expect(throws: DiskLockError.self) { _ = try disk.lock("/LOCK") }
        next.release()
    }

    @Test func namesSurviveInTheOrderOfTheirChanges() throws {
        var outcomes: Set<[String]> = []
        for seed in 0..<60 as Range<UInt64> {
            let disk = SimulatedDisk(seed: seed)
            _ = try disk.open("/a", .create)
            try disk.syncDirectory("/")
            _ = try disk.open("/b", .create)
            try disk.rename("/b", to: "/c")
            try disk.remove("/a")
            disk.crash()
            outcomes.insert(disk.paths)
        }
        #expect(outcomes == [["/a"], ["/a", "/b"], ["/a", "/c"], ["/c"]])
    }

    @Test func whatAFailedSyncLeftIsReadableUntilTheCrash() throws {
        let disk = SimulatedDisk(seed: 5, faults: SimulatedFaults())
        let file = try disk.open("/file", .create)
        try disk.syncDirectory("/")
        try self.write([UInt8](repeating: 3, count: 1_024), file)
        disk.faults = SimulatedFaults(failedSyncs: 1_000)
        #expect(throws: DiskError.self) { try file.syncData() }
        disk.faults = SimulatedFaults()
        try file.syncData()
        #expect(disk.bytes("/file") == [UInt8](repeating: 3, count: 1_024))
        disk.crash()
        #expect(disk.bytes("/file") != [UInt8](repeating: 3, count: 1_024))
    }

    @Test func aFullDiskRefusesToGrow() throws {
        let disk = SimulatedDisk(seed: 1, faults: SimulatedFaults(capacityBytes: 1_000))
        let file = try disk.open("/file", .create)
        try file.allocate(1_000)
        try self.write([1], file, at: 999)
        let error = #expect(throws: DiskError.self) { try self.write([1], file, at: 1_000) }
        #expect(error?.isFull == true)
    }

    @Test func shortReadsAreCompletedByReadFully() throws {
        let disk = SimulatedDisk(seed: 1, faults: SimulatedFaults(shortReads: 900))
        let file = try disk.open("/file", .create)
        let bytes = (0..<3_000).map { UInt8(truncatingIfNeeded: $0) }
        try self.write(bytes, file)
        var read = [UInt8](repeating: 0, count: 4_000)
        #expect(try read.withUnsafeMutableBytes { try file.readFully(into: $0, at: 0) } == 3_000)
        #expect(Array(read.prefix(3_000)) == bytes)
    }

    @Test func theSameSeedGivesTheSameCrash() throws {
        let outcomes = try (0..<2).map { _ in
            let disk = try self.unsynced(77)
            disk.crash()
            return disk.bytes("/file")
        }
        #expect(outcomes[0] == outcomes[1])
    }

    @Test func syncsTakeSimulatedTime() throws {
        let clock = SimulatedClock()
        let disk = SimulatedDisk(seed: 1, faults: SimulatedFaults(slowSyncs: 500), clock: clock)
        let file = try disk.open("/file", .create)
        let before = clock.clock.monotonic()
        for _ in 0..<20 { try file.syncData() }
        #expect(clock.clock.monotonic() - before > .seconds(1))
    }
}
