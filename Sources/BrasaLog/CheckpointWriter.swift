import BrasaPlatform
import Synchronization

/// Writes one checkpoint beside the running log. `commit` makes it the one that a restart begins with; a crash before
/// leaves only an unfinished file that the next start removes. Used by one thread at a time.
package final class CheckpointWriter: Sendable {
    private static let bufferBytes = 1 << 20
    /// Synced in pieces of about this size, so that the log's own syncs never wait behind a long one.
    private static let pieceBytes = 8 << 20

    private struct State {
        var file: (any DiskFile)?
        var offset = 0
        var syncedOffset = 0
        var buffer: [UInt8] = []
        var chunks: UInt64 = 0
        var payloadBytes: UInt64 = 0
    }

    package let time: Int64
    private let header: CheckpointHeader
    private let folder: LogFolder
    private let temporaryPath: String
    private let state: Mutex<State>
    private let committed: @Sendable () throws(LogError) -> Void

    /// `committed` runs once the checkpoint is stable.
    init(
        folder: LogFolder,
        header: CheckpointHeader,
        temporaryPath: String,
        committed: @escaping @Sendable () throws(LogError) -> Void
    ) throws(LogError) {
        let file = try asLogError { () throws(DiskError) in try folder.disk.open(temporaryPath, .create) }
        self.time = header.time
        self.header = header
        self.folder = folder
        self.temporaryPath = temporaryPath
        self.committed = committed
        self.state = Mutex(State(file: file, buffer: header.encoded()))
    }

    deinit {
        self.abandon()
    }

    /// Chunks are handed out at recovery as they were appended. At most 1 GiB each; about 1 MiB reads best.
    package func append(_ chunk: UnsafeRawBufferPointer) throws(LogError) {
        precondition(chunk.count <= 1 << 30, "a checkpoint chunk is too large")
        try self.state.withLock { state throws(LogError) in
            let frame = CheckpointFrame(
                kind: .chunk,
                index: UInt32(truncatingIfNeeded: state.chunks),
                payloadBytes: chunk.count
            )
            frame.append(chunk, to: &state.buffer, context: self.header.frameChecksum)
            state.chunks += 1
            state.payloadBytes += UInt64(chunk.count)
            if state.buffer.count >= Self.bufferBytes { try Self.flush(&state) }
        }
    }

    package func append(_ chunk: [UInt8]) throws(LogError) {
        do {
            try chunk.withUnsafeBytes { try self.append($0) }
        } catch let error as LogError {
            throw error
        } catch {
            throw LogError(.disk, detail: "\(error)")
        }
    }

    private static func flush(_ state: inout State) throws(LogError) {
        guard let file = state.file else { throw LogError(.closed, detail: "the checkpoint was abandoned") }
        do throws(DiskError) {
            try write(state.buffer, to: file, at: state.offset)
        } catch {
            throw LogError(error)
        }
        state.offset += state.buffer.count
        state.buffer.removeAll(keepingCapacity: true)
        guard state.offset - state.syncedOffset >= Self.pieceBytes else { return }
        try asLogError { () throws(DiskError) in try file.syncData() }
        state.syncedOffset = state.offset
    }

    /// Returns when the checkpoint is stable and what it covers has been removed.
    package func commit() throws(LogError) {
        try self.state.withLock { state throws(LogError) in
            var payload: [UInt8] = []
            withUnsafeBytes(of: state.chunks.littleEndian) { payload.append(contentsOf: $0) }
            withUnsafeBytes(of: state.payloadBytes.littleEndian) { payload.append(contentsOf: $0) }
            let frame = CheckpointFrame(
                kind: .footer,
                index: UInt32(truncatingIfNeeded: state.chunks),
                payloadBytes: payload.count
            )
            payload.withUnsafeBytes { frame.append($0, to: &state.buffer, context: self.header.frameChecksum) }
            try Self.flush(&state)
            guard let file = state.file else { return }
            try asLogError { () throws(DiskError) in
                try file.syncData()
                file.close()
                try self.folder.disk.rename(self.temporaryPath, to: self.folder.checkpointPath(self.time))
                try self.folder.disk.syncDirectory(self.folder.directory)
            }
            state.file = nil
        }
        try self.committed()
    }

    /// Gives the checkpoint up and removes its file. Harmless after `commit`.
    package func abandon() {
        self.state.withLock { state in
            guard let file = state.file else { return }
            state.file = nil
            file.close()
            // A leftover is removed at the next start.
            try? self.folder.disk.remove(self.temporaryPath)
        }
    }
}

/// Writes an array's bytes.
func write(_ bytes: [UInt8], to file: any DiskFile, at offset: Int) throws(DiskError) {
    var result: Result<Void, DiskError> = .success(())
    bytes.withUnsafeBytes { buffer in
        do throws(DiskError) {
            try file.write(buffer, at: offset)
        } catch {
            result = .failure(error)
        }
    }
    try result.get()
}
