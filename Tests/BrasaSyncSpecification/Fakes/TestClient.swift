import BrasaDocuments
import BrasaQueries

@testable import BrasaSync

/// A client between a fake server and a test that plays the user.
final class TestClient {
    let scheduler = FakeScheduler()
    let transport: FakeTransport
    let storage: FailingStorage
    let client: SyncClient
    /// What happened, in order.
    var log: [String] = []
    private(set) var snapshots: [ViewSnapshot] = []
    private var tokens: [ListenerToken] = []
    private(set) var isNetworkEnabled = true

    convenience init(
        _ collector: MemoryStorage.Collector = .eager,
        configuration: SyncConfiguration = SyncConfiguration(cacheBytesMax: nil)
    ) throws {
        try self.init(MemoryStorage(collector: collector), configuration: configuration)
    }

    init(
        _ storage: any SyncStorage,
        configuration: SyncConfiguration = SyncConfiguration(cacheBytesMax: nil),
        server: FakeWriteServer? = nil
    ) throws {
        self.transport = FakeTransport(self.scheduler)
        server?.connect(self.transport)
        self.storage = FailingStorage(storage)
        self.client = SyncClient(
            database: try SpecModel.database(),
            configuration: configuration,
            storage: self.storage,
            scheduler: self.scheduler,
            transport: self.transport
        )
        self.settle()
    }

    var engine: SyncEngine { self.client.engine }
    var last: ViewSnapshot? { self.snapshots.last }

    func settle() {
        self.scheduler.drain()
    }

    // MARK: - The user

    func toggleNetwork() {
        self.isNetworkEnabled.toggle()
        if self.isNetworkEnabled {
            self.client.enableNetwork {}
        } else {
            self.client.disableNetwork {}
        }
    }

    @discardableResult
    func listen(_ query: SyncQuery, _ options: ListenOptions = ListenOptions()) -> ListenerToken {
        let token = self.client.listen(query, options: options) { [unowned self] event in
            switch event {
            case .failure(let error): self.log.append("error \(error.code)")
            case .success(let snapshot):
                self.snapshots.append(snapshot)
                let changes = snapshot.changes.map { "\($0.kind) \($0.document.path)" }.joined(separator: ", ")
                let cached = snapshot.isFromCache ? " (cached)" : ""
                self.log.append("[\(changes)]\(cached)\(snapshot.hasPendingWrites ? " (pending)" : "")")
            }
        }
        self.tokens.append(token)
        self.settle()
        return token
    }

    func unlistenAll() {
        for token in self.tokens { self.client.unlisten(token) }
        self.tokens = []
        self.settle()
    }

    func write(_ writes: Write...) {
        self.client.write(writes) { [unowned self] error in
            self.log.append(error.map { "rejected \($0.code)" } ?? "acknowledged")
        }
        self.settle()
    }

    // MARK: - The server

    func wireID(of query: SyncQuery) -> WireTargetID {
        self.engine.targetID(of: query).flatMap(self.engine.remote.wireTargets.wireID) ?? 0
    }

    func say(_ message: WatchMessage) {
        self.transport.say(message)
        self.settle()
    }

    /// The server's whole answer to a new target.
    func bring(_ documents: [SyncDocument], to query: SyncQuery, at version: Int64) {
        let id = self.wireID(of: query)
        self.say(.target(.init(.add, targets: [id])))
        self.change(documents, in: query, at: version)
    }

    func change(_ documents: [SyncDocument], in query: SyncQuery, at version: Int64) {
        let id = self.wireID(of: query)
        for document in documents {
            let isIn = query.matches(document)
            self.say(.document(document, targets: isIn ? [id] : [], removed: isIn ? [] : [id]))
        }
        self.say(.target(.init(.current, targets: [id], resumeToken: Array("t\(version)".utf8))))
        self.snapshot(version)
    }

    func snapshot(_ version: Int64) {
        self.say(.target(.init(.noChange, targets: [], readTime: Timestamp(microseconds: version))))
    }

    func acknowledge(_ version: Int64, _ transformResults: [Value] = []) {
        let time = Timestamp(microseconds: version)
        let result = WriteResult(updateTime: time, transformResults: transformResults)
        self.transport.answer(WriteMessage(streamToken: [2], commitTime: time, results: [result]))
        self.settle()
    }
}

// MARK: - Short names for tests

func path(_ text: String) throws -> ResourcePath { try ResourcePath(parsing: Array(text.utf8)) }

func field(_ text: String) throws -> FieldPath { try FieldPath(parsing: Array(text.utf8)) }

func fields(_ values: [String: Value]) -> EncodedFields {
    EncodedFields(encoding: values.map { Value.MapEntry(key: UTF8Text($0.key), value: $0.value) })
}

func document(_ text: String, _ version: Int64, _ values: [String: Value]?) throws -> SyncDocument {
    SyncDocument(
        path: try path(text),
        kind: values.map { .found(fields($0)) } ?? .missing,
        version: Timestamp(microseconds: version)
    )
}

func collection(
    _ id: String,
    orderBy: [StructuredQuery.Order] = [],
    filter: StructuredQuery.Filter? = nil,
    limit: Int32? = nil,
    limitType: SyncQuery.LimitType = .first,
    isGroup: Bool = false
) throws -> SyncQuery {
    var query = StructuredQuery()
    query.from = [StructuredQuery.CollectionSelector(collectionID: UTF8Text(id), allDescendants: isGroup)]
    query.orderBy = orderBy
    query.filter = filter
    query.limit = limit
    return try SyncQuery(query, parent: .root, limitType: limitType, database: SpecModel.database())
}

func set(_ text: String, _ values: [String: Value], _ transforms: [FieldTransform] = []) throws -> Write {
    var write = try SpecModel.write(text, .set(fields(values)))
    write.transforms = transforms
    return write
}

func patch(
    _ text: String,
    _ values: [String: Value],
    _ transforms: [FieldTransform] = [],
    mustExist: Bool = true
) throws -> Write {
    let mask = try values.keys.sorted().map(field)
    var write = try SpecModel.write(text, .merge(fields(values), mask: mask), mustExist: mustExist)
    write.transforms = transforms
    return write
}
