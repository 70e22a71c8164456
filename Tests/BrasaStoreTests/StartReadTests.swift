import BrasaLog
import BrasaPlatform
import BrasaSimulation
import Synchronization
import Testing

@testable import BrasaStore

/// How much of its files a start reads.
@Suite struct StartReadTests {
    @Test func aStartReadsACheckpointOnce() throws {
        let fixture = try StoreFixture()
        let database = fixture.store.database(try databaseName())
        let text = String(repeating: "x", count: 500)
        for start in stride(from: 0, to: 4_000, by: 500) {
            try fixture.commit(database, (start..<start + 500).map { ("a/\($0)", text) })
        }
        try fixture.store.checkpoint()
        fixture.store.stop()
        let name = try #require(try fixture.disk.list("data").first { $0.hasSuffix(".chk") })
        let size = try fixture.disk.open("data/\(name)", .readOnly).size()
        #expect(size > 4_000 * text.utf8.count)
        let disk = CountingDisk(fixture.disk)
        let store = try Store.open(
            configuration: fixture.configuration,
            disk: disk,
            directory: "data",
            clock: fixture.clock.clock,
            entropy: .seeded(2)
        )
        #expect(store.statistics.documents == 4_000)
        store.stop()
        let read = disk.bytesRead["data/\(name)"] ?? 0
        // Its header and the end are looked at to find out which one is the newest whole one.
        #expect(size...(size + 4_096) ~= read)
    }
}

/// Counts what is read of each file.
private final class CountingDisk: ForwardingDisk {
    let base: any Disk
    private let counts = Mutex<[String: Int]>([:])

    init(_ base: any Disk) { self.base = base }

    var bytesRead: [String: Int] { self.counts.withLock { $0 } }

    func open(_ path: String, _ mode: DiskOpenMode) throws(DiskError) -> any DiskFile {
        let file = try self.base.open(path, mode)
        return CountingFile(file) { count in self.counts.withLock { $0[path, default: 0] += count } }
    }
}

private final class CountingFile: ForwardingFile {
    let base: any DiskFile
    private let onRead: @Sendable (Int) -> Void

    init(_ base: any DiskFile, onRead: @escaping @Sendable (Int) -> Void) {
        self.base = base
        self.onRead = onRead
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskError) -> Int {
        let count = try self.base.read(into: buffer, at: offset)
        self.onRead(count)
        return count
    }
}
