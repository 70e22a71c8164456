import BrasaDocuments

/// How much the evaluation of one commit may still take: everybody else waits for it, and its memory comes on top of all
/// other bounds. What turns out to be too much is refused at that write, or at that document.
struct EvaluationBudget {
    /// Of documents that are taken apart, those of increments on large documents, say, whatever becomes of them, and of
    /// what the writes bring for it: paths, and elements of arrays.
    private(set) var workBytes: Int
    /// Of documents as they will be.
    private(set) var changeBytes: Int

    mutating func takeWork(_ bytes: Int) throws(TransactionError) {
        self.workBytes -= bytes
        if self.workBytes < 0 { throw .commitTooLarge }
    }

    mutating func takeChange(_ bytes: Int) throws(TransactionError) {
        self.changeBytes -= bytes
        if self.changeBytes < 0 { throw .commitTooLarge }
    }
}

extension TransactionError {
    static func wrapping<Value>(_ body: () throws(DocumentError) -> Value) throws(TransactionError) -> Value {
        do throws(DocumentError) { return try body() } catch { throw .document(error) }
    }
}
