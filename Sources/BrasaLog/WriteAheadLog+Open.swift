package import BrasaPlatform

extension WriteAheadLog {
    /// Locks the folder, recovers what it holds (`replay` sees it in the order of `LogEntry`), cuts a torn write off the
    /// end, and refuses damage before it. In the mode `memory` nothing is touched.
    package static func open(
        disk: any Disk,
        directory: String,
        configuration: LogConfiguration,
        clock: Clock,
        entropy: Entropy,
        observer: LogObserver,
        replay: (LogEntry) throws(LogRejection) -> Void
    ) throws(LogError) -> WriteAheadLog {
        if configuration.durability == .memory {
            return WriteAheadLog(
                configuration: configuration,
                clock: clock,
                observer: observer,
                lastTime: .min,
                files: nil
            )
        }
        let folder = LogFolder(disk: disk, directory: directory)
        let lock = try self.lock(folder)
        let contents = try asLogError { () throws(DiskError) in try folder.contents() }
        let scan = try LogScan(folder: folder, contents: contents).run(replay)
        do throws(DiskError) {
            for path in contents.temporaries { try disk.remove(path) }
        } catch {
            throw LogError(error)
        }
        let files = try self.begin(folder, lock, configuration, entropy, contents, scan)
        return WriteAheadLog(
            configuration: configuration,
            clock: clock,
            observer: observer,
            lastTime: scan.lastTime,
            files: files
        )
    }

    static func lock(_ folder: LogFolder) throws(LogError) -> any DiskLock {
        try asLogError { () throws(DiskError) in try folder.disk.createDirectory(folder.directory) }
        do throws(DiskLockError) {
            return try folder.disk.lock(folder.lockPath)
        } catch {
            switch error {
            case .held: throw LogError(.locked, detail: "the folder \(folder.directory) is in use: \(error)")
            case .disk(let error): throw LogError(error)
            }
        }
    }

    /// Every start writes to a new file and never to one that an earlier process left: what stands behind the old one's
    /// end needs no erasing, because the new header says where that end is. The last group moves to the new file, as the
    /// earlier process may have seen its sync fail, after which a system can show bytes that are not on the disk.
    private static func begin(
        _ folder: LogFolder,
        _ lock: any DiskLock,
        _ configuration: LogConfiguration,
        _ entropy: Entropy,
        _ contents: LogFolder.Contents,
        _ scan: LogScan.Result
    ) throws(LogError) -> LogFiles {
        var firstGroup: [QueuedRecord] = []
        if let last = scan.segments.last, let group = scan.lastGroup {
            var reader = try SegmentReader(disk: folder.disk, path: last.path)
            firstGroup = try reader.copy(groupAt: group.offset)
        }
        let header = try self.header(folder, entropy, scan)
        let preparer = SegmentPreparer(folder: folder, segmentBytes: configuration.segmentBytes)
        let segment = try SegmentWriter(
            folder: folder,
            durability: configuration.durability,
            segmentBytes: configuration.segmentBytes,
            firstSegmentBytes: min(configuration.firstSegmentBytes, configuration.segmentBytes),
            preparer: preparer,
            header: header,
            firstGroup: firstGroup[...]
        )
        var segments = contents.segments.filter { $0 < scan.segments.first?.header.number ?? .max }.map {
            LogFiles.KnownSegment(number: $0, previousTime: .min)
        }
        segments += scan.segments.filter { $0.header.number < header.number }.map {
            LogFiles.KnownSegment(number: $0.header.number, previousTime: $0.header.previousTime)
        }
        segments.append(LogFiles.KnownSegment(number: header.number, previousTime: header.previousTime))
        let files = LogFiles(
            folder: folder,
            lock: lock,
            preparer: preparer,
            segment: segment,
            lastTime: scan.lastTime,
            segments: segments,
            writtenBytes: scan.segments.reduce(0) { $0 + $1.end }
        )
        if let time = scan.checkpointTime { try files.removeCovered(by: time) }
        return files
    }

    /// Of the segment to write to. One that holds nothing but the group that moves is replaced in one step, so that
    /// restarts without writes leave no trail of files.
    private static func header(
        _ folder: LogFolder,
        _ entropy: Entropy,
        _ scan: LogScan.Result
    ) throws(LogError) -> SegmentHeader {
        guard let last = scan.segments.last else {
            return SegmentHeader(
                salt: entropy.bytes(LogFormat.saltBytes),
                number: 1,
                firstRecord: 0,
                previousTime: .min,
                previousEnd: 0
            )
        }
        guard let group = scan.lastGroup, !group.isOnly else { return last.header }
        // The old process may have been killed between a write and its sync.
        try asLogError { () throws(DiskError) in
            let file = try folder.disk.open(last.path, .readWrite)
            defer { file.close() }
            try file.syncData()
        }
        return SegmentHeader(
            salt: last.header.salt,
            number: last.header.number + 1,
            firstRecord: group.firstRecord,
            previousTime: group.previousTime,
            previousEnd: UInt64(group.offset)
        )
    }
}
