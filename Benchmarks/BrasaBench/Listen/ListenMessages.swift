import BrasaBytes
import BrasaDocuments
import BrasaGRPC
import BrasaHTTP2
import BrasaMessages
import BrasaQueries
import BrasaWire
import NIOCore

/// What a listener and a writer say to one kind of server.
protocol ListenMessages: Sendable {
    var listen: GRPCMethodDescriptor { get }
    var write: GRPCMethodDescriptor { get }
    var metadata: GRPCMetadata? { get }

    /// The one request of a listener.
    func subscribe(into message: inout ByteBuffer)
    /// Changes one of `documents`.
    func change(_ document: Int, stamp: UInt64, into message: inout ByteBuffer)
    /// Whether a listener that receives this has the first state.
    func completesFirstState(_ message: ByteBuffer) -> Bool
}

extension ListenPlan {
    /// How many documents there are to change in turn.
    var documents: Int { self.subject == .document ? 1 : 10 }

    func messages() throws -> any ListenMessages {
        switch self.peer {
        case .firestore: try FirestoreListenMessages(self)
        case .etcd: EtcdListenMessages(self)
        }
    }
}

struct FirestoreListenMessages: ListenMessages {
    let listen = FirestoreMethods.listen
    let write = FirestoreMethods.commit
    private let database: DatabaseName
    private let names: [DocumentName]
    private let target: ListenTarget
    private let text: Value

    init(_ plan: ListenPlan) throws {
        let database = try DatabaseName(parsing: "projects/bench/databases/(default)".utf8)
        self.database = database
        self.names = try (0..<plan.documents).map { index in
            try DocumentName(parsing: "\(database.string)/documents/listened/document-\(index)".utf8)
        }
        let text = String(repeating: "x", count: max(1, plan.documentBytes - ChangeStamp.byteCount - 40))
        self.text = .string(UTF8Text(text))
        switch plan.subject {
        case .document:
            self.target = ListenTarget(id: 2, .documents(self.names))
        case .query:
            let isKind = StructuredQuery.Filter.field(try FieldPath(names: ["kind"]), .equal, .integer(1))
            let query = StructuredQuery(from: [.init(collectionID: "listened")], filter: isKind)
            let root = try ParentName(parsing: "\(database.string)/documents".utf8)
            self.target = ListenTarget(id: 2, .query(root, query))
        }
    }

    var metadata: GRPCMetadata? {
        GRPCMetadata(headers: HTTP2Headers([(.authorization, "Bearer owner")]))
    }

    func subscribe(into message: inout ByteBuffer) {
        ListenRequest(database: self.database, change: .add(self.target)).encode(into: &message)
    }

    func change(_ document: Int, stamp: UInt64, into message: inout ByteBuffer) {
        let fields = EncodedFields(encoding: [
            Value.MapEntry(key: "kind", value: .integer(1)),
            Value.MapEntry(key: "stamp", value: .bytes(ChangeStamp.bytes(stamp))),
            Value.MapEntry(key: "text", value: self.text),
        ])
        let write = Write(name: self.names[document], operation: .set(fields))
        CommitRequest(database: self.database, writes: [write]).encode(into: &message)
    }

    /// The snapshot that follows CURRENT has no ids.
    func completesFirstState(_ message: ByteBuffer) -> Bool {
        guard case .targetChange(let change) = try? ListenResponse(decoding: message) else { return false }
        return change.kind == .noChange && change.targetIDs.isEmpty && change.readTime != nil
    }
}

/// The messages of `etcdserverpb`, by hand: there are few, and of few fields.
struct EtcdListenMessages: ListenMessages {
    let listen = GRPCMethodDescriptor(service: "etcdserverpb.Watch", method: "Watch", kind: .bidirectional)
    let write = GRPCMethodDescriptor(service: "etcdserverpb.KV", method: "Put", kind: .unary)
    let metadata: GRPCMetadata? = nil
    private let subject: ListenPlan.Subject
    private let padding: [UInt8]

    init(_ plan: ListenPlan) {
        self.subject = plan.subject
        self.padding = Array(repeating: UInt8(ascii: "x"), count: max(1, plan.documentBytes - ChangeStamp.byteCount))
    }

    private static func key(_ document: Int) -> [UInt8] { Array("listened/document-\(document)".utf8) }

    /// A field of bytes or of a message.
    private static func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        var encoded = [number << 3 | 2]
        Varint.append(UInt64(content.count), to: &encoded)
        return encoded + content
    }

    /// WatchRequest{1: WatchCreateRequest{1: key, 2: end of the range}}
    func subscribe(into message: inout ByteBuffer) {
        let range =
            switch self.subject {
            case .document: Self.field(1, Self.key(0))
            // From the first key that begins with "listened/" to all that do: "0" comes after "/".
            case .query: Self.field(1, Array("listened/".utf8)) + Self.field(2, Array("listened0".utf8))
            }
        message.writeBytes(Self.field(1, range))
    }

    /// PutRequest{1: key, 2: value}
    func change(_ document: Int, stamp: UInt64, into message: inout ByteBuffer) {
        let value = ChangeStamp.bytes(stamp) + self.padding
        message.writeBytes(Self.field(1, Self.key(document)) + Self.field(2, value))
    }

    /// The first answer says that the watch was created, and has no events.
    func completesFirstState(_ message: ByteBuffer) -> Bool { true }
}
