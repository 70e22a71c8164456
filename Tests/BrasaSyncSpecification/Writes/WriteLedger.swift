import BrasaDocuments

@testable import BrasaSync

/// What was written, what the server made of it, and what the writers were told: whether every batch happened once, as it
/// was made, in its user's order. Its writes say, in a field, which batch they are of.
final class WriteLedger {
    struct Batch {
        let user: SyncUser
        let writes: [Write]
        /// The server does not take it.
        let isRefused: Bool
        /// Which client was told to write it.
        let client: Int
        var isApplied = false
        /// Where its answer can be asked for; nil on a stream that cannot be taken up again.
        var stream: UTF8Text?
        var isAnswered = false
    }

    private var batches: [Batch] = []
    private var newestApplied: [SyncUser: Int] = [:]
    /// What must not be.
    private(set) var failures: [String] = []
    /// Batches that were applied more than once, which nobody could help.
    private(set) var excusedCount = 0
    var batchCount: Int { self.batches.count }

    private static let numberField = "batch"

    /// A merge of every path, with an increment.
    func make(of paths: [String], user: SyncUser, client: Int, isRefused: Bool) throws -> (number: Int, writes: [Write])
    {
        let number = self.batches.count
        let values = [Self.numberField: Value.integer(Int64(number))]
        let transform = FieldTransform(path: try field("n"), operation: .increment(.integer(1)))
        var writes = try paths.map { try patch($0, values, [transform], mustExist: false) }
        if isRefused { writes.append(try patch("none/none", values)) }
        self.batches.append(Batch(user: user, writes: writes, isRefused: isRefused, client: client))
        return (number, writes)
    }

    /// The server has taken it. `lost` are streams that forgot what they had said.
    func applied(_ writes: [Write], on stream: UTF8Text?, lost: Set<UTF8Text>) {
        guard let number = Self.number(of: writes), self.batches.indices.contains(number) else {
            return self.fail("the server was sent what nobody wrote: \(writes)")
        }
        let batch = self.batches[number]
        if !batch.writes.elementsEqual(writes, by: Self.areSame) { self.fail("batch \(number) was sent as \(writes)") }
        if batch.isApplied {
            if let stream = batch.stream, !lost.contains(stream) {
                self.fail("batch \(number) was applied twice, though \(stream) has its answer")
            }
            self.excusedCount += 1
        } else {
            if let newest = self.newestApplied[batch.user], newest > number {
                self.fail("batch \(number) came after \(newest)")
            }
            self.newestApplied[batch.user] = number
        }
        self.batches[number].isApplied = true
        self.batches[number].stream = stream
    }

    /// The writer was told.
    func answered(_ number: Int, _ error: SyncError?) {
        let batch = self.batches[number]
        if batch.isAnswered { self.fail("batch \(number) was answered twice") }
        self.batches[number].isAnswered = true
        if let error {
            if !batch.isRefused { self.fail("batch \(number) was refused: \(error)") }
        } else if !batch.isApplied {
            self.fail("batch \(number) was acknowledged, and never applied")
        }
    }

    /// Nothing is queued any more; the last client is this one.
    func finish(client: Int) {
        for (number, batch) in self.batches.enumerated() {
            if batch.isApplied == batch.isRefused {
                self.fail("batch \(number) was \(batch.isRefused ? "" : "not ")applied")
            }
            if batch.client == client, !batch.isAnswered { self.fail("the writer of batch \(number) was told nothing") }
        }
    }

    private static func areSame(_ first: Write, _ second: Write) -> Bool {
        guard case .merge(let fields, let mask) = first.operation,
            case .merge(let otherFields, let otherMask) = second.operation
        else { return false }
        return first.name == second.name && fields == otherFields && mask == otherMask
            && first.transforms.map(\.path) == second.transforms.map(\.path)
    }

    private func fail(_ text: String) {
        self.failures.append(text)
    }

    private static func number(of writes: [Write]) -> Int? {
        guard case .merge(let fields, _)? = writes.first?.operation,
            case .integer(let number)? = fields.decoded.first(where: { $0.key == UTF8Text(Self.numberField) })?.value
        else { return nil }
        return Int(number)
    }
}
