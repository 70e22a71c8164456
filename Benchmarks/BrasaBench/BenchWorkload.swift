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
        case query(ByteBuffer, QueryAnswer.Expected)
    }

    static let get = FirestoreMethods.getDocument
    static let commit = FirestoreMethods.commit

    private let plan: BenchPlan
    private let databases: [DatabaseName]
    private let fields: EncodedFields
    /// By the database, and by the number of digits less one.
    private let gets: [[MessageTemplate]]
    private let commits: [[MessageTemplate]]
    /// Nil when the plan has no queries.
    let queries: QueryWorkload?

    init(_ plan: BenchPlan) throws {
        self.plan = plan
        let databases = try (0..<plan.databases).map { index in
            let id = index == 0 ? "(default)" : "database-\(index)"
            return try DatabaseName(parsing: "projects/bench/databases/\(id)".utf8)
        }
        self.databases = databases
        if case .query(let query) = plan.work {
            self.queries = try QueryWorkload(query, plan: plan, database: databases[0])
        } else {
            self.queries = nil
        }
        let fields = BenchFields.entries(text: plan.documentBytes, count: plan.fields)
        self.fields = EncodedFields(encoding: fields)
        // A write that changes nothing makes no version and no record, so a number goes with it, in the last of the fields.
        let version = Value.MapEntry(key: "version", value: .integer(MessageTemplate.versionMin))
        let numbered = EncodedFields(encoding: fields + [version])
        let digitCounts = 1...String(plan.documents).count
        self.gets = try databases.map { database in
            try digitCounts.map { digits in
                try Self.template(in: database, digits: digits) { GetDocumentRequest(name: $0).encode(into: &$1) }
            }
        }
        self.commits = try databases.map { database in
            try digitCounts.map { digits in
                try Self.template(in: database, digits: digits, endsWithVersion: true) { name, message in
                    CommitRequest(database: database, writes: [Write(name: name, operation: .set(numbered))])
                        .encode(into: &message)
                }
            }
        }
    }

    private static func name(_ number: String, in database: DatabaseName) throws -> DocumentName {
        try DocumentName(parsing: "\(database.string)/documents/bench\(MessageTemplate.head)\(number)".utf8)
    }

    private static func template(
        in database: DatabaseName,
        digits: Int,
        endsWithVersion: Bool = false,
        _ encode: (DocumentName, inout ByteBuffer) -> Void
    ) throws -> MessageTemplate {
        var message = ByteBuffer()
        encode(try Self.name(String(repeating: "0", count: digits), in: database), &message)
        guard let template = MessageTemplate(message, digitCount: digits, endsWithVersion: endsWithVersion) else {
            throw BenchError("the message of a call has another form than expected")
        }
        return template
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
            guard let queries = self.queries else { return .raw(message) }
            queries.write(using: &generator, into: &message)
            return .query(message, queries.expected)
        }
        let document = Int.random(in: 0..<self.plan.documents, using: &generator)
        var digits = 1
        var bound = 10
        while document >= bound { (digits, bound) = (digits + 1, bound * 10) }
        let database = document / self.plan.documentsOfDatabase
        let template = isCommit ? self.commits[database][digits - 1] : self.gets[database][digits - 1]
        template.write(document: document, version: number, into: &message)
        return isCommit ? .commit(message) : .get(message)
    }

    // MARK: Before the measurement

    /// Which documents each commit before the measurement writes: some hundred of one database, and well below a message's
    /// limit.
    var setUpCommits: [Range<Int>] {
        if self.plan.isLoaded { return [] }
        if case .raw = self.plan.work { return [] }
        let count = min(200, max(1, (2 << 20) / (self.plan.documentBytes + self.plan.fields * 32 + 128)))
        let (documents, each) = (self.plan.documents, self.plan.documentsOfDatabase)
        return stride(from: 0, to: documents, by: each).flatMap { first in
            let end = min(first + each, documents)
            return stride(from: first, to: end, by: count).map { start in start..<min(start + count, end) }
        }
    }

    func setUp(_ documents: Range<Int>) throws -> CommitRequest {
        let database = self.databases[documents.lowerBound / self.plan.documentsOfDatabase]
        let writes = try documents.map { index in
            try self.queries?.write(index)
                ?? Write(name: try Self.name(String(index), in: database), operation: .set(self.fields))
        }
        return CommitRequest(database: database, writes: writes)
    }
}
