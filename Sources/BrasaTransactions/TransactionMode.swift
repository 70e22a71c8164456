package import BrasaDocuments

/// What a client asks for when it begins a transaction.
package enum TransactionMode: Hashable, Sendable {
    /// `retry` names an earlier attempt, whose priority the new one gets.
    case readWrite(retry: TransactionID? = nil, concurrency: Concurrency = .pessimistic)
    /// Nil: one snapshot, taken at the first read.
    case readOnly(readTime: Timestamp? = nil)

    package enum Concurrency: Hashable, Sendable {
        /// Reads lock; conflicting writers wait.
        case pessimistic
        /// Reads see one snapshot and lock nothing; the commit fails if what was read has changed since.
        case optimistic
    }
}
