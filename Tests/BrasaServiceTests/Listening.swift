import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaQueries
import BrasaWire
import NIOCore

@testable import BrasaService

/// A Listen stream of the client: every response as a line of text, and what a client would make of them.
final class Listening {
    let service: ServiceUnderTest
    /// Since the last look.
    private var lines: [String] = []
    private(set) var status: GRPCStatus?
    private(set) var snapshots: [Timestamp] = []
    /// The newest token.
    private(set) var token: [UInt8] = []
    private(set) var documents: [DocumentName: Document] = [:]
    private var stream: RequestStream<ListenRequest>?

    init(_ service: ServiceUnderTest) {
        self.service = service
        self.stream = service.stub.listen(
            received: { self.receive($0) },
            finished: { self.status = $0.status }
        )
    }

    var call: GRPCClientCall? { self.stream?.call }

    func send(_ change: ListenRequest.Change?, in database: DatabaseName = ServiceUnderTest.database) {
        self.stream?.send(ListenRequest(database: database, change: change))
    }

    func send(_ bytes: [UInt8]) {
        self.call?.send(ByteBuffer(bytes: bytes))
    }

    func add(_ target: ListenTarget) {
        self.send(.add(target))
    }

    func remove(_ id: Int32) {
        self.send(.remove(id))
    }

    /// What came since the last call, once nothing moves any more.
    func take() throws -> [String] {
        try self.service.run()
        defer { self.lines = [] }
        return self.lines
    }

    // MARK: Responses

    private func receive(_ response: ListenResponse) {
        switch response {
        case .targetChange(let change):
            self.lines.append(Self.text(of: change))
            if !change.resumeToken.isEmpty { self.token = change.resumeToken }
            if change.kind == .noChange, change.targetIDs.isEmpty, let time = change.readTime {
                self.snapshots.append(time)
            }
            if change.kind == .reset { self.documents = [:] }
        case .documentChange(let change):
            let path = change.document.name.path.string
            self.lines.append("\(path)\(Self.text(change.targetIDs, change.removedTargetIDs))")
            self.documents[change.document.name] = change.targetIDs.isEmpty ? nil : change.document.document
        case .documentDelete(let delete):
            let path = delete.name.path.string
            self.lines.append("deleted \(path)\(Self.text([], delete.removedTargetIDs))")
            self.documents[delete.name] = nil
        case .documentRemove(let remove):
            let path = remove.name.path.string
            self.lines.append("removed \(path)\(Self.text([], remove.removedTargetIDs))")
            self.documents[remove.name] = nil
        case .filter(let filter):
            self.lines.append("FILTER \(filter.targetID) \(filter.count)")
        case .unknown:
            self.lines.append("unknown")
        }
    }

    private static func text(_ targets: [Int32], _ removed: [Int32]) -> String {
        targets.sorted().map { " +\($0)" }.joined() + removed.sorted().map { " -\($0)" }.joined()
    }

    /// A snapshot that cannot be resumed from says so.
    private static func text(of change: TargetChange) -> String {
        var words = [String(describing: change.kind).uppercased()]
        if change.kind == .noChange { words = [change.targetIDs.isEmpty ? "SNAPSHOT" : "RESUMABLE"] }
        words += change.targetIDs.map { "\($0)" }
        if let cause = change.cause { words.append("\(cause.code): \(cause.message)") }
        let isTimed = change.kind == .current || words == ["SNAPSHOT"]
        if isTimed != (change.readTime != nil) { words.append("with a wrong time") }
        if change.kind == .current, change.resumeToken.isEmpty { words.append("without token") }
        return words.joined(separator: " ")
    }
}

extension ListenTarget {
    /// The documents of the collection `c`, with `n` above 0 if there is a filter.
    static func collection(
        _ id: Int32,
        filtered: Bool = false,
        limit: Int32? = nil,
        resume: ResumePoint? = nil,
        once: Bool = false,
        expectedCount: Int32? = nil
    ) throws -> ListenTarget {
        var query = StructuredQuery(from: [.init(collectionID: "c")])
        let field = try FieldPath(parsing: "n".utf8)
        if filtered { query.filter = .field(field, .greaterThan, .integer(0)) }
        if limit != nil { query.orderBy = [.init(field: field)] }
        query.limit = limit
        return ListenTarget(
            id: id,
            .query(try parent(), query),
            resume: resume,
            once: once,
            expectedCount: expectedCount
        )
    }

    static func documents(_ id: Int32, _ paths: String..., once: Bool = false) throws -> ListenTarget {
        ListenTarget(id: id, .documents(try paths.map(name)), once: once)
    }
}
