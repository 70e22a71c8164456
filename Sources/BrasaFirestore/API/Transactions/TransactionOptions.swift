internal import Synchronization

/// How a transaction is run.
public final class TransactionOptions: Sendable {
    static let maxAttemptsDefault = 5

    struct Values: Sendable {
        var maxAttempts = TransactionOptions.maxAttemptsDefault
        var isReadOnly = false
        var readTime: Timestamp?
    }

    private let state = Mutex(Values())

    var values: Values { self.state.withLock { $0 } }

    public init() {}

    /// How often the block is run at most; 1 means that it is never run again. Stops the program when it is not positive.
    public var maxAttempts: Int {
        get { self.values.maxAttempts }
        set {
            trapping { () throws(UsageError) in
                guard newValue > 0, newValue <= Int(Int32.max) else {
                    throw UsageError("maxAttempts must be positive, but was \(newValue).")
                }
            }
            self.state.withLock { $0.maxAttempts = newValue }
        }
    }

    /// The block only reads, all as of one time, which is that of its first read unless ``readTime`` says another: it
    /// meets no other transaction, and there is nothing to be committed. It can also read queries. A write in it fails it.
    public var isReadOnly: Bool {
        get { self.state.withLock { $0.isReadOnly || $0.readTime != nil } }
        set { self.state.withLock { $0.isReadOnly = newValue } }
    }

    /// The block only reads, all as it was at this time. How far back it remembers is the server's to say, often an hour.
    public var readTime: Timestamp? {
        get { self.values.readTime }
        set { self.state.withLock { $0.readTime = newValue } }
    }
}
