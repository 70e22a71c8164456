import BrasaDocuments
import BrasaPlatform
import BrasaStore

/// One visit of the writer section: when it is, whose request is carried out, and what is to be done once the section is
/// left.
struct Visit: Sendable {
    /// Who gets an answer.
    enum Party {
        /// Who made this visit: at once, on its own thread.
        case caller
        /// Who has waited for locks, or has lost them: on their mailbox.
        case waiter
    }

    /// Read inside the section, so that it never steps back from one visit to the next.
    let now: MonotonicTime
    private(set) var serves = Party.caller
    /// Of the caller's request, if it has to wait.
    var ticket: RequestTicket?
    private var answers = Completions<Void>()
    private var remains: [Observations] = []

    init(now: MonotonicTime) {
        self.now = now
    }

    /// The caller's request is decided: what goes on now are those that waited.
    mutating func turnToWaiters() { self.serves = .waiter }

    /// - Parameter party: by default whose request is carried out.
    mutating func answer<Value>(
        _ reply: Reply<Value>,
        as party: Party? = nil,
        _ result: Result<Value, TransactionError>
    ) {
        self.add(reply, as: party) { reply.complete(result) }
    }

    /// Answers when the state of `time`, or by default all that has been applied so far, is durable. That it cannot become
    /// durable is answered only if it has not before: else a rollback would tell the client otherwise than the commit that
    /// it follows.
    mutating func answer<Value>(
        _ reply: Reply<Value>,
        as party: Party? = nil,
        onceDurable time: Timestamp? = nil,
        in store: Store,
        _ result: @escaping @Sendable () -> Result<Value, TransactionError>
    ) {
        let time = time ?? store.appliedTime
        self.add(reply, as: party) {
            let waiter = Store.waiter(on: reply.mailbox) { outcome in
                guard let error = outcome.storeError else { return reply.complete(result()) }
                reply.complete(.failure(TransactionError(error)))
            }
            store.barrier(through: time, waiter)
        }
    }

    /// An answer that needs nothing of the section any more, but work.
    mutating func answer<Value>(
        _ reply: Reply<Value>,
        workedOutBy result: @escaping @Sendable () -> Result<Value, TransactionError>
    ) {
        self.add(reply, as: nil) { reply.complete(result()) }
    }

    private mutating func add<Value>(_ reply: Reply<Value>, as party: Party?, _ give: @escaping @Sendable () -> Void) {
        self.answers.add((party ?? self.serves) == .caller ? nil : reply.mailbox, give)
    }

    /// What may take long to free: nobody waits for that.
    mutating func letGo(of observations: Observations) { self.remains.append(observations) }

    /// To be called when the section is left.
    consuming func giveAnswers() {
        self.answers.run(())
    }
}

/// Names a request that waits for locks, so that whoever asked can take it back.
///
/// Unchecked, because what it refers to is used only in the writer section.
package struct RequestTicket: @unchecked Sendable {
    let request: LockRequest
}
