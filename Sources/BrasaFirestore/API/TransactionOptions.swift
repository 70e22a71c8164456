internal import Synchronization

/// How a transaction is run.
public final class TransactionOptions: Sendable {
    static let maxAttemptsDefault = 5

    private let attempts = Mutex(TransactionOptions.maxAttemptsDefault)

    public init() {}

    /// How often the block is run at most; 1 means that it is never run again. Stops the program when it is not positive.
    public var maxAttempts: Int {
        get { self.attempts.withLock { $0 } }
        set {
            trapping { () throws(UsageError) in
                guard newValue > 0, newValue <= Int(Int32.max) else {
                    throw UsageError("maxAttempts must be positive, but was \(newValue).")
                }
            }
            self.attempts.withLock { $0 = newValue }
        }
    }
}
