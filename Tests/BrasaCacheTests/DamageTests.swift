import BrasaCacheFile
import BrasaDocuments
import BrasaQueryModel
import Foundation
import Testing

@testable import BrasaCache
@testable import BrasaSync
@testable import BrasaSyncSpecification

/// Whatever the bytes of the file are, the cache answers or fails; it never traps, and removing it is a cure.
@Suite struct DamageTests {
    @Test(arguments: 0..<25 as Range<UInt64>) func `Flipped bytes lead to errors at most`(_ seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let file = URL(filePath: "\(folder.path)/cache.sqlite")
        let values = try ModelValues()
        var dice = SeededRandom(seed: seed)
        let storage = try DiskStorage(folder: folder.path, database: SpecModel.database())
        for _ in 0..<20 { try Self.change(storage, values, &dice) }
        storage.close()

        var bytes = try Data(contentsOf: file)
        for _ in 0..<(1 << dice.below(10)) {
            // Half of them in the used parts: pages are filled from both ends.
            let page = dice.below(bytes.count / 4096) * 4096
            let offset =
                dice.below(2) == 0 ? dice.below(4096) : [dice.below(64), 4095 - dice.below(300)][dice.below(2)]
            bytes[page + offset] = UInt8(dice.below(256))
        }
        try bytes.write(to: file)
        do {
            let damaged = try DiskStorage(folder: folder.path, database: SpecModel.database())
            for _ in 0..<20 {
                do { try Self.change(damaged, values, &dice) } catch {}
                Self.read(damaged, values)
                _ = try? damaged.collectGarbage(CollectionLimits(bytesMax: 0, percent: 50), active: [])
            }
            damaged.close()
        } catch let error as DiskStorageError {
            #expect(error.code != .inUse && error.code != .diskFull)
        }
        try DiskStorage.remove(folder: folder.path)
        try Self.change(try DiskStorage(folder: folder.path, database: SpecModel.database()), values, &dice)
    }

    private static func change(
        _ storage: DiskStorage,
        _ values: ModelValues,
        _ dice: inout SeededRandom
    ) throws {
        let path = dice.pick(values.paths)
        let document = values.document(path, &dice)
        let batch = try values.batch(&dice)
        let overlay = try values.overlay(&dice)
        let user = dice.pick(values.users)
        let query = dice.pick(values.queries)
        let drops = dice.below(4) == 0
        try storage.transaction(.applyRemoteEvent) { tables throws(StorageError) in
            try tables.setDocument(document)
            if drops, let oldest = try tables.nextBatch(after: 0, of: user) {
                try tables.removeBatch(oldest, of: user)
                try tables.removeOverlays(ofBatch: oldest.id, of: user)
            }
            let id = try tables.appendBatch(batch, of: user).id
            try tables.setOverlay(StoredOverlay(batchID: id, overlay: overlay), at: path, of: user)
            let known = try tables.targetData(for: query.target)?.id
            let fresh = try tables.allocateTargetID()
            let target = known ?? fresh
            try tables.setTargetData(TargetData(target: query.target, id: target, purpose: .listen, sequence: 1))
            try tables.addRemoteKeys([path], to: target)
            try tables.setNamedQuery(NamedQuery(name: "q", query: query, readTime: .zero))
            try tables.setLastRemoteSnapshotVersion(document.readTime)
        }
    }

    /// Each in a transaction of its own, so that one failure does not hide the others.
    private static func read(_ storage: DiskStorage, _ values: ModelValues) {
        func attempt(_ body: (any StorageTables) throws(StorageError) -> Void) {
            do throws(StorageError) { try storage.transaction(.executeQuery, body) } catch {}
        }
        for path in values.paths {
            attempt { tables throws(StorageError) in _ = try tables.document(at: path).fields.decoded }
        }
        for user in values.users {
            attempt { tables throws(StorageError) in _ = try tables.allBatches(of: user) }
            for collection in values.collections {
                attempt { tables throws(StorageError) in _ = try tables.overlays(in: collection, of: user) }
            }
        }
        for collection in values.collections {
            attempt { tables throws(StorageError) in _ = try tables.documents(in: collection, readAfter: .zero) }
        }
        for target in values.targets {
            attempt { tables throws(StorageError) in
                let id = try tables.targetData(for: target)?.id
                _ = try tables.remoteKeys(of: id ?? 2)
            }
        }
        attempt { tables throws(StorageError) in _ = try tables.namedQuery("q") }
        attempt { tables throws(StorageError) in _ = try tables.collections(withID: "c") }
        attempt { tables throws(StorageError) in _ = try tables.lastRemoteSnapshotVersion() }
    }
}
