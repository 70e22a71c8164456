package import BrasaLog
package import BrasaPlatform

extension Store {
    /// For the rooms that do not see the log: who is to hear that something is durable.
    package static func waiter(
        on mailbox: any Mailbox,
        _ complete: @escaping @Sendable (Result<Void, StoreError>) -> Void
    ) -> LogWaiter {
        LogWaiter(mailbox: mailbox) { complete($0.mapError { StoreError(refused: $0) }) }
    }
}
