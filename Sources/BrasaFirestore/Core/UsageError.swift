internal import BrasaApp
internal import BrasaStatus
internal import BrasaSync
internal import Foundation

/// A call that is wrong whatever the database holds: an argument out of its range, an object used after its time.
///
/// What data can bring about (a value, a name, a path, an operand) never stops the program: it is thrown, told to the
/// handler, or kept until the object is used where one of both is possible. Only mistakes that stand in the program's text
/// stop it, in functions that cannot throw; DocC's root page lists them.
struct UsageError: Error, Hashable, Sendable {
    enum Kind: Hashable, Sendable { case invalidArgument, illegalState }

    let kind: Kind
    let message: String
    /// Of what the program hands over and the library cannot use, like a certificate.
    let cause: FailureCause?

    init(_ message: String, cause: (any Error)? = nil) {
        self.kind = .invalidArgument
        self.message = message
        self.cause = cause.map { FailureCause($0) }
    }

    init(illegalState message: String) {
        self.kind = .illegalState
        self.message = message
        self.cause = nil
    }

    var syncError: SyncError {
        switch self.kind {
        case .invalidArgument: SyncError(.invalidArgument, self.message, cause: self.cause?.error)
        case .illegalState: SyncError(.failedPrecondition, self.message)
        }
    }

    var nsError: NSError { self.syncError.nsError }
}

/// For mistakes of the program in functions that cannot throw.
func trapping<Result>(_ body: () throws(UsageError) -> Result) -> Result {
    do {
        return try body()
    } catch {
        Firestore.log.stop(error.message)
    }
}

/// For functions that throw what users catch.
func throwing<Result>(_ body: () throws(UsageError) -> Result) throws -> Result {
    do {
        return try body()
    } catch {
        throw error.nsError
    }
}
