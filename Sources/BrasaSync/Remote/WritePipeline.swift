internal import BrasaDocuments

/// Queued batches that are sent or about to be, oldest first.
///
/// Bounded by bytes, so that large writes do not pile up in front of a slow connection, and by number, so that a server that
/// remembers its last hundred answers has those to all of them, with as many as the client may yet forget.
struct WritePipeline {
    static let countMax = 40
    static let bytesMax = 1 << 20

    private let countMax: Int
    private var batches: [MutationBatch] = []
    private var bytes = 0

    init(countMax: Int) {
        self.countMax = countMax
    }

    var isEmpty: Bool { self.batches.isEmpty }
    var count: Int { self.batches.count }
    var first: MutationBatch? { self.batches.first }
    var last: MutationBatch? { self.batches.last }

    /// One batch has room in any case.
    var hasRoom: Bool {
        self.isEmpty || (self.count < self.countMax && self.bytes < Self.bytesMax)
    }

    mutating func append(_ batch: MutationBatch) {
        self.batches.append(batch)
        self.bytes += batch.byteCount
    }

    mutating func removeFirst() {
        guard !self.isEmpty else { return }
        self.bytes -= self.batches.removeFirst().byteCount
    }

    mutating func removeAll() {
        self.batches.removeAll()
        self.bytes = 0
    }
}

extension WritePipeline: Sequence {
    func makeIterator() -> IndexingIterator<[MutationBatch]> { self.batches.makeIterator() }
}

extension MutationBatch {
    /// About what its message takes.
    fileprivate var byteCount: Int {
        self.writes.reduce(0) { bytes, write in
            let fields =
                switch write.operation {
                case .set(let fields), .merge(let fields, _): fields.bytes.count
                case .delete, .verify: 0
                }
            return bytes + fields + write.name.path.bytes.count + 64 * (1 + write.transforms.count)
        }
    }
}
