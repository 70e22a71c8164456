package import BrasaPlatform

/// Who gets an answer. `complete` is called exactly once: before the call that it was passed to returns and on the same
/// thread, or later on the mailbox; never while a lock is held.
package struct Reply<Value: Sendable>: Sendable {
    package let mailbox: any Mailbox
    package let complete: @Sendable (Result<Value, TransactionError>) -> Void

    package init(
        mailbox: any Mailbox,
        complete: @escaping @Sendable (Result<Value, TransactionError>) -> Void
    ) {
        self.mailbox = mailbox
        self.complete = complete
    }
}
