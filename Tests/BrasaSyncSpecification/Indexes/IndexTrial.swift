import BrasaDocuments
import BrasaQueries
import BrasaQueryModel

@testable import BrasaSync

/// Random documents, writes, answers, users, indexes and back-fill, with a few queries that come again and again. Through
/// indexes they must find what a look at every document finds.
struct IndexTrial {
    private var generator: QueryCaseGenerator
    private let limits: IndexLimits
    private let open: () throws -> any SyncStorage
    private var storage: any SyncStorage
    private var local: LocalStore
    private let queries: [SyncQuery]
    private var paths: [ResourcePath]
    /// Of documents that the queries were made for.
    private let likely: [EncodedFields]
    private var time: Int64 = 1_000

    /// How many queries were answered by indexes, and how many of these through a limit.
    private(set) var indexedCount = 0
    private(set) var indexedLimitCount = 0

    /// The cache is closed and opened now and then.
    init(seed: UInt64, limits: IndexLimits, open: @escaping () throws -> any SyncStorage) throws {
        self.limits = limits
        self.open = open
        self.storage = try open()
        self.local = LocalStore(storage: self.storage, user: .signedOut)
        self.local.indexLimits = limits
        var generator = QueryCaseGenerator(seed: seed, database: try SpecModel.database())
        var paths: Set<ResourcePath> = []
        var likely: [EncodedFields] = []
        self.queries = (0..<9).compactMap { number in
            let made = number < 6 ? generator.nextLikely() : number < 8 ? generator.next() : generator.nextNamed()
            let results = made.model.ordered(made.documents).prefix(2) + made.documents.prefix(2)
            paths.formUnion(results.map(\.path))
            likely += results.map(\.fields)
            var query = made.query
            (query.offset, query.select) = (0, nil)
            if generator.random.chance(2) { query.limit = Int32(generator.random.below(5)) }
            let limitType: SyncQuery.LimitType = generator.random.chance(2) ? .first : .last
            let checked = try? SyncQuery(
                query,
                parent: made.parent.path,
                limitType: limitType,
                database: made.parent.database
            )
            // Clients ask for collections by their ids.
            return checked?.names?.collectionID == nil ? nil : checked
        }
        self.paths = paths.sorted()
        self.likely = likely
        self.generator = generator
        if self.hasSmallBites { try self.scatter() }
    }

    /// Some are to end within a collection that leaves.
    private var hasSmallBites: Bool { self.limits.documentsMax < 10 }

    /// Small collections with the ids that there are, to be gone through one after the other.
    private mutating func scatter() throws {
        let twins = try self.paths.prefix(24).enumerated().map { number, path in
            try ResourcePath.root.appending("p".utf8).appending("\(number / 2)".utf8)
                .appending(path.collectionID).appending(path.lastSegment)
        }
        // Those that are filled first leave first.
        for path in twins + self.paths { try self.bring([path]) }
        self.paths = Set(self.paths + twins).sorted()
    }

    /// The real ones, and such that the least that happens is more than a bite.
    static func limits(_ seed: UInt64) -> IndexLimits {
        if seed.isMultiple(of: 3) { return IndexLimits() }
        return IndexLimits(
            documentsMax: 3,
            entriesMax: 2,
            forgottenMax: 2,
            lateMin: seed.isMultiple(of: 2) ? 4 : 1000,
            usersMax: 2
        )
    }

    mutating func step() throws {
        switch self.generator.random.below(20) {
        case 0, 1: try self.bringDocuments()
        case 2, 3, 4, 5: try self.write()
        case 6, 7: try self.answer(isAccepted: true)
        case 8, 9, 10: try self.answer(isAccepted: false)
        case 11, 12: try self.addIndex()
        case 13 where self.generator.random.chance(8): try self.removeIndex()
        case 14 where self.generator.random.chance(4):
            _ = try self.local.changeUser(to: SyncUser(uid: self.generator.random.pick([nil, "u", "v"])))
        case 15 where self.hasSmallBites || self.generator.random.chance(4): try self.collect()
        case 16 where self.generator.random.chance(4): try self.reopen()
        default: try self.backfill()
        }
        try self.check(self.generator.random.pick(self.queries))
    }

    mutating func settle() throws {
        while try self.backfill() {}
        for query in self.queries { try self.check(query) }
    }

    /// Removes all indexes. Nothing of them must be left then.
    mutating func removeAllIndexes() throws {
        try self.local.setIndexes([])
        while try self.backfill() {}
    }

    /// Whether there is more to do.
    @discardableResult
    private func backfill() throws -> Bool {
        switch try self.local.backfillIndexes() {
        case .more: return true
        case .noIndexes: break
        case .upToDate: try self.checkEntries()
        }
        try self.checkBounds()
        return false
    }

    /// Whether no more is kept than what somebody may come back for.
    private func checkBounds() throws {
        try self.storage.transaction(.readDocument) { tables throws(StorageError) in
            guard let indexes = tables.indexes else { return }
            let all = try indexes.fieldIndexes()
            for id in Set(self.paths.map(\.collectionID)).compactMap({ UTF8Text(validating: Array($0)) }) {
                var lacked: ChangeNumber?
                for index in all where index.definition.collectionID == id {
                    let parts = try indexes.parts(of: index.id)
                    var isBounded = parts.count <= self.limits.usersMax
                    for part in parts where part.progress.stage != .abandoned {
                        let last = part.progress.lastChange
                        lacked = min(lacked ?? last, last)
                        let count = try indexes.documentCount(ofCollectionID: id, of: part.user)
                        let lacking = try indexes.changeCount(ofCollectionID: id, after: last)
                        // Late parts are looked for now and then.
                        isBounded = isBounded && lacking <= count + 2 * self.limits.lateMin
                    }
                    guard isBounded else { throw StorageError(.readDocument, reason: "too much is kept") }
                }
                let first = try indexes.changes(ofCollectionID: id, after: 0, limit: 1).first
                if let first, lacked.map({ first.number <= $0 }) ?? true {
                    throw StorageError(.readDocument, reason: "a change is kept that nobody lacks")
                }
            }
        }
    }

    /// Whether the entries are those of the documents as they are, once there is nothing left to do.
    private func checkEntries() throws {
        try self.storage.transaction(.readDocument) { tables throws(StorageError) in
            guard let indexes = tables.indexes else { return }
            for index in try indexes.fieldIndexes() {
                let entries = try indexes.entries(
                    of: index.id,
                    for: self.local.user,
                    in: .all,
                    isReversed: false,
                    limit: .max
                )
                var wanted: Set<[UInt8]> = []
                for path in self.paths where index.definition.covers(path) {
                    let document = try self.local.documents(tables).document(at: path)
                    guard document.isFound else { continue }
                    wanted.formUnion((index.definition.keys(path: path, fields: document.fields) ?? []).map(\.bytes))
                }
                guard Set(entries.map(\.key)) == wanted else {
                    throw StorageError(.readDocument, reason: "wrong entries of \(index.definition.properties)")
                }
            }
        }
    }

    // MARK: - What happens

    /// Read times go both ways: an acknowledgement may come before older events, and bundles are as old as they are.
    private mutating func now() -> Timestamp {
        self.time += Int64(self.generator.random.below(5)) - 1
        return Timestamp(microseconds: self.time)
    }

    private mutating func reopen() throws {
        self.storage.close()
        self.storage = try self.open()
        self.local = LocalStore(storage: self.storage, user: self.local.user)
        self.local.indexLimits = self.limits
    }

    private mutating func fields() -> EncodedFields {
        if self.generator.random.chance(2) { return self.generator.random.pick(self.likely) }
        return EncodedFields(encoding: self.generator.entries())
    }

    private mutating func bringDocuments() throws {
        try self.bring((0...self.generator.random.below(6)).map { _ in self.generator.random.pick(self.paths) })
    }

    private mutating func bring(_ paths: [ResourcePath]) throws {
        var documents: DocumentMap = [:]
        for path in paths {
            let kind: SyncDocument.Kind =
                self.generator.random.chance(5)
                ? .missing : .found(self.fields())
            let version = self.generator.random.chance(20) ? Timestamp.zero : self.now()
            documents[path] = SyncDocument(path: path, kind: kind, version: version, readTime: self.now())
        }
        _ = try self.storage.transaction(.applyRemoteEvent) { tables throws(StorageError) in
            try self.local.store(documents, in: tables)
        }
    }

    /// Some of what leaves comes back at once.
    private mutating func collect() throws {
        let before = try self.cached()
        let percent = 5 + self.generator.random.below(30)
        _ = try self.local.collectGarbage(CollectionLimits(bytesMax: 0, percent: percent))
        let removed = before.subtracting(try self.cached()).sorted()
        try self.bring(removed.filter { _ in self.generator.random.chance(2) })
    }

    private func cached() throws -> Set<ResourcePath> {
        try self.storage.transaction(.readDocument) { tables throws(StorageError) in
            var paths: Set<ResourcePath> = []
            for path in self.paths where try tables.document(at: path).isValid { paths.insert(path) }
            return paths
        }
    }

    private mutating func write() throws {
        let writes = try (0...self.generator.random.below(3)).map { _ in try self.nextWrite() }
        _ = try self.local.writeLocally(writes, at: self.now())
    }

    private mutating func nextWrite() throws -> Write {
        let path = self.generator.random.pick(self.paths)
        guard let name = DocumentName(database: self.generator.database, path: path) else {
            throw SpecFailure("no name")
        }
        let fields = self.fields()
        let mask = try ["a", "b", "t"].filter { _ in self.generator.random.chance(2) }.map {
            try FieldPath(names: [UTF8Text($0)])
        }
        switch self.generator.random.below(5) {
        case 0: return Write(name: name, operation: .delete)
        case 1, 2: return Write(name: name, operation: .set(fields))
        case 3: return Write(name: name, operation: .merge(fields, mask: mask), precondition: .exists(true))
        default:
            let transform = FieldTransform(
                path: try FieldPath(names: ["a"]),
                operation: self.generator.random.chance(2) ? .requestTime : .increment(.integer(1))
            )
            return Write(name: name, operation: .merge(.empty, mask: []), transforms: [transform])
        }
    }

    private mutating func answer(isAccepted: Bool) throws {
        guard let batch = try self.local.nextBatch(after: -1) else { return }
        guard isAccepted else {
            _ = try self.local.reject(batch.id)
            return
        }
        let results = batch.writes.map { write in
            WriteResult(updateTime: nil, transformResults: write.transforms.map { _ in .integer(3) })
        }
        guard let answer = Acknowledgement(batch, commitTime: self.now(), results: results) else { return }
        _ = try self.local.acknowledge(answer)
    }

    /// What a query wants or, now and then, something else that may be of use to it.
    private mutating func addIndex() throws {
        let query = self.generator.random.pick(self.queries)
        guard let checked = query.checked,
            let conjunction = checked.disjunctions.randomElement(using: &self.generator.random),
            let ideal = ConjunctionShape(conjunction, of: checked).idealDefinition
        else { return }
        var parts = ideal.parts
        if self.generator.random.chance(3) {
            parts.shuffle(using: &self.generator.random)
            if self.generator.random.chance(2), parts.count > 1 { parts.removeLast() }
            parts = parts.map { part in
                guard part.kind != .contains, self.generator.random.chance(2) else { return part }
                return .init(part.path, part.kind == .ascending ? .descending : .ascending)
            }
        }
        let definition = IndexDefinition(collectionID: ideal.collectionID, scope: ideal.scope, parts: parts)
        let present = try self.definitions()
        if !present.contains(definition) { try self.local.setIndexes(present + [definition]) }
    }

    private mutating func removeIndex() throws {
        try self.local.setIndexes(self.definitions().filter { _ in self.generator.random.chance(2) })
    }

    private func definitions() throws -> [IndexDefinition] {
        try self.storage.transaction(.configureIndexes) { tables throws(StorageError) in
            try tables.indexes?.fieldIndexes().map(\.definition) ?? []
        }
    }

    // MARK: - What must hold

    private mutating func check(_ query: SyncQuery) throws {
        let (wanted, found) = try self.storage.transaction(.executeQuery) { tables throws(StorageError) in
            let documents = self.local.documents(tables)
            let all = try documents.documents(at: self.paths).filter { query.matches($0.value) }
            let runner = QueryRunner(tables: tables, user: self.local.user)
            let run = try runner.run(query, lastLimboFreeVersion: .zero, remoteKeys: [])
            if run.scanned == nil {
                self.indexedCount += 1
                if query.limit != nil { self.indexedLimitCount += 1 }
            }
            return (Self.results(of: query, all), Self.results(of: query, run.documents))
        }
        guard wanted == found else {
            throw SpecFailure(
                "\(query.target) \(query.limitType) \(query.limit ?? -1): \(found.map(\.path)) instead of \(wanted.map(\.path)) with \(try self.definitions().map(\.properties))"
            )
        }
    }

    private static func results(of query: SyncQuery, _ documents: DocumentMap) -> [SyncDocument] {
        var set = DocumentSet(order: query.order)
        set.apply(documents.mapValues { $0 })
        if let limit = query.limit { _ = set.trim(to: limit, keepingFirst: query.limitType == .first) }
        return Array(set)
    }
}
