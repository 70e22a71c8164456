import BrasaBytes
import BrasaDocuments
import BrasaLog

/// Reads payloads as docs/storage-format.md has them. The log has checked that the bytes are the ones that were written,
/// so a payload that does not fit is another program's, and refused as a whole.
struct RecordReader: ~Copyable {
    private let bytes: UnsafeRawBufferPointer
    private var index = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { self.index == self.bytes.count }

    /// Passes by the next part of a checkpoint's documents, cut into runs. If the payload ends too early, those in front of
    /// its end are in runs, too.
    mutating func passDocuments(
        of database: DatabaseHandle,
        into runs: inout [RecordedDocuments]
    ) throws(LogRejection) {
        let count = try self.varint()
        let bytes = self.bytes
        var (start, end) = (self.index, self.index)
        var documents = 0
        func run() -> RecordedDocuments {
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            return RecordedDocuments(database: database, bytes: bytes, count: documents)
        }
        defer { if documents > 0 { runs.append(run()) } }
        for _ in 0..<count {
            _ = try self.prefixed()
            _ = try self.varint()
            _ = try self.varint()
            _ = try self.prefixed()
            end = self.index
            documents += 1
            guard RecordedDocuments.isRun(documents, bytes: end - start) else { continue }
            runs.append(run())
            (start, documents) = (end, 0)
        }
    }

    mutating func byte() throws(LogRejection) -> UInt8 {
        guard self.index < self.bytes.count else { throw LogRejection("the payload ends too early") }
        defer { self.index += 1 }
        return self.bytes[self.index]
    }

    mutating func varint() throws(LogRejection) -> UInt64 {
        guard let reading = Varint.read(self.bytes, at: &self.index, end: self.bytes.count) else {
            throw LogRejection("a number is too long, or cut short")
        }
        guard reading.isMinimal else { throw LogRejection("a number is longer than it has to be") }
        return reading.number
    }

    mutating func fixed() throws(LogRejection) -> Int64 {
        let bytes = try self.take(8)
        return Int64(littleEndian: bytes.loadUnaligned(as: Int64.self))
    }

    /// Borrowed from the reader's bytes.
    mutating func prefixed() throws(LogRejection) -> UnsafeRawBufferPointer {
        try self.take(self.varint())
    }

    mutating func databaseName(orSame last: DatabaseName? = nil) throws(LogRejection) -> DatabaseName {
        let bytes = try self.prefixed()
        if let last, bytes.elementsEqual(last.bytes) { return last }
        do throws(DocumentError) {
            return try DatabaseName(parsing: bytes)
        } catch {
            throw LogRejection("a database's name is not one")
        }
    }

    mutating func documentPath() throws(LogRejection) -> ResourcePath {
        let bytes = try self.prefixed()
        let path: ResourcePath
        do throws(DocumentError) {
            path = try ResourcePath(parsing: bytes)
        } catch {
            throw LogRejection("a document's path is not one")
        }
        guard path.isDocument else { throw LogRejection("a path is not a document's") }
        return path
    }

    mutating func fields() throws(LogRejection) -> EncodedFields {
        EncodedFields(canonical: ByteString(try self.prefixed()))
    }

    /// Of a commit at that time.
    mutating func change(in database: DatabaseHandle, time: Int64) throws(LogRejection) -> RecordedChange {
        let byte = try self.byte()
        guard let kind = ChangeKind(rawValue: byte) else { throw LogRejection("change kind \(byte) is unknown") }
        let path = try self.documentPath()
        let outcome: DocumentChange.Outcome
        switch kind {
        case .delete, .deleteWithImage, .deleteWithoutRoom: outcome = .delete
        case .create, .createWithImage, .createWithoutRoom: outcome = .set(try self.fields(), createTime: nil)
        case .update, .updateWithImage, .updateWithoutRoom:
            let createTime = Timestamp(microseconds: try self.time(before: time))
            outcome = .set(try self.fields(), createTime: createTime)
        }
        let before: RecordedImage =
            switch kind {
            case .delete, .create, .update: .none
            case .deleteWithImage, .createWithImage, .updateWithImage: .kept(try self.image(time: time))
            case .deleteWithoutRoom, .createWithoutRoom, .updateWithoutRoom: .leftOut
            }
        let change = DocumentChange(database: database, path: path, outcome: outcome)
        return RecordedChange(change: change, before: before)
    }

    private mutating func image(time: Int64) throws(LogRejection) -> BeforeImage {
        let updateTime = try self.time(before: time)
        let createTime = try self.time(before: updateTime)
        return BeforeImage(
            fields: try self.fields(),
            createTime: Timestamp(microseconds: createTime),
            updateTime: Timestamp(microseconds: updateTime)
        )
    }

    /// Of a commit at that time. Most are in the database of the one before.
    mutating func receipt(time: Int64, after last: DatabaseName?) throws(LogRejection) -> CommitReceipt {
        let database = try self.databaseName(orSame: last)
        guard let stream = UTF8Text(validating: try self.prefixed()) else {
            throw LogRejection("a stream's name is not one")
        }
        let position = try self.varint()
        let distance = try self.varint()
        guard distance > 0, distance <= position, position <= Int64.max else {
            throw LogRejection("a receipt is not after the one before")
        }
        return CommitReceipt(
            database: database,
            stream: stream,
            position: position,
            previous: position - distance,
            time: Timestamp(microseconds: time),
            answer: Array(try self.prefixed())
        )
    }

    /// A time from its distance to a later one.
    mutating func time(before later: Int64) throws(LogRejection) -> Int64 {
        later &- Int64(bitPattern: try self.varint())
    }

    private mutating func take(_ count: some BinaryInteger) throws(LogRejection) -> UnsafeRawBufferPointer {
        guard count <= self.bytes.count - self.index else { throw LogRejection("the payload ends too early") }
        defer { self.index += Int(count) }
        return UnsafeRawBufferPointer(rebasing: self.bytes[self.index..<(self.index + Int(count))])
    }
}
