import BrasaLog
import BrasaPlatform
import BrasaSimulation
import Testing

/// Damage and torn writes at every place of a small log.
@Suite struct DamageTests {
    static let segment = "\(testDirectory)/segment-0000000000000001.log"

    /// Four groups of three records, and what the last write left: the bytes of the only segment, and where each group
    /// begins.
    struct SmallLog {
        var bytes: [UInt8]
        var records: [TestRecord] = []
        var groups: [Int] = []

        init(endMark: Bool) throws {
            let disk = SimulatedDisk(seed: 5)
            let (log, _) = try openLog(disk)
            for group in 0..<4 {
                for record in 0..<3 {
                    let time = Int64(group * 10 + record + 1)
                    let payload = [UInt8](repeating: UInt8(time), count: 5 + record * 40)
                    self.records.append(TestRecord(time: time, payload: payload))
                    try log.append(time: time, record: payload, waiter: nil)
                }
                self.groups.append(4096 * (group + 1))
                log.stepAll()
            }
            self.bytes = disk.bytes(DamageTests.segment) ?? []
            if !endMark {
                for offset in 4096 * 5..<4096 * 6 { self.bytes[offset] = 0 }
            }
        }
    }

    private func open(_ bytes: [UInt8]) -> Result<Recovered, LogError> {
        let disk = SimulatedDisk(seed: 1)
        disk.place(bytes, at: Self.segment)
        do throws(LogError) {
            let (log, recovered) = try openLog(disk)
            // What was cut stays cut: the next start finds the same.
            log.stop()
            let (_, again) = try openLog(disk)
            #expect(again == recovered)
            return .success(recovered)
        } catch {
            return .failure(error)
        }
    }

    @Test func aWriteTornAtAnyByteIsCutOff() throws {
        let whole = try SmallLog(endMark: false)
        let last = whole.groups[3]
        for cut in last..<last + 200 {
            var bytes = whole.bytes
            for offset in cut..<bytes.count { bytes[offset] = 0 }
            let recovered = try self.open(bytes).get()
            let isWhole = bytes == whole.bytes
            #expect(recovered.records == Array(whole.records.prefix(isWhole ? 12 : 9)), "cut at \(cut)")
        }
    }

    @Test func aFileThatEndsAtAnyByteOfItsTailIsCutOff() throws {
        let whole = try SmallLog(endMark: false)
        for count in stride(from: whole.groups[2], through: whole.groups[3] + 300, by: 7) {
            let recovered = try self.open(Array(whole.bytes.prefix(count))).get()
            #expect(recovered.records.count == (count < whole.groups[3] ? 6 : 9), "ends at \(count)")
            #expect(recovered.records == Array(whole.records.prefix(recovered.records.count)))
        }
    }

    @Test func garbageBehindTheEndIsCutOff() throws {
        var random = SeededRandom(seed: 8)
        var bytes = try SmallLog(endMark: false).bytes
        for offset in 4096 * 5..<bytes.count { bytes[offset] = UInt8.random(in: 0...255, using: &random) }
        #expect(try self.open(bytes).get().records.count == 12)
    }

    @Test func aFlippedBitBeforeTheLastGroupStopsTheOpen() throws {
        let whole = try SmallLog(endMark: false)
        let usedBytes = 32 + 3 * 16 + 8 + 48 + 88
        for group in whole.groups[..<3] {
            for offset in group..<group + usedBytes {
                var bytes = whole.bytes
                bytes[offset] ^= UInt8(1) << UInt8(offset % 8)
                self.expectRefusalOrSame(self.open(bytes), whole.records, in: group, flipped: offset)
            }
        }
    }

    @Test func withItsEndMarkTheLastGroupIsGuardedAsWell() throws {
        let whole = try SmallLog(endMark: true)
        let group = whole.groups[3]
        for offset in group..<group + 224 {
            var bytes = whole.bytes
            bytes[offset] ^= 0x10
            self.expectRefusalOrSame(self.open(bytes), whole.records, in: group, flipped: offset)
        }
    }

    /// Padding is the only place where a flipped bit may pass.
    private func expectRefusalOrSame(
        _ result: Result<Recovered, LogError>,
        _ records: [TestRecord],
        in group: Int,
        flipped offset: Int
    ) {
        switch result {
        case .success(let recovered): #expect(recovered.records == records, "flipped \(offset)")
        case .failure(let error):
            #expect(error.code == .damaged && error.file == Self.segment, "flipped \(offset): \(error)")
            let place = error.offset ?? 0
            #expect(place >= group && place <= offset, "flipped \(offset), reported \(place)")
        }
    }

    @Test func aFlippedBitInTheLastGroupWithoutEndMarkIsATornWrite() throws {
        var whole = try SmallLog(endMark: false)
        whole.bytes[whole.groups[3] + 60] ^= 1
        #expect(try self.open(whole.bytes).get().records == Array(whole.records.prefix(9)))
    }

    @Test func aFlippedBitInTheSegmentsHeaderStopsTheOpen() throws {
        let whole = try SmallLog(endMark: true)
        for offset in 0..<64 {
            var bytes = whole.bytes
            bytes[offset] ^= 2
            guard case .failure(let error) = self.open(bytes) else {
                Issue.record("a flip at \(offset) passed")
                return
            }
            #expect([.damaged, .unknownVersion].contains(error.code) && error.file == Self.segment)
        }
    }

    @Test func aWholeGroupThatVanishedStopsTheOpen() throws {
        var whole = try SmallLog(endMark: false)
        for offset in whole.groups[1]..<whole.groups[2] { whole.bytes[offset] = 0 }
        guard case .failure(let error) = self.open(whole.bytes) else {
            Issue.record("records are missing and nobody noticed")
            return
        }
        #expect(error.code == .damaged && error.offset == whole.groups[1])
    }

    @Test func hostileBytesNeverTrap() throws {
        let whole = try SmallLog(endMark: true)
        var random = SeededRandom(seed: 11)
        for _ in 0..<400 {
            var bytes = whole.bytes
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                bytes[Int.random(in: 0..<4096 * 6, using: &random)] =
                    [0, 1, 0x7f, 0xff].randomElement(using: &random) ?? 0
            }
            if random.chance(1, in: 4) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
            if case .success(let recovered) = self.open(bytes) {
                #expect(recovered.records == Array(whole.records.prefix(recovered.records.count)))
            }
        }
    }

    @Test func aMissingSegmentStopsTheOpen() throws {
        var random = SeededRandom(seed: 2)
        let records = randomRecords(400, &random)
        for missing in ["1", "2", "3"] {
            let disk = SimulatedDisk(seed: 4)
            let (log, _) = try openLog(disk)
            for record in records {
                try log.append(time: record.time, record: record.payload, waiter: nil)
                _ = log.step()
            }
            log.stop()
            #expect(disk.paths.count > 5)
            try disk.remove("\(testDirectory)/segment-000000000000000\(missing).log")
            let error = #expect(throws: LogError.self) { _ = try openLog(disk) }
            #expect(error?.code == .damaged && error?.file?.contains("segment-") == true)
        }
    }

    @Test func aSegmentOfAnotherLogStopsTheOpen() throws {
        var logs: [SimulatedDisk] = []
        for seed in [1, 2] as [UInt64] {
            let disk = SimulatedDisk(seed: seed)
            let (log, _) = try openLog(disk, seed: seed)
            for time in 1...40 {
                try log.append(time: Int64(time), record: [UInt8](repeating: 3, count: 500), waiter: nil)
                _ = log.step()
            }
            log.stop()
            logs.append(disk)
        }
        let second = "\(testDirectory)/segment-0000000000000002.log"
        logs[0].place(try #require(logs[1].bytes(second)), at: second)
        let error = #expect(throws: LogError.self) { _ = try openLog(logs[0]) }
        #expect(error?.code == .damaged && error?.file == second)
    }
}
