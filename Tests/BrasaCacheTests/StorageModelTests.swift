import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import Testing

@testable import BrasaCache
@testable import BrasaSync
@testable import BrasaSyncSpecification

/// Whatever is done to the storage in memory and to the one on disk, both say the same, also after the file was closed and
/// opened.
@Suite struct StorageModelTests {
    @Test(arguments: 0..<12 as Range<UInt64>) func `Memory and disk give the same answers`(_ seed: UInt64) throws {
        var run = try ModelRun(seed: seed)
        for step in 0..<250 {
            try run.step()
            if step % 25 == 24 { try run.compareAll() }
        }
    }
}

private struct ModelRun {
    private let memory = MemoryStorage(collector: .leastRecentlyUsed)
    private let folder: TemporaryFolder
    private var disk: DiskStorage
    private var dice: SeededRandom
    private let values: ModelValues
    private var targets: [SyncTarget: TargetID] = [:]

    init(seed: UInt64) throws {
        self.folder = try TemporaryFolder()
        self.disk = try DiskStorage(folder: self.folder.path, database: SpecModel.database())
        self.dice = SeededRandom(seed: seed)
        self.values = try ModelValues()
    }

    /// What both say, in text.
    private func both(
        _ operation: StorageOperation = .applyRemoteEvent,
        _ body: (any StorageTables) throws(StorageError) -> String
    ) throws {
        let left = try self.memory.transaction(operation, body)
        let right = try self.disk.transaction(operation, body)
        try #require(left == right)
    }

    mutating func step() throws {
        switch self.dice.below(15) {
        case 0: try self.reopen()
        case 1, 2, 3: try self.changeDocument()
        case 4, 5: try self.queue()
        case 6: try self.unqueue()
        case 7: try self.changeOverlays()
        case 8, 9, 10: try self.changeTargets()
        case 11: try self.changeBundles()
        case 12: try self.seeOrUnsee()
        case 13: try self.moveWriteStream()
        default: try self.collect()
        }
    }

    private mutating func reopen() throws {
        guard self.dice.below(3) == 0 else { return }
        self.disk.close()
        let old = self.disk.viewReferences
        self.disk = try DiskStorage(folder: self.folder.path, database: SpecModel.database())
        for path in old.paths(of: 2) { self.disk.viewReferences.add(path, 2) }
    }

    private mutating func changeDocument() throws {
        let path = self.dice.pick(self.values.paths)
        let choice = self.dice.below(8)
        let document = self.values.document(path, &self.dice)
        try self.both { tables throws(StorageError) in
            switch choice {
            case 0: try tables.removeDocument(at: path)
            case 1: try tables.noteUse(of: path)
            default: try tables.setDocument(document)
            }
            return "\(try tables.document(at: path))"
        }
    }

    private mutating func queue() throws {
        let user = self.dice.pick(self.values.users)
        let batch = try self.values.batch(&self.dice)
        try self.both { tables throws(StorageError) in "\(try tables.appendBatch(batch, of: user))" }
    }

    private mutating func unqueue() throws {
        let user = self.dice.pick(self.values.users)
        try self.both { tables throws(StorageError) in
            guard let batch = try tables.nextBatch(after: 0, of: user) else { return "none" }
            try tables.removeBatch(batch, of: user)
            try tables.removeOverlays(ofBatch: batch.id, of: user)
            return "\(batch)"
        }
    }

    private mutating func moveWriteStream() throws {
        let user = self.dice.pick(self.values.users)
        let position = WriteStreamPosition(
            streamID: UTF8Text("stream \(self.dice.below(5))"),
            token: (0..<self.dice.below(9)).map { UInt8($0) }
        )
        let isKnown = self.dice.below(4) > 0
        try self.both(.noteWriteStream) { tables throws(StorageError) in
            let before = try tables.writeStreamPosition(of: user)
            try tables.setWriteStreamPosition(isKnown ? position : nil, of: user)
            return "\(String(describing: before))"
        }
    }

    private mutating func changeOverlays() throws {
        let user = self.dice.pick(self.values.users)
        let path = self.dice.pick(self.values.paths)
        let overlay = try self.values.overlay(&self.dice)
        try self.both { tables throws(StorageError) in
            let batches = try tables.batches(of: user, affecting: [path])
            try tables.setOverlay(
                batches.last.map { StoredOverlay(batchID: $0.id, overlay: overlay) },
                at: path,
                of: user
            )
            return "\(batches)"
        }
    }

    private mutating func changeTargets() throws {
        let target = self.dice.pick(self.values.targets)
        let version = Timestamp(microseconds: Int64(self.dice.below(1_000_000)))
        let keys = Set((0..<self.dice.below(5)).map { _ in self.dice.pick(self.values.paths) })
        let choice = self.dice.below(4)
        var id: TargetID = 0
        try self.both { tables throws(StorageError) in
            var data: TargetData
            if let known = try tables.targetData(for: target) {
                data = known
            } else {
                let id = try tables.allocateTargetID()
                data = TargetData(target: target, id: id, purpose: .listen, sequence: tables.sequence)
            }
            id = data.id
            data.sequence = tables.sequence
            data.snapshotVersion = version
            data.lastLimboFreeVersion = version
            data.resumeToken = choice == 0 ? [] : [1, UInt8(choice)]
            if choice == 0 { try tables.releaseTarget(data, seen: []) } else { try tables.setTargetData(data) }
            if choice == 1 {
                try tables.removeRemoteKeys(keys, from: data.id)
            } else {
                try tables.addRemoteKeys(keys, to: data.id)
            }
            try tables.setLastRemoteSnapshotVersion(version)
            return "\(id) \(try tables.remoteKeys(of: id).sorted())"
        }
        self.targets[target] = id
    }

    private mutating func changeBundles() throws {
        let id = UTF8Text("bundle \(self.dice.below(3))")
        let time = Timestamp(microseconds: Int64(self.dice.below(100)))
        let query = NamedQuery(name: id, query: self.dice.pick(self.values.queries), readTime: time)
        try self.both(.bundle) { tables throws(StorageError) in
            try tables.setBundleCreateTime(time, of: id)
            try tables.setNamedQuery(query)
            return ""
        }
    }

    private mutating func seeOrUnsee() throws {
        let path = self.dice.pick(self.values.paths)
        for references in [self.memory.viewReferences, self.disk.viewReferences] {
            if references.contains(path) { references.remove(path, 2) } else { references.add(path, 2) }
        }
    }

    private mutating func collect() throws {
        let limits = CollectionLimits(bytesMax: 0, percent: 10 + self.dice.below(60), countMax: .max)
        let active = Set(self.targets.values.sorted().filter { _ in self.dice.below(2) == 0 })
        _ = try self.memory.collectGarbage(limits, active: active)
        _ = try self.disk.collectGarbage(limits, active: active)
    }

    func compareAll() throws {
        try self.both { tables throws(StorageError) in
            var lines: [String] = []
            for path in self.values.paths { lines.append("\(path): \(try tables.document(at: path))") }
            for collection in self.values.collections {
                for time in [0, 500] as [Int64] {
                    let documents = try tables.documents(in: collection, readAfter: Timestamp(microseconds: time))
                    lines.append("\(collection) \(documents.map(\.path).sorted())")
                }
            }
            lines += try self.users(tables)
            for target in self.values.targets {
                guard let data = try tables.targetData(for: target) else { continue }
                lines.append("\(data.id) \(data.snapshotVersion) \(data.lastLimboFreeVersion) \(data.resumeToken)")
                lines.append("\(try tables.remoteKeys(of: data.id).sorted())")
            }
            for index in 0..<3 {
                let id = UTF8Text("bundle \(index)")
                lines.append("\(String(describing: try tables.bundleCreateTime(id)))")
                guard let query = try tables.namedQuery(id) else { continue }
                lines.append("\(query.readTime) \(query.query.limitType) \(query.query.target)")
            }
            lines.append("\(try tables.lastRemoteSnapshotVersion())")
            return lines.joined(separator: "\n")
        }
        // Those with nothing left in them may be forgotten on disk.
        let known = try self.disk.transaction(.executeQuery) { tables throws(StorageError) in
            try tables.collections(withID: "c")
        }
        for collection in self.values.collections where collection.collectionID.elementsEqual("c".utf8) {
            let documents = try self.memory.transaction(.executeQuery) { tables throws(StorageError) in
                try tables.documents(in: collection, readAfter: Timestamp(microseconds: -1))
            }
            #expect(documents.isEmpty || known.contains(collection))
        }
    }

    private func users(_ tables: any StorageTables) throws(StorageError) -> [String] {
        var lines: [String] = []
        for user in self.values.users {
            let batches = try tables.allBatches(of: user)
            lines.append("\(batches) \(String(describing: try tables.highestBatchID(of: user)))")
            for batch in batches { lines.append("\(String(describing: try tables.batch(batch.id, of: user)?.id))") }
            for path in self.values.paths {
                lines.append("\(String(describing: try tables.overlay(at: path, of: user)))")
                lines.append("\(try tables.batches(of: user, affecting: [path]).map(\.id))")
            }
            for collection in self.values.collections {
                let overlays = try tables.overlays(in: collection, of: user)
                lines.append("\(overlays.sorted { $0.key < $1.key })")
            }
        }
        return lines
    }
}
