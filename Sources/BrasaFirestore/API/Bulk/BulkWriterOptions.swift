/// How a ``BulkWriter`` goes about it.
public struct BulkWriterOptions: Sendable {
    /// Writes a second at first; half as many more every five minutes.
    public var initialWritesPerSecond = 500.0
    /// How often a write is tried at most.
    public var maxAttempts = 10
    /// Asked after each failure of a write whether to try again; without it temporary failures are.
    public var shouldRetry: (@Sendable (BulkWriteFailure) -> Bool)?

    public init() {}
}

/// A write that failed.
public struct BulkWriteFailure: Sendable {
    public let document: DocumentReference
    public let code: FirestoreErrorCode.Code
    public let message: String
    /// How often it was tried so far.
    public let attempts: Int
    /// The server may have done it; nobody knows. Only said of writes that are not the same when they are done twice.
    public let mayHaveBeenApplied: Bool
}
