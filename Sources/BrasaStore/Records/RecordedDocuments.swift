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
    /// thread in a chunk.
    static let bytesMin = 16 << 10

    struct Entry: Sendable {
        let path: ResourcePath
        let version: DocumentChain.Version
    }

    /// Those that are in their shards, with what became of each; not in the order yet.
    struct Placed: Sendable {
        let entries: [Entry]
        let added: [AddedVersion?]
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
