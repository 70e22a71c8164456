import BrasaPlatform

/// Answers that were decided under the lock, given once it is released.
typealias Completions = BrasaPlatform.Completions<Void>

extension Completions {
    /// To the caller of the running operation: at once, on its own thread. To anyone else: on their mailbox.
    mutating func add<Answer>(
        to reply: Reply<Answer>,
        isCaller: Bool,
        _ result: Result<Answer, TransactionError>
    ) {
        self.add(isCaller ? nil : reply.mailbox) { reply.complete(result) }
    }
}
