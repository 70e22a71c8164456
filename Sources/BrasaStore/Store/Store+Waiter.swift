package import BrasaLog
package import BrasaPlatform

/// For the rooms that do not see the log: who is to hear that something is durable.
extension Store {
    package typealias Waiter = LogWaiter
    package typealias Outcome = Result<Void, LogError>

    package static func waiter(
        on mailbox: any Mailbox,
        _ complete: @escaping @Sendable (Outcome) -> Void
    ) -> Waiter {
        Waiter(mailbox: mailbox, complete: complete)
    }
}

extension Store.Outcome {
    /// Nil when it is durable.
    package var storeError: StoreError? {
        guard case .failure(let error) = self else { return nil }
        return StoreError(refused: error)
    }
}
