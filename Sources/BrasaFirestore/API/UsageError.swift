internal import BrasaSync
internal import Foundation

/// A call that is wrong whatever the database holds: an argument out of its range, an object used after its time.
/// Functions that throw, throw it as an `NSError`; the others stop the program, as Apple's library does.
struct UsageError: Error, Hashable, Sendable {
    enum Kind: Hashable, Sendable { case invalidArgument, illegalState }

    let kind: Kind
    let message: String

    init(_ message: String) {
        self.kind = .invalidArgument
        self.message = message
    }

    init(illegalState message: String) {
        self.kind = .illegalState
        self.message = message
    }

    var syncError: SyncError {
        switch self.kind {
        case .invalidArgument: SyncError(.invalidArgument, self.message)
        case .illegalState: SyncError(.failedPrecondition, self.message)
        }
    }

    var nsError: NSError { self.syncError.nsError }
}

/// For functions that cannot throw. Release builds leave the text of a failed precondition out, so it is written first.
func trapping<Result>(_ body: () throws(UsageError) -> Result) -> Result {
    do {
        return try body()
    } catch {
        Log.notice(error.message)
        preconditionFailure(error.message)
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
