import BrasaDocuments
import BrasaLog

/// Documents of a checkpoint's chunk, one after the other, of one database. Several of them are read at once.
///
/// `@unchecked Sendable`: the chunk is only read while there are runs of it.
struct RecordedDocuments: @unchecked Sendable {
    let database: DatabaseHandle
    let bytes: UnsafeRawBufferPointer
    let count: Int

    /// Of a run, unless the part ends: so many that what a thread does for them is worth giving it to one, and some for each
    /// thread in a chunk; and whole leaves of the order of names, if documents are not too large for that.
    static func isRun(_ count: Int, bytes: Int) -> Bool {
        bytes >= 32 << 10 || bytes >= 16 << 10 && count % OrderedMapNode<DocumentChain>.entriesMax == 0
    }

    struct Entry: Sendable {
        let path: ResourcePath
        let version: DocumentChain.Version
    }

    /// Those that are in their shards and not in the order yet, with what the order will want to know of them: found out by
    /// the thread that has just made them, since each is a miss of the caches later.
    struct Placed: Sendable {
        /// For leaves of the order of names.
        private(set) var leaves: [[DocumentChain]] = []
        /// The ones in nested collections.
        private(set) var nested: [DocumentChain] = []
        private(set) var isAscending = true
        /// One of them was in its shard before.
        private(set) var isTwice = false
        private(set) var documentBytes = 0

        init(_ added: [AddedVersion?]) {
            let size = OrderedMapNode<DocumentChain>.entriesMax
            let chains = added.compactMap { $0?.chain }
            self.leaves = stride(from: 0, to: chains.count, by: size).map { start in
                Array(chains[start..<min(start + size, chains.count)])
            }
            self.nested = chains.filter { $0.path.segmentCount > 2 }
            self.isAscending = zip(chains, chains.dropFirst()).allSatisfy { $0.path < $1.path }
            self.isTwice = added.contains { $0?.before != nil }
            self.documentBytes = added.reduce(0) { $0 + ($1?.history.documentBytes ?? 0) }
        }
    }

    /// Reads them and puts them into their shards.
    func place(beginningAt shard: Int, snapshotTime: Int64) -> Result<Placed, LogRejection> {
        Result { () throws(LogRejection) in
            self.database.place(try self.entries(snapshotTime: snapshotTime), beginningAt: shard)
        }
    }

    private func entries(snapshotTime: Int64) throws(LogRejection) -> [Entry] {
        var reader = RecordReader(self.bytes)
        var entries: [Entry] = []
        entries.reserveCapacity(self.count)
        for _ in 0..<self.count { entries.append(try reader.checkpointEntry(snapshotTime: snapshotTime)) }
        return entries
    }
}

extension RecordReader {
    mutating func checkpointEntry(snapshotTime: Int64) throws(LogRejection) -> RecordedDocuments.Entry {
        let path = try self.documentPath()
        let updateTime = try self.time(before: snapshotTime)
        let createTime = try self.time(before: updateTime)
        let version = DocumentChain.Version(fields: try self.fields(), createTime: createTime, time: updateTime)
        return RecordedDocuments.Entry(path: path, version: version)
    }
}
