import BrasaDocuments
import BrasaGRPC
import BrasaWire
import NIOCore

/// Makes the messages of a plan's calls. Everything that can be made before the measurement is.
struct BenchWorkload: Sendable {
    static let get = FirestoreMethods.getDocument
    static let commit = FirestoreMethods.commit

    private let plan: BenchPlan
    private let database: DatabaseName
    private let names: [DocumentName]
    private let fields: EncodedFields

    init(_ plan: BenchPlan) throws {
        self.plan = plan
        let database = try DatabaseName(parsing: "projects/bench/databases/(default)".utf8)
        self.database = database
        self.names = try (0..<plan.documents).map { index in
            try DocumentName(parsing: "\(database.string)/documents/bench/document-\(index)".utf8)
        }
        // The text's own frame in the encoding takes 15 bytes or so.
        let text = String(repeating: "x", count: max(1, plan.documentBytes - 15))
        self.fields = EncodedFields(encoding: [Value.MapEntry(key: "text", value: .string(UTF8Text(text)))])
    }

    /// The method and message of the next call. `number` counts up, so that commits change what they write.
    func next(
        number: Int,
        using generator: inout some RandomNumberGenerator,
        on connection: GRPCClientConnection
    ) -> (isCommit: Bool, message: ByteBuffer) {
        let isCommit =
            switch self.plan.work {
            case .get: false
            case .commit: true
            case .mixed(let share): Double.random(in: 0..<1, using: &generator) < share
            case .raw: false
            }
        var message = connection.makeMessageBuffer(capacity: self.plan.documentBytes + 256)
        if case .raw(_, let bytes) = self.plan.work {
            message.writeBytes(bytes)
        } else {
            let name = self.names[Int.random(in: 0..<self.names.count, using: &generator)]
            if isCommit {
                self.write(name, number: number, into: &message)
            } else {
                GetDocumentRequest(name: name).encode(into: &message)
            }
        }
        return (isCommit, message)
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

    /// Which documents each commit before the measurement writes: some hundred, and well below a message's limit.
    var setUpCommits: [Range<Int>] {
        if case .raw = self.plan.work { return [] }
        let count = min(200, max(1, (2 << 20) / (self.plan.documentBytes + 128)))
        return stride(from: 0, to: self.names.count, by: count).map { $0..<min($0 + count, self.names.count) }
    }

    func setUp(_ documents: Range<Int>, on connection: GRPCClientConnection) -> ByteBuffer {
        let writes = self.names[documents].map { Write(name: $0, operation: .set(self.fields)) }
        var message = connection.makeMessageBuffer(capacity: writes.count * (self.plan.documentBytes + 128))
        CommitRequest(database: self.database, writes: writes).encode(into: &message)
        return message
    }
}
