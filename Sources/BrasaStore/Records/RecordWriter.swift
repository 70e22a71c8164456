import BrasaBytes
import BrasaDocuments

/// Writes payloads as docs/storage-format.md has them.
struct RecordWriter {
    private(set) var bytes: [UInt8]

    init(capacity: Int) {
        self.bytes = []
        self.bytes.reserveCapacity(capacity)
    }

    static func creation() -> [UInt8] { [RecordKind.creation.rawValue] }

    /// Each document's bytes are copied once, from the version into the record.
    static func commit(_ changes: [DocumentChange], receipt: CommitReceipt? = nil, time: Int64) -> [UInt8] {
        var writer = RecordWriter(capacity: self.commitBytesMax(changes) + (receipt?.bytesMax ?? 0))
        if let receipt {
            writer.bytes.append(RecordKind.commitWithReceipt.rawValue)
            writer.append(receipt)
        } else {
            writer.bytes.append(RecordKind.commit.rawValue)
        }
        var index = 0
        while index < changes.count {
            let database = changes[index].database
            let end = changes[index...].firstIndex { $0.database != database } ?? changes.count
            writer.append(run: database.name, count: end - index)
            while index < end {
                writer.append(changes[index], time: time)
                index += 1
            }
        }
        return writer.bytes
    }

    private static func commitBytesMax(_ changes: [DocumentChange]) -> Int {
        var bytes = 1
        for (index, change) in changes.enumerated() {
            bytes += 1 + 3 + change.path.bytes.count
            if index == 0 || change.database != changes[index - 1].database {
                bytes += change.database.name.bytes.count + 8
            }
            if case .set(let fields, let createTime) = change.outcome {
                bytes += fields.bytes.count + (createTime == nil ? 4 : 13)
            }
        }
        return bytes
    }

    mutating func append(run database: DatabaseName, count: Int) {
        self.append(prefixed: database.bytes)
        self.append(varint: UInt64(count))
    }

    private mutating func append(_ change: DocumentChange, time: Int64) {
        switch change.outcome {
        case .delete:
            self.bytes.append(ChangeKind.delete.rawValue)
            self.append(prefixed: change.path.bytes)
        case .set(let fields, nil):
            self.bytes.append(ChangeKind.create.rawValue)
            self.append(prefixed: change.path.bytes)
            self.append(prefixed: fields.bytes)
        case .set(let fields, let createTime?):
            self.bytes.append(ChangeKind.update.rawValue)
            self.append(prefixed: change.path.bytes)
            self.append(age: time, since: createTime.microseconds)
            self.append(prefixed: fields.bytes)
        }
    }

    mutating func append(kind: ChunkKind, snapshotTime: Int64, creationTime: Int64) {
        self.bytes.append(kind.rawValue)
        self.append(fixed: snapshotTime)
        self.append(fixed: creationTime)
    }

    mutating func append(path: ResourcePath, document: Document, snapshotTime: Int64) {
        self.append(prefixed: path.bytes)
        self.append(age: snapshotTime, since: document.updateTime.microseconds)
        self.append(age: document.updateTime.microseconds, since: document.createTime.microseconds)
        self.append(prefixed: document.fields.bytes)
    }

    mutating func append(_ receipt: CommitReceipt, snapshotTime: Int64) {
        self.append(age: snapshotTime, since: receipt.time.microseconds)
        self.append(receipt)
    }

    private mutating func append(_ receipt: CommitReceipt) {
        self.append(prefixed: receipt.database.bytes)
        self.append(prefixed: receipt.stream.bytes)
        self.append(varint: receipt.position)
        self.append(varint: receipt.position &- receipt.previous)
        self.append(prefixed: receipt.answer)
    }

    private mutating func append(prefixed bytes: [UInt8]) {
        self.append(varint: UInt64(bytes.count))
        self.bytes.append(contentsOf: bytes)
    }

    private mutating func append(age time: Int64, since earlier: Int64) {
        self.append(varint: UInt64(bitPattern: time &- earlier))
    }

    private mutating func append(varint: UInt64) {
        Varint.append(varint, to: &self.bytes)
    }

    private mutating func append(fixed number: Int64) {
        withUnsafeBytes(of: number.littleEndian) { self.bytes.append(contentsOf: $0) }
    }
}

extension CommitReceipt {
    /// In a record, at most; in a chunk, at most 10 more.
    var bytesMax: Int { self.database.bytes.count + self.stream.bytes.count + self.answer.count + 36 }
}

/// The first byte of a record's payload.
enum RecordKind: UInt8 {
    case creation = 0
    case commit = 1
    case commitWithReceipt = 2
}

/// The first byte of a checkpoint chunk's payload.
enum ChunkKind: UInt8 {
    case documents = 0
    case receipts = 1
}

/// The first byte of a change.
enum ChangeKind: UInt8 {
    case delete = 0
    case create = 1
    case update = 2
}
