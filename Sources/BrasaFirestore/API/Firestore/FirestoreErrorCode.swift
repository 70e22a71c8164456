internal import Foundation

/// The domain of every error that the library makes: all of them are `NSError` objects whose code is a
/// ``FirestoreErrorCode/Code``. What was below it, where there was something (the socket's or TLS's error, the disk's, what the
/// provider of tokens threw) is in `userInfo` under `NSUnderlyingErrorKey`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let FirestoreErrorDomain: String = "FIRFirestoreErrorDomain"

/// The error codes of ``FirestoreErrorDomain``.
///
/// Errors are matched by code in a `catch` or a `switch`:
///
/// ```swift
/// do {
///     try await reference.updateData(["population": 1])
/// } catch FirestoreErrorCode.notFound {
///     print("no such city")
/// }
/// ```
public struct FirestoreErrorCode: Error, Hashable, Sendable {
    public let code: Code

    public init(_ code: Code) {
        self.code = code
    }

    /// The code of an error of ``FirestoreErrorDomain``; nil for errors of other domains.
    public init?(_ error: any Error) {
        let error = error as NSError
        guard error.domain == FirestoreErrorDomain, let code = Code(rawValue: error.code) else { return nil }
        self.code = code
    }

    /// Whether a write whose error is `cancelled` goes on all the same. A task that is cancelled, or whose client is
    /// terminated, only stops waiting for what it has queued: true is said then, and the write is sent as if nobody had
    /// stopped waiting, or perhaps has been; with a cache in memory `terminate` may lose it. False: nothing is written.
    /// Writes of a ``BulkWriter`` are in its own queue, and those that it has not sent are not sent after `terminate`.
    public static func isWriteQueued(_ error: any Error) -> Bool {
        (error as NSError).userInfo[self.isWriteQueuedKey] as? Bool ?? false
    }

    fileprivate static let isWriteQueuedKey = "BrasaFirestoreIsWriteQueued"

    public enum Code: Int, Hashable, Sendable {
        // swift-format-ignore: AlwaysUseLowerCamelCase
        case OK = 0
        case cancelled = 1
        case unknown = 2
        case invalidArgument = 3
        case deadlineExceeded = 4
        case notFound = 5
        case alreadyExists = 6
        case permissionDenied = 7
        case resourceExhausted = 8
        case failedPrecondition = 9
        case aborted = 10
        case outOfRange = 11
        case unimplemented = 12
        case `internal` = 13
        case unavailable = 14
        case dataLoss = 15
        case unauthenticated = 16

        /// Whether an error is of ``FirestoreErrorDomain`` and has this code. A `CancellationError`, from wherever, matches
        /// ``cancelled``, so that one clause catches that a task was cancelled, whatever it was waiting for.
        public static func ~= (code: Code, error: any Error) -> Bool {
            error is CancellationError ? code == .cancelled : FirestoreErrorCode(error)?.code == code
        }
    }
}

extension FirestoreErrorCode {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let OK = Code.OK
    public static let cancelled = Code.cancelled
    public static let unknown = Code.unknown
    public static let invalidArgument = Code.invalidArgument
    public static let deadlineExceeded = Code.deadlineExceeded
    public static let notFound = Code.notFound
    public static let alreadyExists = Code.alreadyExists
    public static let permissionDenied = Code.permissionDenied
    public static let resourceExhausted = Code.resourceExhausted
    public static let failedPrecondition = Code.failedPrecondition
    public static let aborted = Code.aborted
    public static let outOfRange = Code.outOfRange
    public static let unimplemented = Code.unimplemented
    public static let `internal` = Code.internal
    public static let unavailable = Code.unavailable
    public static let dataLoss = Code.dataLoss
    public static let unauthenticated = Code.unauthenticated
}

extension NSError {
    /// What users of this library catch.
    convenience init(
        _ code: FirestoreErrorCode.Code,
        _ message: String,
        isWriteQueued: Bool = false,
        cause: (any Error)? = nil
    ) {
        self.init(
            domain: FirestoreErrorDomain,
            code: code.rawValue,
            message: message,
            cause: cause,
            details: isWriteQueued ? [FirestoreErrorCode.isWriteQueuedKey: true] : [:]
        )
    }
}
