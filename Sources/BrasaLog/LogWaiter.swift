package import BrasaPlatform

/// Who is told that a record is durable, and where. Completions of one group reach each mailbox as one post.
package struct LogWaiter: Sendable {
    package let mailbox: any Mailbox
    package let complete: @Sendable (Result<Void, LogError>) -> Void

    package init(mailbox: any Mailbox, complete: @escaping @Sendable (Result<Void, LogError>) -> Void) {
        self.mailbox = mailbox
        self.complete = complete
    }
}

extension Completions<Result<Void, LogError>> {
    mutating func add(_ waiter: LogWaiter?) {
        if let waiter { self.add(waiter.mailbox, waiter.complete) }
    }
}

/// Who learns that the log moved on. Called on the log's threads (in the mode `memory`: inside `append`), before any
/// waiter hears; neither may call back into the log.
package struct LogObserver: Sendable {
    /// Everything up to and including this time is durable.
    package let onDurable: @Sendable (Int64) -> Void
    /// Called once, at the first failed write or sync. Nothing more becomes durable from then on.
    package let onFailure: @Sendable (LogError) -> Void
    /// The disk has no room for the next segment, or, with nil, has it again.
    package let onDiskFull: @Sendable (LogError?) -> Void

    package init(
        onDurable: @escaping @Sendable (Int64) -> Void,
        onFailure: @escaping @Sendable (LogError) -> Void = { _ in },
        onDiskFull: @escaping @Sendable (LogError?) -> Void = { _ in }
    ) {
        self.onDurable = onDurable
        self.onFailure = onFailure
        self.onDiskFull = onDiskFull
    }
}
