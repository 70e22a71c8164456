import BrasaPlatform

/// Answers that were decided under the lock, given once it is released.
struct Completions {
    private var works: [(mailbox: (any Mailbox)?, run: @Sendable () -> Void)] = []

    /// To the caller of the running operation: at once, on its own thread. To anyone else: on their mailbox.
    mutating func add<Value>(
        to reply: Reply<Value>,
        isCaller: Bool,
        _ result: Result<Value, TransactionError>
    ) {
        self.add(isCaller ? nil : reply.mailbox) { reply.complete(result) }
    }

    mutating func add(_ mailbox: (any Mailbox)?, _ run: @escaping @Sendable () -> Void) {
        self.works.append((mailbox, run))
    }

    consuming func run() {
        for (mailbox, run) in self.works {
            if let mailbox { mailbox.post(run) } else { run() }
        }
    }
}
