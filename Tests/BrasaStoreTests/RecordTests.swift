import BrasaDocuments
import BrasaLog
import BrasaPlatform
import BrasaSimulation
import Synchronization
import Testing

@testable import BrasaStore

@Suite struct RecordTests {
    private func documents() -> VersionedDocuments {
        VersionedDocuments(configuration: Store.Configuration(), entropy: .seeded(1))
    }

    private func changes(_ documents: VersionedDocuments) throws -> [DocumentChange] {
        let (one, two) = (
            documents.registry.handle(try databaseName()), documents.registry.handle(try databaseName("d2"))
        )
        return [
            DocumentChange(database: one, path: try path("c/new"), outcome: .set(fields("F"), createTime: nil)),
            DocumentChange(
                database: one,
                path: try path("c/old"),
                outcome: .set(fields("GG"), createTime: Timestamp(microseconds: 700))
            ),
            DocumentChange(database: two, path: try path("c/x"), outcome: .delete),
        ]
    }

    /// As it comes into the log.
    private func record(
        _ changes: [DocumentChange],
        receipt: CommitReceipt? = nil,
        images: [BeforeImage?] = [],
        bytesMax: Int = .max,
        time: Int64
    ) -> [UInt8] {
        let payload: any LogPayload =
            if receipt != nil || !images.isEmpty {
                DetailedCommitRecord(changes, receipt, images, time: time, bytesMax: bytesMax)
            } else {
                CommitRecord(changes, time: time)
            }
        return [UInt8](unsafeUninitializedCapacity: payload.byteCount) { bytes, count in
            payload.write(into: UnsafeMutableRawBufferPointer(bytes))
            count = bytes.count
        }
    }

    /// The examples of docs/storage-format.md. A change here is a new format version.
    @Test func recordsHaveTheDocumentedBytes() throws {
        let record = self.record(try self.changes(self.documents()), time: 1_000)
        let expected =
            [1, 30] + Array("projects/p/databases/(default)".utf8) + [2]
            + [1, 5] + Array("c/new".utf8) + [1] + Array("F".utf8)
            + [2, 5] + Array("c/old".utf8) + [0xac, 0x02, 2] + Array("GG".utf8)
            + [23] + Array("projects/p/databases/d2".utf8) + [1]
            + [0, 3] + Array("c/x".utf8)
        #expect(record == expected)
        #expect(RecordWriter.creation() == [0])

        var chunk = RecordWriter(capacity: 0)
        chunk.append(kind: .documents, snapshotTime: 1_000, creationTime: 256)
        chunk.append(run: try databaseName("d2"), count: 1)
        let document = Document(
            fields: fields("F"),
            createTime: Timestamp(microseconds: 600),
            updateTime: Timestamp(microseconds: 900)
        )
        chunk.append(path: try path("c/x"), document: document, snapshotTime: 1_000)
        #expect(
            chunk.bytes
                == [0, 0xe8, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
                + [23] + Array("projects/p/databases/d2".utf8) + [1]
                + [3] + Array("c/x".utf8) + [100, 0xac, 0x02, 1] + Array("F".utf8)
        )
    }

    /// With what the documents were, and without room for it.
    @Test func imagesHaveTheDocumentedBytes() throws {
        let database = self.documents().registry.handle(try databaseName())
        let outcomes: [(String, DocumentChange.Outcome)] = [
            ("c/new", .set(fields("F"), createTime: nil)), ("c/old", .delete),
            ("c/x", .set(fields("GG"), createTime: Timestamp(microseconds: 500))),
        ]
        let changes = try outcomes.map {
            DocumentChange(database: database, path: try path($0.0), outcome: $0.1)
        }
        let image = BeforeImage(
            fields: fields("H"),
            createTime: Timestamp(microseconds: 500),
            updateTime: Timestamp(microseconds: 700)
        )
        let head: [UInt8] = [1, 30] + Array("projects/p/databases/(default)".utf8) + [3]
        let encoded: [UInt8] = [0xac, 0x02, 0xc8, 0x01, 1] + Array("H".utf8)
        func parts(_ kinds: [UInt8], _ images: [[UInt8]]) -> [UInt8] {
            let made = [kinds[0], 5] + Array("c/new".utf8) + [1] + Array("F".utf8) + images[0]
            let deleted = [kinds[1], 5] + Array("c/old".utf8) + images[1]
            return head + made + deleted + [kinds[2], 3] + Array("c/x".utf8) + [0xf4, 0x03, 2] + Array("GG".utf8)
                + images[2]
        }
        let images = [image, image, image]
        let all = parts([5, 3, 4], [encoded, encoded, encoded])
        let some = parts([5, 3, 8], [encoded, encoded, []])
        let none = parts([7, 6, 8], [[], [], []])
        #expect(self.record(changes, images: images, time: 1_000) == all)
        #expect(self.record(changes, images: images, bytesMax: all.count - 1, time: 1_000) == some)
        #expect(self.record(changes, images: images, bytesMax: 0, time: 1_000) == none)
        for (record, before) in [
            (all, [.kept(image), .kept(image), .kept(image)]), (some, [.kept(image), .kept(image), .leftOut]),
            (none, [.leftOut, .leftOut, .leftOut]),
        ] as [([UInt8], [RecordedImage])] {
            let read = try record.withUnsafeBytes { bytes in
                var reader = RecordReader(UnsafeRawBufferPointer(rebasing: bytes[head.count...]))
                var read: [RecordedChange] = []
                while !reader.isAtEnd { read.append(try reader.change(in: database, time: 1_000)) }
                return read
            }
            #expect(read.map(\.before) == before)
            #expect(read.map(\.change.path) == changes.map(\.path))
            #expect(self.isAccepted(record, isChunk: false))
            for count in head.count..<record.count {
                #expect(!self.isAccepted(Array(record[..<count]), isChunk: false), "\(count)")
            }
        }
    }

    private func receipt() throws -> CommitReceipt {
        CommitReceipt(
            database: try databaseName("d2"),
            stream: "s",
            position: 300,
            previous: 299,
            time: Timestamp(microseconds: 1_000),
            answer: Array("A".utf8)
        )
    }

    @Test func receiptsHaveTheDocumentedBytes() throws {
        let receipt =
            [23] + Array("projects/p/databases/d2".utf8) + [1] + Array("s".utf8) + [0xac, 0x02, 1, 1] + Array("A".utf8)
        let changes = try Array(self.changes(self.documents()).suffix(1))
        #expect(
            self.record(changes, receipt: try self.receipt(), time: 1_000)
                == [2] + receipt + self.record(changes, time: 1_000).dropFirst()
        )
        var chunk = RecordWriter(capacity: 0)
        chunk.append(kind: .receipts, snapshotTime: 1_100, creationTime: 256)
        chunk.append(try self.receipt(), snapshotTime: 1_100)
        #expect(chunk.bytes == [1, 0x4c, 4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 100] + receipt)
        for bytes in [chunk.bytes, self.record([], receipt: try self.receipt(), time: 1_000)] {
            var recovery = Recovery(into: self.documents(), TreeRegistry(configuration: Store.Configuration()))
            try bytes.withUnsafeBytes {
                try recovery.read(bytes[0] == 1 ? .checkpointChunk($0) : .record(time: 1_000, $0))
            }
            #expect(recovery.receipts.all == [try self.receipt()])
        }
    }

    @Test func whatIsWrittenIsReadBack() throws {
        let written = self.documents()
        let record = self.record(try self.changes(written), time: 1_000)
        let read = self.documents()
        var recovery = Recovery(into: read, TreeRegistry(configuration: Store.Configuration()))
        try record.withUnsafeBytes { try recovery.read(.record(time: 1_000, $0)) }
        let database = read.registry.handle(try databaseName())
        let old = try path("c/old")
        let (shard, hash) = database.place(old)
        let found = shard.state.withLock { $0.find(old, hash: hash)?.document(at: 1_000) }
        #expect(found?.fields == fields("GG"))
        #expect(found?.createTime.microseconds == 700 && found?.updateTime.microseconds == 1_000)
        #expect(recovery.lastTime == 1_000)
    }

    @Test func cutAndChangedPayloadsAreRefusedOrReadButNeverTrap() throws {
        var chunk = RecordWriter(capacity: 0)
        chunk.append(kind: .documents, snapshotTime: 1_000, creationTime: 256)
        chunk.append(run: try databaseName("d2"), count: 1)
        let document = Document(
            fields: fields("F"),
            createTime: Timestamp(microseconds: 600),
            updateTime: Timestamp(microseconds: 900)
        )
        chunk.append(path: try path("c/x"), document: document, snapshotTime: 1_000)
        let record = self.record(try self.changes(self.documents()), time: 1_000)
        let witnessed = self.record(
            try self.changes(self.documents()),
            receipt: try self.receipt(),
            time: 1_000
        )
        var receipts = RecordWriter(capacity: 0)
        receipts.append(kind: .receipts, snapshotTime: 1_100, creationTime: 256)
        receipts.append(try self.receipt(), snapshotTime: 1_100)
        // Ends between two databases' parts are ends.
        for (bytes, isChunk, ends) in [
            (record, false, [1, record.count - 30]), (chunk.bytes, true, [17]), (receipts.bytes, true, [17]),
            (witnessed, false, [1 + witnessed.count - record.count, witnessed.count - 30]),
        ] {
            for count in bytes.indices {
                #expect(self.isAccepted(Array(bytes[..<count]), isChunk: isChunk) == ends.contains(count), "\(count)")
            }
            #expect(self.isAccepted(bytes, isChunk: isChunk))
            for index in bytes.indices {
                for flip in [1, 0x80, 0xff] as [UInt8] {
                    var changed = bytes
                    changed[index] ^= flip
                    _ = self.isAccepted(changed, isChunk: isChunk)
                }
            }
        }
        let endless: [UInt8] = [1] + Array(repeating: 0xff, count: 12)
        #expect(!self.isAccepted(endless, isChunk: false))
        #expect(!self.isAccepted([9], isChunk: false) && !self.isAccepted([9], isChunk: true))
    }

    @Test func aLargeChunkIsReadOnSeveralThreadsAndKeepsItsOrder() throws {
        let documents = self.documents()
        var recovery = Recovery(into: documents, TreeRegistry(configuration: Store.Configuration()))
        let chunk = try self.largeChunk()
        try chunk.withUnsafeBytes { try recovery.read(.checkpointChunk($0)) }
        try recovery.finish()
        let database = documents.registry.handle(try databaseName("d2"))
        let names = database.order.withLock { order in
            var walk = order.names.walk(from: .start, at: .max)
            var names: [String] = []
            while let (path, chain) = walk.next() {
                if chain.fields == fields("F") { names.append(path.string) }
            }
            return names
        }
        #expect(names == (0..<Self.largeCount).map { "c/\(10_000 + $0)" })
        #expect(database.counts.documents == Self.largeCount)
        let bytes = DocumentChain.documentBytes(path: try path("c/10000"), fields: fields("F"))
        #expect(documents.documentBytes == Self.largeCount * bytes)
    }

    /// As if its documents were read one by one.
    @Test(
        arguments: [
            ([700: "c", 1_400: "c//x"], 0, "a path is not a document's"),
            ([700: "c//x", 1_400: "c"], 0, "a document's path is not one"),
            ([1_400: "c"], 1, "a path is not a document's"),
            ([3_999: "c"], 1, "the payload ends too early"),
            ([:], 1, "the payload ends too early"),
            // Of one run, of one part, and of several.
            ([1: "c/10000"], 0, "a document is there twice"),
            ([499: "c/10000"], 0, "a document is there twice"),
            ([3_999: "c/10000", 700: "c"], 0, "a path is not a document's"),
            ([3_999: "c/10000"], 0, "a document is there twice"),
        ] as [([Int: String], Int, String)]
    )
    func ofALargeChunkTheFirstFlawIsTold(flaws: [Int: String], missing: Int, reason: String) throws {
        var recovery = Recovery(into: self.documents(), TreeRegistry(configuration: Store.Configuration()))
        let chunk = try self.largeChunk(flaws: flaws).dropLast(missing)
        let told: String? = Array(chunk).withUnsafeBytes { bytes in
            do throws(LogRejection) {
                try recovery.read(.checkpointChunk(bytes))
                return nil
            } catch {
                return error.reason
            }
        }
        #expect(told == reason)
    }

    private static let largeCount = 4_000

    /// In parts as a checkpoint has them; with other paths instead of some.
    private func largeChunk(flaws: [Int: String] = [:]) throws -> [UInt8] {
        var chunk = RecordWriter(capacity: 0)
        chunk.append(kind: .documents, snapshotTime: 1_000, creationTime: 256)
        for part in 0..<8 {
            chunk.append(run: try databaseName("d2"), count: Self.largeCount / 8)
            for number in (part * Self.largeCount / 8)..<((part + 1) * Self.largeCount / 8) {
                chunk.append(prefixed: Array((flaws[number] ?? "c/\(10_000 + number)").utf8))
                chunk.append(varint: 100)
                chunk.append(varint: 300)
                chunk.append(prefixed: fields("F").bytes)
            }
        }
        return chunk.bytes
    }

    private func isAccepted(_ bytes: [UInt8], isChunk: Bool) -> Bool {
        var recovery = Recovery(into: self.documents(), TreeRegistry(configuration: Store.Configuration()))
        return bytes.withUnsafeBytes { bytes in
            do throws(LogRejection) {
                try recovery.read(isChunk ? .checkpointChunk(bytes) : .record(time: 1_000, bytes))
                return true
            } catch {
                return false
            }
        }
    }
}
