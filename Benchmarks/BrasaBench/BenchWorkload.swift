import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaWire
import NIOCore

/// Makes the messages of a plan's calls. Everything that can be made before the measurement is.
struct BenchWorkload: Sendable {
    enum Call {
        case get(ByteBuffer)
        case commit(ByteBuffer)
        case raw(ByteBuffer)
        case query(QueryWorkload.Call)
    }

    static let get = FirestoreMethods.getDocument
    static let commit = FirestoreMethods.commit

    private let plan: BenchPlan
    private let database: DatabaseName
    private let names: [DocumentName]
    private let fields: EncodedFields
    /// Nil when the plan has no queries.
    let queries: QueryWorkload?

    init(_ plan: BenchPlan) throws {
        self.plan = plan
        let database = try DatabaseName(parsing: "projects/bench/databases/(default)".utf8)
        self.database = database
        if case .query(let query) = plan.work {
            self.queries = try QueryWorkload(query, plan: plan, database: database)
            self.names = []
        } else {
            self.queries = nil
            self.names = try (0..<plan.documents).map { index in
                try DocumentName(parsing: "\(database.string)/documents/bench/document-\(index)".utf8)
            }
        }
        self.fields = EncodedFields(encoding: BenchFields.entries(text: plan.documentBytes, count: plan.fields))
    }

    /// The next call. `number` counts up, so that commits change what they write.
    func next(
        number: Int,
        using generator: inout some RandomNumberGenerator,
        on connection: GRPCClientConnection
    ) -> Call {
        var message = connection.makeMessageBuffer(capacity: self.plan.documentBytes + 256)
        let isCommit: Bool
        switch self.plan.work {
        case .get: isCommit = false
        case .commit: isCommit = true
        case .mixed(let share): isCommit = Double.random(in: 0..<1, using: &generator) < share
        case .raw(_, let bytes):
            message.writeBytes(bytes)
            return .raw(message)
        case .query:
            // A plan of queries has them.
            return self.queries.map { .query($0.next(using: &generator)) } ?? .raw(message)
        }
        let name = self.names[Int.random(in: 0..<self.names.count, using: &generator)]
        guard isCommit else {
            GetDocumentRequest(name: name).encode(into: &message)
            return .get(message)
        }
        self.write(name, number: number, into: &message)
        return .commit(message)
    }

    private func write(_ name: DocumentName, number: Int, into message: inout ByteBuffer) {
        // A write that changes nothing makes no version and no record, so a number goes with it.
        let numbered =
            self.fields.bytes
            + EncodedFields(encoding: [
                Value.MapEntry(key: "version", value: .integer(Int64(number)))
            ]).bytes
        let write = Write(name: name, operation: .set(EncodedFields(canonical: numbered)))
        CommitRequest(database: self.database, writes: [write]).encode(into: &message)
    }

    // MARK: Before the measurement

    /// Which documents each commit before the measurement writes: some hundred, and well below a message's limit.
    var setUpCommits: [Range<Int>] {
        if self.plan.isLoaded { return [] }
        if case .raw = self.plan.work { return [] }
        let count = min(200, max(1, (2 << 20) / (self.plan.documentBytes + self.plan.fields * 32 + 128)))
        return stride(from: 0, to: self.plan.documents, by: count).map { start in
            start..<min(start + count, self.plan.documents)
        }
    }

    func setUp(_ documents: Range<Int>) throws -> CommitRequest {
        let writes = try documents.map { index in
            try self.queries?.write(index) ?? Write(name: self.names[index], operation: .set(self.fields))
        }
        return CommitRequest(database: self.database, writes: writes)
    }
}
