import BrasaPlatform
import Synchronization

extension WriteAheadLog {
    /// Bytes that a restart would have to read beside the newest checkpoint, roughly: a measure for making the next.
    package var bytesSinceCheckpoint: Int {
        guard let files = self.files else { return 0 }
        return files.writtenBytes.load(ordering: .relaxed) - files.checkpointedBytes.load(ordering: .relaxed)
    }

    /// Begins a checkpoint of the state after all records up to and including `time`. The log runs on meanwhile. In the
    /// mode `memory`, where no restart will want one, it throws `.closed`.
    package func beginCheckpoint(time: Int64) throws(LogError) -> CheckpointWriter {
        guard let files = self.files else { throw LogError(.closed, detail: "no files, no checkpoints") }
        let began = files.writtenBytes.load(ordering: .relaxed)
        let name = files.nextCheckpointName.add(1, ordering: .relaxed).newValue
        return try CheckpointWriter(
            folder: files.folder,
            header: CheckpointHeader(salt: files.salt, time: time),
            temporaryPath: files.folder.temporaryPath("checkpoint-\(name)")
        ) { () throws(LogError) in
            files.checkpointedBytes.store(began, ordering: .relaxed)
            try files.removeCovered(by: time)
        }
    }
}

extension LogFiles {
    /// Removes older checkpoints, and the segments before the last one whose predecessors' records all lie at or below
    /// `time`. A crash in between leaves files that the next call removes.
    func removeCovered(by time: Int64) throws(LogError) {
        let covered = self.segments.withLock { segments -> [KnownSegment] in
            guard let first = segments.lastIndex(where: { $0.previousTime <= time }) else { return [] }
            return Array(segments[..<first])
        }
        do throws(DiskError) {
            let disk = self.folder.disk
            let older = try self.folder.contents().checkpoints.filter { $0 < time }
            for segment in covered {
                try disk.remove(self.folder.segmentPath(segment.number))
                // One at a time: what the disk refuses to remove is tried again after the next checkpoint.
                self.segments.withLock { segments in segments.removeAll { $0.number == segment.number } }
            }
            for time in older { try disk.remove(self.folder.checkpointPath(time)) }
            if !covered.isEmpty || !older.isEmpty { try disk.syncDirectory(self.folder.directory) }
        } catch {
            throw LogError(error)
        }
    }
}
