import BrasaBytes
import BrasaDocuments

/// Where a payload's bytes go. What is written is the same for all: the extension has the format of
/// docs/storage-format.md.
protocol RecordSink {
    mutating func append(_ byte: UInt8)
    mutating func append(contentsOf bytes: [UInt8])
    mutating func append(_ bytes: UnsafeRawBufferPointer)
}

extension RecordSink {
    /// `images` has one for each change, or none at all.
    mutating func append(
        commit changes: [DocumentChange],
        receipt: CommitReceipt? = nil,
        images: [RecordedImage] = [],
        time: Int64
    ) {
        if let receipt {
            self.append(RecordKind.commitWithReceipt.rawValue)
            self.append(receipt)
        } else {
            self.append(RecordKind.commit.rawValue)
        }
        var index = 0
        while index < changes.count {
            let database = changes[index].database
            let end = changes[index...].firstIndex { $0.database != database } ?? changes.count
            self.append(run: database.name, count: end - index)
            while index < end {
                self.append(changes[index], images.isEmpty ? .none : images[index], time: time)
                index += 1
            }
        }
    }

    mutating func append(run database: DatabaseName, count: Int) {
        self.append(prefixed: database.bytes)
        self.append(varint: UInt64(count))
    }

    private mutating func append(_ change: DocumentChange, _ image: RecordedImage, time: Int64) {
        self.append(ChangeKind(change.outcome, image).rawValue)
        self.append(prefixed: change.path.bytes)
        if case .set(let fields, let createTime) = change.outcome {
            if let createTime { self.append(age: time, since: createTime.microseconds) }
            self.append(prefixed: fields.bytes)
        }
        if case .kept(let image) = image { self.append(image, time: time) }
    }

    /// What a change has of the document that was there before.
    mutating func append(_ image: BeforeImage, time: Int64) {
        self.append(age: time, since: image.updateTime.microseconds)
        self.append(age: image.updateTime.microseconds, since: image.createTime.microseconds)
        self.append(prefixed: image.fields.bytes)
    }

    mutating func append(kind: ChunkKind, snapshotTime: Int64, creationTime: Int64) {
        self.append(kind.rawValue)
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

    mutating func append(newestCommit time: Int64, of database: DatabaseName, snapshotTime: Int64) {
        self.append(prefixed: database.bytes)
        self.append(age: snapshotTime, since: time)
    }

    private mutating func append(_ receipt: CommitReceipt) {
        self.append(prefixed: receipt.database.bytes)
        self.append(prefixed: receipt.stream.bytes)
        self.append(varint: receipt.position)
        self.append(varint: receipt.position &- receipt.previous)
        self.append(prefixed: receipt.answer)
    }

    mutating func append(prefixed bytes: [UInt8]) {
        self.append(varint: UInt64(bytes.count))
        self.append(contentsOf: bytes)
    }

    mutating func append(prefixed bytes: ByteString) {
        self.append(varint: UInt64(bytes.count))
        bytes.withUnsafeBytes { self.append($0) }
    }

    mutating func append(age time: Int64, since earlier: Int64) {
        self.append(varint: UInt64(bitPattern: time &- earlier))
    }

    mutating func append(varint: UInt64) {
        Varint.forEachByte(of: varint) { self.append($0) }
    }

    mutating func append(fixed number: Int64) {
        for shift in stride(from: 0, to: 64, by: 8) { self.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}

/// The first byte of a record's payload.
enum RecordKind: UInt8 {
    case creation = 0
    case commit = 1
    case commitWithReceipt = 2
    case tree = 3
    case treeWill = 4
    /// A commit to a tree that is also the end of a session.
    case treeEnding = 5
}

/// The first byte of a checkpoint chunk's payload.
enum ChunkKind: UInt8 {
    case documents = 0
    case receipts = 1
    case databases = 2
    case trees = 3
    case treeWills = 4
}

/// The first byte of a change.
enum ChangeKind: UInt8 {
    case delete = 0
    case create = 1
    case update = 2
    /// With what the document was before.
    case deleteWithImage = 3
    case updateWithImage = 4
    case createWithImage = 5
    /// There was a document before, and no room for it in the record.
    case deleteWithoutRoom = 6
    case createWithoutRoom = 7
    case updateWithoutRoom = 8

    init(_ outcome: DocumentChange.Outcome, _ image: RecordedImage) {
        switch (outcome, image) {
        case (.delete, .none): self = .delete
        case (.delete, .kept): self = .deleteWithImage
        case (.delete, .leftOut): self = .deleteWithoutRoom
        case (.set(_, nil), .none): self = .create
        case (.set(_, nil), .kept): self = .createWithImage
        case (.set(_, nil), .leftOut): self = .createWithoutRoom
        case (.set, .none): self = .update
        case (.set, .kept): self = .updateWithImage
        case (.set, .leftOut): self = .updateWithoutRoom
        }
    }
}
