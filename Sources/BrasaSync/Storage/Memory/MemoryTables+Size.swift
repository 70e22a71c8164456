internal import BrasaDocuments
internal import BrasaQueries

/// What dictionaries, sets and buffers add to each entry on a 64-bit system, as measured: for small documents far more than
/// what they are made of.
private enum Overhead {
    static let document = 300
    static let use = 100
    static let collection = 300
    static let target = 1_000
    static let reference = 300
}

extension MemoryTables {
    /// What the tables take, apart from queued writes and their overlays, which nobody may collect.
    var byteCount: Int {
        self.documentBytes + self.documentCount * Overhead.document + self.uses.count * Overhead.use
            + self.collectionUses.count * Overhead.collection + self.targetBytes + self.targets.count * Overhead.target
            + self.remoteKeys.count * Overhead.reference
    }
}

extension SyncDocument {
    var byteCount: Int { self.path.bytes.count + self.fields.bytes.count }
}

extension SyncTarget {
    var byteCount: Int {
        switch self {
        case .document(let path): path.bytes.count
        case .bundle(let id): id.bytes.count
        case .query(let query, let parent):
            parent.bytes.count + (query.filter?.byteCount ?? 0) + (query.startAt?.byteCount ?? 0)
                + (query.endAt?.byteCount ?? 0)
        }
    }
}

extension StructuredQuery.Filter {
    fileprivate var byteCount: Int {
        switch self {
        case .unset, .unary: 0
        case .composite(_, let filters): filters.reduce(0) { $0 + $1.byteCount }
        case .field(_, _, let value): value.map { [$0].byteCount } ?? 0
        }
    }
}

extension StructuredQuery.Cursor {
    fileprivate var byteCount: Int { self.values.byteCount }
}

extension [Value] {
    fileprivate var byteCount: Int {
        EncodedFields(encoding: self.map { Value.MapEntry(key: "", value: $0) }).bytes.count
    }
}
