import BrasaCacheFile
import BrasaDocuments
import Foundation
import Testing

@testable import BrasaCache
@testable import BrasaSync
@testable import BrasaSyncSpecification

@Suite struct TransactionTests {
    private let folder: TemporaryFolder
    private let storage: DiskStorage

    init() throws {
        self.folder = try TemporaryFolder()
        self.storage = try DiskStorage(folder: self.folder.path, database: SpecModel.database())
    }

    private var fileBytes: Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(self.folder.path)/cache.sqlite")
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    private func set(_ documents: [SyncDocument]) throws {
        try self.storage.transaction(.applyRemoteEvent) { tables throws(StorageError) in
            for document in documents { try tables.setDocument(document) }
        }
    }

    private func isCached(_ text: String) throws -> Bool {
        let path = try path(text)
        return try self.storage.transaction(.readDocument) { tables throws(StorageError) in
            try tables.document(at: path).isValid
        }
    }

    @Test func `A transaction that fails leaves nothing behind, in the file or in memory`() throws {
        let found = try document("new/a", 5, [:])
        let other = try document("other/a", 5, [:])
        let batch = PendingBatch(
            localWriteTime: Timestamp(microseconds: 1),
            baseWrites: [],
            writes: [try SpecModel.write("new/a", .delete)]
        )
        let user = SyncUser(uid: "u")
        let version = Timestamp(microseconds: 9)
        var sequence: SequenceNumber = 0
        #expect(throws: StorageError.self) {
            try self.storage.transaction(.applyRemoteEvent) { tables throws(StorageError) in
                sequence = tables.sequence
                try tables.setDocument(found)
                _ = try tables.appendBatch(batch, of: user)
                try tables.setLastRemoteSnapshotVersion(version)
                throw StorageError(.applyRemoteEvent, reason: "changed its mind")
            }
        }
        #expect(try !self.isCached("new/a"))
        try self.set([other])
        #expect(try !self.isCached("new/a"))
        try self.storage.transaction(.applyRemoteEvent) { tables throws(StorageError) in
            #expect(try tables.lastRemoteSnapshotVersion() == .zero)
            #expect(try tables.nextBatch(after: 0, of: user) == nil)
            #expect(try tables.appendBatch(batch, of: user).paths.count == 1)
            #expect(tables.sequence > sequence)
        }
    }

    @Test func `A write of which no message can be made is not queued`() throws {
        let nested = fields(["a": .array([.array([])])])
        let write = try SpecModel.write("c/a", .set(nested))
        let batch = PendingBatch(localWriteTime: Timestamp(microseconds: 1), baseWrites: [], writes: [write])
        #expect(throws: StorageError.self) {
            try self.storage.transaction(.writeLocally) { tables throws(StorageError) in
                _ = try tables.appendBatch(batch, of: .signedOut)
            }
        }
    }

    @Test func `A full disk fails the transaction and nothing else`() throws {
        try self.set([try document("c/a", 1, [:])])
        // Not below what the file has.
        try self.limitPages(1)
        let large = try document("c/b", 1, ["s": .bytes(Array(repeating: 7, count: 500_000))])
        let error = #expect(throws: StorageError.self) { try self.set([large]) }
        #expect(error?.reason.contains("full") == true)
        #expect(try self.isCached("c/a"))
        #expect(try !self.isCached("c/b"))
        try self.limitPages(1_000_000)
        try self.set([large])
        #expect(try self.isCached("c/b"))
    }

    private func limitPages(_ count: Int) throws {
        try self.storage.open?.connection.file.execute("PRAGMA max_page_count = \(count)")
    }

    @Test func `The file stays bounded while documents come and go, and shrinks when it may be smaller`() throws {
        var isLarge = false
        let limits = CollectionLimits(bytesMax: 1_048_576)
        self.storage.sizeWatch = SizeWatch(bytesMax: limits.bytesMax) { isLarge = true }
        var bites = 0
        var largest = 0
        for round in 0..<200 {
            let bytes = Value.bytes(Array(repeating: UInt8(round), count: 400))
            try self.set(try (0..<50).map { try document("c/\(round)-\($0)", Int64(1 + round), ["s": bytes]) })
            while isLarge {
                isLarge = try self.storage.collectGarbage(limits, active: []).isUnfinished
                bites += 1
            }
            largest = max(largest, self.fileBytes)
        }
        #expect(bites > 5)
        #expect(largest < 2 * limits.bytesMax)
        #expect(try !self.isCached("c/0-0"))
        #expect(try self.isCached("c/199-49"))
        let smaller = CollectionLimits(bytesMax: 200_000)
        while try self.storage.collectGarbage(smaller, active: []).isUnfinished {}
        self.storage.close()
        #expect(self.fileBytes < 600_000)
    }

    @Test(arguments: StorageOperation.allCases)
    func `What must outlive the loss of power is on stable storage before it is done`(_ operation: StorageOperation)
        throws
    {
        try self.storage.transaction(operation) { _ in }
        let mode = try self.storage.open?.connection.file.integers("PRAGMA synchronous")
        let durable: Set<StorageOperation> = [.writeLocally, .noteWriteStream, .rejectBatch]
        #expect(mode == [durable.contains(operation) ? 2 : 1])
    }

    @Test func `A time that the protocol cannot carry is damage, not something to reckon with`() throws {
        let data = TargetData(target: .bundle("b"), id: 2, purpose: .listen, sequence: 1)
        try self.storage.transaction(.allocateTarget) { tables throws(StorageError) in try tables.setTargetData(data) }
        for time in [Int64.min, .max] {
            let file = try #require(self.storage.open).connection.file
            try file.statement("UPDATE targets SET snapshot_version = ?").run(.integer(time))
            let error = #expect(throws: StorageError.self) {
                try self.storage.transaction(.allocateTarget) { tables throws(StorageError) in
                    _ = try tables.targetData(for: data.target)
                }
            }
            #expect(error?.reason.contains("damaged") == true)
        }
    }

    @Test func `Old targets that are listened to do not keep others from being collected`() throws {
        try self.storage.transaction(.allocateTarget) { tables throws(StorageError) in
            for id in 1...50 as ClosedRange<TargetID> {
                let target = SyncTarget.bundle(UTF8Text("\(id)"))
                try tables.setTargetData(TargetData(target: target, id: id, purpose: .listen, sequence: 0))
            }
        }
        try self.set(try (0..<50).map { try document("c/\($0)", 1, [:]) })
        let limits = CollectionLimits(bytesMax: 0, percent: 10, countMax: 5)
        let outcome = try self.storage.collectGarbage(limits, active: Set(1...50))
        #expect(outcome.removed > 0)
        #expect(try !self.isCached("c/0"))
    }

    @Test func `A bite takes no more than its share, however much is let go of at once`() throws {
        let keys = Set(try (0..<500).map { try path("c/\($0)") })
        let target = TargetData(target: .bundle("b"), id: 2, purpose: .listen, sequence: 1)
        try self.storage.transaction(.applyRemoteEvent) { tables throws(StorageError) in
            for key in keys { try tables.setDocument(.found(key, .empty, version: Timestamp(microseconds: 1))) }
            try tables.setTargetData(target)
            try tables.addRemoteKeys(keys, to: 2)
        }
        let limits = CollectionLimits(bytesMax: 0, percent: 100, countMax: 100)
        let collection = try path("c")
        var left = 500
        for _ in 0..<20 {
            _ = try self.storage.collectGarbage(limits, active: [])
            let now = try self.storage.transaction(.executeQuery) { tables throws(StorageError) in
                try tables.documents(in: collection, readAfter: Timestamp(microseconds: -1)).count
            }
            #expect(left - now <= 100)
            left = now
        }
        #expect(left == 0)
    }
}
