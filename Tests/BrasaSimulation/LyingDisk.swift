import BrasaPlatform
import Synchronization

/// A disk of whose syncs every sixth says that it is done and has done nothing. Who builds on it loses what was
/// acknowledged last when a crash comes before the next honest one.
final class LyingDisk: ForwardingDisk {
    let base: any Disk
    private let syncs = SyncCounter()

    init(_ base: any Disk) {
        self.base = base
    }

    func open(_ path: String, _ mode: DiskOpenMode) throws(DiskError) -> any DiskFile {
        LyingFile(try self.base.open(path, mode), self.syncs)
    }
}

private final class LyingFile: ForwardingFile {
    let base: any DiskFile
    private let syncs: SyncCounter

    init(_ base: any DiskFile, _ syncs: SyncCounter) {
        self.base = base
        self.syncs = syncs
    }

    func syncData() throws(DiskError) {
        if self.syncs.next() % 6 != 0 { try self.base.syncData() }
    }
}

private final class SyncCounter: Sendable {
    private let count = Atomic(0)

    func next() -> Int { self.count.wrappingAdd(1, ordering: .relaxed).newValue }
}
