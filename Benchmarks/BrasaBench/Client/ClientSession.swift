import BrasaClientNetwork
import BrasaDocuments
import BrasaFirestore
import BrasaMessages
import BrasaWire
import Foundation
import NIOCore
import NIOPosix

/// One client of the plan's, and the calls on it.
struct ClientSession: Sendable {
    private let plan: ClientPlan
    private let firestore: Firestore
    private let collection: CollectionReference
    /// The same server past the engine.
    private let datastore: Datastore
    private let channel: CallChannel
    private let names: [DocumentName]
    private let listening: ClientListening
    /// What fills documents: made once, for it would cost as much as a call's encoding.
    private let text: String

    init(_ plan: ClientPlan) throws {
        self.plan = plan
        self.firestore = Firestore(projectID: "bench")
        self.firestore.useEmulator(withHost: plan.host, port: plan.port)
        self.collection = self.firestore.collection("client")
        let database = try DatabaseName(parsing: "projects/bench/databases/(default)".utf8)
        self.names = try (0..<plan.documents).map { index in
            try DocumentName(parsing: "\(database.string)/documents/client/\(Self.id(index))".utf8)
        }
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let server = ServerAddress(host: plan.host, port: plan.port)
        self.channel = try CallChannel(ChannelConfiguration(server: server, security: .plaintext), eventLoop: eventLoop)
        let credentials = Credentials(fixed: "owner", eventLoop: eventLoop)
        self.datastore = Datastore(Caller(channel: self.channel, database: database, credentials: credentials))
        self.listening = ClientListening(documents: plan.documents, tasks: plan.tasks)
        self.text = String(repeating: "x", count: max(0, plan.documentBytes - 40))
    }

    private static func id(_ index: Int) -> String { "document-\(index)" }

    /// Queries of one group find this many documents.
    private static let groupSize = 20

    private var groups: Int { max(1, self.plan.documents / Self.groupSize) }

    private func data(_ index: Int, version: Int) -> [String: Any] {
        ["text": self.text, "group": index % self.groups, "version": version]
    }

    // MARK: Before and after the measurement

    /// Writes the documents.
    func write() async throws {
        for start in stride(from: 0, to: self.plan.documents, by: Self.batchMax) {
            let batch = self.firestore.batch()
            for index in start..<min(start + Self.batchMax, self.plan.documents) {
                batch.setData(self.data(index, version: 0), forDocument: self.collection.document(Self.id(index)))
            }
            try await batch.commit()
        }
    }

    private static let batchMax = 200

    /// Lets the client see what it shall find in its cache.
    func prepare() async throws {
        switch self.plan.work {
        case .cached: _ = try await self.collection.getDocuments(source: .server)
        case .change: try await self.listening.begin(self.collection)
        default: break
        }
    }

    func close() async throws {
        try await self.firestore.terminate()
        await self.channel.close()
    }

    // MARK: Calls

    /// One call. `number` is another one for each, so that writes change what they write.
    func call(_ number: Int) async throws {
        let index = Int.random(in: 0..<self.plan.documents)
        let document = self.collection.document(Self.id(index))
        switch self.plan.work {
        case .get:
            try Self.check(try await document.getDocument(source: .server).exists)
        case .read:
            let request = BatchGetDocumentsRequest(database: self.datastore.database, documents: [self.names[index]])
            try Self.check(try await self.datastore.batchGetDocuments(request).contains { $0.result != nil })
        case .cached:
            try Self.check(try await document.getDocument(source: .cache).exists)
        case .query:
            let query = self.collection.whereField("group", isEqualTo: index % self.groups).limit(to: Self.groupSize)
            try Self.check(try await !query.getDocuments(source: .server).documents.isEmpty)
        case .set:
            try await document.setData(self.data(index, version: number))
        case .commit:
            try await self.commit(index, version: number)
        case .increment:
            try await document.updateData(["version": FieldValue.increment(1)])
        case .change:
            // Of each task's own, so that no other change is seen in its place.
            try await self.commit(self.listening.place(of: number), version: number)
            await self.listening.change(seen: number)
        case .listen:
            let place = self.listening.nextPlace()
            try await self.listening.listen(to: self.collection.document(Self.id(place)), at: place)
        case .transaction:
            try await self.firestore.runTransaction { transaction in
                try Self.check(try await transaction.getDocument(document).exists)
                transaction.updateData(["version": number], forDocument: document)
                return
            }
        }
    }

    private func commit(_ index: Int, version: Int) async throws {
        let fields = EncodedFields(encoding: [
            Value.MapEntry(key: "group", value: .integer(Int64(index % self.groups))),
            Value.MapEntry(key: "text", value: .string(UTF8Text(self.text))),
            Value.MapEntry(key: "version", value: .integer(Int64(version))),
        ])
        let write = Write(name: self.names[index], operation: .set(fields))
        _ = try await self.datastore.commit(CommitRequest(database: self.datastore.database, writes: [write]))
    }

    private static func check(_ isFound: Bool) throws {
        guard isFound else { throw BenchError("the server does not have what was written") }
    }
}
