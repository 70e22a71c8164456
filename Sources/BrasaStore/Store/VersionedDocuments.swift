import BrasaDocuments
import BrasaLog
import BrasaPlatform
import Synchronization

/// All documents in memory with their versions and what follows their changes. Knows no log: recovery fills it and
/// commits change it the same way.
final class VersionedDocuments: Sendable {
    let registry: DatabaseRegistry
    let changes: ChangeHistory
    let configuration: Store.Configuration
    /// About what the newest versions take.
    private let keptBytes = Atomic<Int>(0)

    convenience init(configuration: Store.Configuration, entropy: Entropy) {
        self.init(configuration: configuration, hash: KeyedHash(key0: entropy.next(), key1: entropy.next()))
    }

    /// Others like these, without any document.
    func emptied() -> VersionedDocuments {
        VersionedDocuments(configuration: self.configuration, hash: self.registry.hash)
    }

    private init(configuration: Store.Configuration, hash: KeyedHash) {
        self.registry = DatabaseRegistry(shardCount: configuration.shards, hash: hash)
        self.changes = ChangeHistory(completeAfter: .min, changesMax: configuration.recentChangesMax)
        self.configuration = configuration
    }

    var documentBytes: Int { self.keptBytes.load(ordering: .relaxed) }
    var historyBytes: Int { self.registry.historyTotal.bytes }
    /// By so much that it is worth looking at all databases for what has to go.
    var isHistoryOverfull: Bool { self.historyBytes > self.configuration.historyBytesMax / 8 * 9 }

    /// Recovery is done; versions before this time were not kept.
    func resume(oldestReadTime: Int64) {
        for database in self.registry.all(oldestReadTime: oldestReadTime) {
            _ = database.history.raise(to: oldestReadTime, underPressure: true)
        }
    }

    /// Adds versions that only readers at `time` or later see, and the changes for those who follow them. Returns what the
    /// documents were before, one for each change; none at all when nobody wants to know of any.
    @discardableResult
    func add(_ changes: [DocumentChange], time: Int64) -> [BeforeImage?] {
        self.changes.append(changes, time: time)
        var images: [BeforeImage?] = []
        // Nearly all commits have one change, and need no lists.
        if changes.count == 1, let change = changes.first {
            let hasImages = change.database.hasImageSubscriptions
            let added = change.database.add(change.version(at: time), to: change.path)
            self.note(added, of: 0, in: changes, hasImages, time, &images)
            return images
        }
        var run = 0..<0
        // Asked once: of a commit's changes to a database all have images or none.
        var asked: (database: DatabaseHandle, hasImages: Bool)?
        while run.upperBound < changes.count {
            run = changes.orderRun(from: run.upperBound)
            let database = changes[run.lowerBound].database
            let known = asked.flatMap { $0.database == database ? $0.hasImages : nil }
            let hasImages = known ?? database.hasImageSubscriptions
            asked = (database, hasImages)
            for (index, added) in zip(run, database.add(changes[run], time: time)) {
                self.note(added, of: index, in: changes, hasImages, time, &images)
            }
        }
        return images
    }

    private func note(
        _ added: AddedVersion?,
        of index: Int,
        in changes: [DocumentChange],
        _ hasImages: Bool,
        _ time: Int64,
        _ images: inout [BeforeImage?]
    ) {
        guard let added else { return }
        let (path, database) = (changes[index].path, changes[index].database)
        if hasImages {
            if images.isEmpty { images = Array(repeating: nil, count: changes.count) }
            images[index] = added.before.flatMap { BeforeImage($0) }
        }
        let effect = added.history
        self.keptBytes.wrappingAdd(effect.documentBytes, ordering: .relaxed)
        guard effect.isSuperseding else { return }
        let item = GarbageQueue.Item(time: time, path: path, bytes: effect.bytes + GarbageQueue.Item.ownBytes)
        database.history.add(bytes: item.bytes)
        database.history.garbage.append(item)
    }

    /// Undoes `add`. Nobody has seen the versions: their time is above the watermark.
    func takeBack(_ changes: [DocumentChange], time: Int64) {
        var missed: [(database: DatabaseHandle, path: ResourcePath)] = []
        var run = 0..<0
        while run.upperBound < changes.count {
            run = changes.orderRun(from: run.upperBound)
            let database = changes[run.lowerBound].database
            for removed in database.removeNewest(changes[run]) {
                self.keptBytes.wrappingAdd(removed.history.documentBytes, ordering: .relaxed)
                guard removed.history.isSuperseding else { continue }
                database.history.garbage.removeNewest()
                database.history.add(bytes: removed.history.bytes - GarbageQueue.Item.ownBytes)
                let isGarbage = removed.deletionTime.map { $0 <= database.history.oldest } ?? false
                if isGarbage { missed.append((database, removed.chain.path)) }
            }
        }
        // Pruning has come to these deletions while they were not the newest, and does not come again.
        for (database, path) in missed {
            database.history.add(bytes: GarbageQueue.Item.ownBytes)
            database.history.garbage.append(
                GarbageQueue.Item(time: time, path: path, bytes: GarbageQueue.Item.ownBytes)
            )
        }
        self.changes.removeNewest(changes, time: time)
    }

    /// What recovery adds until `endLoading` is not in order yet: neither scans nor pruning may run before.
    func beginLoading(_ database: DatabaseHandle) {
        database.order.withLock { $0.beginLoading() }
    }

    func endLoading() {
        for database in self.registry.all {
            guard let loading = database.order.withLock({ $0.takeLoading() }) else { continue }
            let loaded = loading.finish()
            database.order.withLock { $0.endLoading(loaded) }
        }
    }

    /// Documents of a checkpoint, which have no history: read and put into their shards on several threads, and then into the
    /// order in which they came.
    func load(_ runs: [RecordedDocuments], snapshotTime: Int64, _ crew: Crew) throws(LogRejection) {
        let results = crew.map(runs.count) { index in
            runs[index].place(beginningAt: index, snapshotTime: snapshotTime)
        }
        for (run, result) in zip(runs, results) {
            let placed = try result.get()
            // Which of two would be the newest depends on the threads.
            if placed.isTwice { throw LogRejection("a document is there twice") }
            run.database.order.withLock { $0.load(placed) }
            self.keptBytes.wrappingAdd(placed.documentBytes, ordering: .relaxed)
        }
    }

    /// How many changes share a visit to a database's order at most.
    static let orderRunMax = 64
}

extension [DocumentChange] {
    /// Neighbours of one database that share a visit to its order: who changes many documents waits there once for all of a
    /// run, and others for a run at most.
    fileprivate func orderRun(from start: Int) -> Range<Int> {
        var end = start + 1
        let limit = Swift.min(self.count, start + VersionedDocuments.orderRunMax)
        while end < limit, self[end].database == self[start].database { end += 1 }
        return start..<end
    }
}

extension DocumentChange {
    func version(at time: Int64) -> DocumentChain.Version {
        switch self.outcome {
        case .delete: DocumentChain.Version(fields: nil, createTime: time, time: time)
        case .set(let fields, let createTime):
            DocumentChain.Version(fields: fields, createTime: createTime?.microseconds ?? time, time: time)
        }
    }
}

extension Int64 {
    /// This time less a duration; the earliest time there is when that is out of range.
    func before(_ duration: Duration) -> Int64 {
        let (time, overflow) = self.subtractingReportingOverflow(Int64(duration.microseconds))
        return overflow ? .min : time
    }
}
