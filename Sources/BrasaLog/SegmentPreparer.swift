import BrasaPlatform
import Synchronization

/// Allocates the next segment before it is needed, so that a group never waits for it and a full disk is noticed early.
///
/// The lock is held while the disk works: a writer that needs the segment meanwhile waits for exactly that.
final class SegmentPreparer: Sendable {
    /// A file of zeros under a temporary name.
    struct Spare {
        let file: any DiskFile
        let path: String
        var bytes: Int

        func discard(from disk: any Disk) {
            self.file.close()
            // A leftover is removed at the next start.
            try? disk.remove(self.path)
        }
    }

    private struct State {
        var spare: Spare?
        var nextName: UInt64 = 0
    }

    /// Synced in pieces of this size, so that the log's own syncs never wait behind a long one.
    private static let pieceBytes = 8 << 20

    private let folder: LogFolder
    private let segmentBytes: Int
    private let state = Mutex(State())
    /// Readable while the lock is held for long; nobody decides anything but waking a thread by it.
    private let isReady = Atomic<Bool>(false)

    var hasSpare: Bool { self.isReady.load(ordering: .relaxed) }

    init(folder: LogFolder, segmentBytes: Int) {
        self.folder = folder
        self.segmentBytes = segmentBytes
    }

    /// Sees to it that there is a spare.
    func prepare() throws(LogError) {
        try self.state.withLock { state throws(LogError) in
            if state.spare != nil { return }
            state.spare = try self.allocate(self.segmentBytes, &state)
            self.isReady.store(true, ordering: .relaxed)
        }
    }

    /// Hands over a file of at least so many bytes.
    func take(bytes: Int) throws(LogError) -> Spare {
        try self.state.withLock { state throws(LogError) in
            guard var spare = state.spare else { return try self.allocate(bytes, &state) }
            if spare.bytes < bytes {
                do throws(LogError) {
                    try Self.grow(spare.file, from: spare.bytes, to: bytes)
                } catch {
                    self.giveBack(spare, &state)
                    throw error
                }
                spare.bytes = bytes
            }
            state.spare = nil
            self.isReady.store(false, ordering: .relaxed)
            return spare
        }
    }

    /// Leaves the spare as it was before it should have grown: the disk is full, and what was claimed without being written
    /// would pass for written at the next attempt.
    private func giveBack(_ spare: Spare, _ state: inout State) {
        do throws(DiskError) {
            try spare.file.truncate(to: spare.bytes)
        } catch {
            state.spare = nil
            self.isReady.store(false, ordering: .relaxed)
            spare.discard(from: self.folder.disk)
        }
    }

    private func allocate(_ bytes: Int, _ state: inout State) throws(LogError) -> Spare {
        let path = self.folder.temporaryPath("segment-\(state.nextName)")
        state.nextName += 1
        let file = try asLogError { () throws(DiskError) in try self.folder.disk.open(path, .create) }
        do throws(LogError) {
            try Self.grow(file, from: 0, to: bytes)
        } catch {
            // What was claimed of a full disk is given back; a leftover is removed at the next start.
            try? self.folder.disk.remove(path)
            throw error
        }
        return Spare(file: file, path: path, bytes: bytes)
    }

    private static func grow(_ file: any DiskFile, from start: Int, to bytes: Int) throws(LogError) {
        var size = start
        while size < bytes {
            size = min(bytes, size + Self.pieceBytes)
            try asLogError { () throws(DiskError) in
                try file.allocate(size)
                try file.syncData()
            }
        }
    }

    /// Removes a spare that will not be used.
    func discard() {
        self.state.withLock { state in
            guard let spare = state.spare else { return }
            state.spare = nil
            spare.discard(from: self.folder.disk)
        }
    }
}
