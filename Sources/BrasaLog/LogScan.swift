import BrasaPlatform

/// Reads a whole log without changing anything: the newest whole checkpoint, then the records after it.
struct LogScan {
    /// What the log to be continued needs to know.
    struct Result {
        var segments: [Segment] = []
        /// The checkpoint that was replayed.
        var checkpointTime: Int64?
        /// Newest time seen, in records or the checkpoint.
        var lastTime = Int64.min
        /// The last group of the last segment, and the state before it.
        var lastGroup: LastGroup?
        var records = 0
        var recordBytes = 0
        var firstRecordTime: Int64?
    }

    struct Segment {
        var header: SegmentHeader
        var path: String
        /// Where its groups end.
        var end: Int
        var fileBytes: Int
        var records: Int
        var isTorn: Bool
    }

    struct LastGroup {
        var offset: Int
        var firstRecord: UInt64
        var previousTime: Int64
        /// The segment holds no other group.
        var isOnly: Bool
    }

    let folder: LogFolder
    let contents: LogFolder.Contents

    func run(_ replay: (LogEntry) throws(LogRejection) -> Void) throws(LogError) -> Result {
        var result = Result()
        let (checkpoint, damage) = try self.replayNewestWholeCheckpoint(replay)
        // What is damaged is passed over when the log from its very beginning can stand in for it. Whether it reaches back to
        // an older one is checked with the segments.
        if checkpoint == nil, let damage, !self.segmentsReachBack { throw damage }
        var headers = try self.neededHeaders(after: checkpoint?.time)
        if let checkpoint {
            result.checkpointTime = checkpoint.time
            result.lastTime = checkpoint.time
        }
        let salt = checkpoint?.salt ?? headers.first?.salt
        var expectedRecord = headers.first?.firstRecord
        while let header = headers.first {
            headers.removeFirst()
            let path = self.folder.segmentPath(header.number)
            if header.salt != salt { throw .damaged(path, 16, "the segment belongs to another log") }
            if header.firstRecord != expectedRecord {
                throw .damaged(path, 40, "records before this segment are missing")
            }
            if headers.first.map({ $0.number != header.number + 1 }) == true {
                throw .damaged(path, 32, "the segment after this one is missing")
            }
            expectedRecord = try self.scan(path, sealedEnd: headers.first?.previousEnd, &result, replay)
        }
        return result
    }

    private func scan(
        _ path: String,
        sealedEnd: UInt64?,
        _ result: inout Result,
        _ replay: (LogEntry) throws(LogRejection) -> Void
    ) throws(LogError) -> UInt64 {
        var reader = try SegmentReader(disk: self.folder.disk, path: path)
        let covered = result.checkpointTime ?? .min
        var previousTime = reader.header.previousTime
        let before = result.records
        var lastGroup: LastGroup?
        var total = result
        let end = try reader.scan(sealedEnd: sealedEnd.map { Int(clamping: $0) }) { group throws(LogError) in
            lastGroup = LastGroup(
                offset: group.offset,
                firstRecord: group.header.firstRecord,
                previousTime: previousTime,
                isOnly: lastGroup == nil
            )
            try group.records.forEach { time, payload throws(LogError) in
                if time <= previousTime { throw .damaged(path, group.offset, "record times do not increase") }
                previousTime = time
                total.records += 1
                total.recordBytes += payload.count
                total.firstRecordTime = total.firstRecordTime ?? time
                if time <= covered { return }
                do throws(LogRejection) {
                    try replay(.record(time: time, payload))
                } catch {
                    throw LogError(.rejected, file: path, offset: group.offset, detail: error.reason)
                }
            }
        }
        total.lastGroup = lastGroup
        total.lastTime = max(total.lastTime, previousTime)
        total.segments.append(
            Segment(
                header: reader.header,
                path: path,
                end: end.offset,
                fileBytes: reader.fileBytes,
                records: total.records - before,
                isTorn: end.isTorn
            )
        )
        result = total
        return end.nextRecord
    }

    // Which checkpoint

    /// Whether the log has everything from its beginning.
    private var segmentsReachBack: Bool {
        guard let number = self.contents.segments.first,
            let first = try? SegmentReader(disk: self.folder.disk, path: self.folder.segmentPath(number))
        else { return false }
        return first.header.previousTime == .min
    }

    /// Replays a checkpoint as it is read, since nearly all are whole, and takes back what was replayed of one that is not.
    /// With what is wrong with the newest that is not whole.
    func replayNewestWholeCheckpoint(
        _ replay: (LogEntry) throws(LogRejection) -> Void
    ) throws(LogError) -> (checkpoint: CheckpointHeader?, damage: LogError?) {
        var damage: LogError?
        for time in self.contents.checkpoints.reversed() {
            do throws(LogError) {
                return (try self.replayCheckpoint(of: time, replay), damage)
            } catch {
                if error.code == .rejected { throw error }
                damage = damage ?? error
                do throws(LogRejection) {
                    try replay(.checkpointVoid)
                } catch {
                    throw LogError(.rejected, file: self.folder.checkpointPath(time), detail: error.reason)
                }
            }
        }
        return (nil, damage)
    }

    private func replayCheckpoint(
        of time: Int64,
        _ replay: (LogEntry) throws(LogRejection) -> Void
    ) throws(LogError) -> CheckpointHeader {
        let path = self.folder.checkpointPath(time)
        var reader = try CheckpointReader(disk: self.folder.disk, path: path)
        if reader.header.time != time {
            throw .damaged(path, 32, "the checkpoint's name does not fit its time")
        }
        _ = try reader.forEachChunk { chunk, offset throws(LogError) in
            do throws(LogRejection) {
                try replay(.checkpointChunk(chunk))
            } catch {
                throw LogError(.rejected, file: path, offset: offset, detail: error.reason)
            }
        }
        return reader.header
    }

    // Which segments

    /// Headers of the segments that may hold records after the checkpoint, in order. What lies before them is covered; a
    /// crash may have left any part of it behind.
    private func neededHeaders(after checkpointTime: Int64?) throws(LogError) -> [SegmentHeader] {
        var needed: [SegmentHeader] = []
        for number in self.contents.segments.reversed() {
            let path = self.folder.segmentPath(number)
            let header = try SegmentReader(disk: self.folder.disk, path: path).header
            if header.number != number { throw .damaged(path, 32, "the segment's name does not fit its number") }
            needed.append(header)
            if header.previousTime <= checkpointTime ?? .min { break }
        }
        guard let first = needed.last else {
            if checkpointTime == nil { return [] }
            throw LogError(.damaged, file: self.folder.directory, detail: "a checkpoint without any log segment")
        }
        if first.previousTime > checkpointTime ?? .min {
            throw .damaged(
                self.folder.segmentPath(first.number),
                48,
                checkpointTime == nil
                    ? "the log's beginning is missing, and there is no checkpoint"
                    : "records between the checkpoint and this segment are missing"
            )
        }
        return needed.reversed()
    }
}
