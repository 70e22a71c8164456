package import BrasaDocuments

/// A `read_time`. Times below a microsecond are cut, and marked, since no version has such a time.
package struct ReadTime: Hashable, Sendable {
    package var time: Timestamp
    package var isMicrosecondAligned: Bool

    package init(_ time: Timestamp, isMicrosecondAligned: Bool = true) {
        self.time = time
        self.isMicrosecondAligned = isMicrosecondAligned
    }
}

/// Which state a read asks for.
package enum ReadConsistency: Hashable, Sendable {
    case strong
    case transaction([UInt8])
    case newTransaction(TransactionOptions)
    case readTime(ReadTime)
}

/// How a transaction is to begin.
package enum TransactionOptions: Hashable, Sendable {
    /// No mode: read-write for BeginTransaction, read-only for `new_transaction`.
    case unspecified
    case readOnly(readTime: ReadTime?)
    /// `retry` is empty for a first attempt.
    case readWrite(retry: [UInt8], concurrency: ConcurrencyMode = .unspecified)

    package enum ConcurrencyMode: Int32, Hashable, Sendable {
        case unspecified = 0
        case optimistic = 1
        case pessimistic = 2
    }
}
