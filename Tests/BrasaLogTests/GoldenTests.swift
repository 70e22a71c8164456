import BrasaLog
import BrasaPlatform
import BrasaSimulation
import Testing

/// Folders that earlier builds wrote. A change that breaks one of these breaks somebody's data.
@Suite struct GoldenTests {
    static let folder = "\(#filePath)".split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/Golden/version-1"

    /// Sixty records, a checkpoint at time 40, and a torn write behind the end.
    static func record(_ time: Int64) -> TestRecord {
        TestRecord(
            time: time,
            payload: (0..<Int(time * 37 % 900)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(time)) }
        )
    }

    static let chunks: [[UInt8]] = [Array("first chunk".utf8), [], [UInt8](repeating: 0xc3, count: 1_000)]

    @Test func aFolderOfVersion1OpensAsItWasWritten() throws {
        let real = RealDisk()
        let disk = SimulatedDisk(seed: 1)
        try disk.createDirectory(testDirectory)
        for name in try real.list(Self.folder) {
            disk.place(try real.contents(Self.folder + "/" + name), at: testDirectory + "/" + name)
        }
        let report = try LogInspector.check(disk: disk, directory: testDirectory)
        #expect(report.isUsable && report.segments.last?.hasTornTail == true)
        let (log, recovered) = try openLog(disk)
        #expect(recovered.chunks == Self.chunks)
        #expect(recovered.records == (41...60).map { Self.record($0) })
        #expect(log.lastTime == 60)
    }
}
