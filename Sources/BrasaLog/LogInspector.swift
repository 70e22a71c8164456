package import BrasaPlatform

/// What `brasa check` finds out about a folder that no server uses.
package struct LogReport: Sendable {
    package struct Segment: Sendable {
        package var file: String
        package var number: UInt64
        package var records: Int
        /// Of the file, and of it what belongs to the log.
        package var fileBytes: Int
        package var usedBytes: Int
        /// An unfinished write stands behind the last record; a start cuts it off.
        package var hasTornTail: Bool
    }

    package struct Checkpoint: Sendable {
        package var file: String
        package var time: Int64
        package var chunks: UInt64
        package var fileBytes: Int
    }

    /// Those that a start would read, in order.
    package var segments: [Segment] = []
    /// The whole ones, oldest first; a start would replay the last.
    package var checkpoints: [Checkpoint] = []
    /// Unfinished and covered files, which a start removes.
    package var leftovers: [String] = []
    package var records = 0
    package var recordBytes = 0
    package var firstRecordTime: Int64?
    /// Newest time in records or checkpoint.
    package var lastTime: Int64?
    /// Everything that is wrong. A start refuses the folder if `isUsable` is false.
    package var damage: [LogError] = []
    /// A start would succeed and lose nothing that was acknowledged.
    package var isUsable = false
}

package enum LogInspector {
    /// Reads all of a folder and changes nothing in it, except that the lock file is taken meanwhile, so that no server
    /// runs. `visit` sees what recovery would. Throws for what keeps it from looking (locked, missing, unreadable);
    /// damage is reported.
    package static func check(
        disk: any Disk,
        directory: String,
        visit: (LogEntry) throws(LogRejection) -> Void = { _ throws(LogRejection) in }
    ) throws(LogError) -> LogReport {
        let folder = LogFolder(disk: disk, directory: directory)
        // A server that ends or checkpoints changes what is there, so the lock comes first.
        let lock = try self.lock(folder)
        defer { lock?.release() }
        let contents = try asLogError { () throws(DiskError) in try folder.contents() }
        var report = LogReport()
        report.leftovers = contents.temporaries
        for time in contents.checkpoints { try self.check(folder.checkpointPath(time), disk, &report) }
        do throws(LogError) {
            let scan = try LogScan(folder: folder, contents: contents).run(visit)
            self.add(scan, folder, contents, &report)
            report.isUsable = true
        } catch {
            try self.note(error, &report)
        }
        return report
    }

    private static func lock(_ folder: LogFolder) throws(LogError) -> (any DiskLock)? {
        guard folder.disk.exists(folder.lockPath) else { return nil }
        return try WriteAheadLog.lock(folder)
    }

    private static func check(_ path: String, _ disk: any Disk, _ report: inout LogReport) throws(LogError) {
        do throws(LogError) {
            var reader = try CheckpointReader(disk: disk, path: path)
            let totals = try reader.forEachChunk { _, _ in }
            report.checkpoints.append(
                LogReport.Checkpoint(
                    file: path,
                    time: reader.header.time,
                    chunks: totals.chunks,
                    fileBytes: reader.fileBytes
                )
            )
        } catch {
            try self.note(error, &report)
        }
    }

    private static func add(
        _ scan: LogScan.Result,
        _ folder: LogFolder,
        _ contents: LogFolder.Contents,
        _ report: inout LogReport
    ) {
        report.segments = scan.segments.map { segment in
            LogReport.Segment(
                file: segment.path,
                number: segment.header.number,
                records: segment.records,
                fileBytes: segment.fileBytes,
                usedBytes: segment.end,
                hasTornTail: segment.isTorn
            )
        }
        let first = scan.segments.first?.header.number ?? .max
        report.leftovers += contents.segments.filter { $0 < first }.map { folder.segmentPath($0) }
        report.records = scan.records
        report.recordBytes = scan.recordBytes
        report.firstRecordTime = scan.firstRecordTime
        report.lastTime = scan.lastTime == .min ? nil : scan.lastTime
    }

    /// Damage goes into the report, once; what the disk refused ends the check.
    private static func note(_ error: LogError, _ report: inout LogReport) throws(LogError) {
        switch error.code {
        case .damaged, .rejected, .unknownVersion:
            if !report.damage.contains(where: { $0.file == error.file && $0.offset == error.offset }) {
                report.damage.append(error)
            }
        default: throw error
        }
    }
}
