internal import BrasaApp
internal import BrasaStatus
internal import BrasaTree
internal import Foundation

/// Why something was not done. What data can bring about (a path, a key, a value, a bound of a query) never stops the
/// program: it is thrown, or told to the handler that there is.
struct DatabaseFault: Error, Hashable, Sendable {
    /// What users find in an error of the domain `com.firebase`.
    enum Code: Int, Sendable {
        case permissionDenied = 1
        case unavailable = 2
        case writeCancelled = 3
        case other = 9999
    }

    static let domain = "com.firebase"

    let code: Code
    let message: String
    /// What was below, like the disk's error.
    let cause: FailureCause?

    init(_ message: String, code: Code = .other, cause: (any Error)? = nil) {
        (self.code, self.message, self.cause) = (code, message, cause.map { FailureCause($0) })
    }

    init(_ error: TreeError) { self.init(error.description) }

    /// Of the server's word for how something ended, or the engine's.
    init(status: String, message: String? = nil) {
        switch status {
        case "permission_denied": self.init(message ?? "Permission denied", code: .permissionDenied)
        case "unavailable": self.init(message ?? "The service is unavailable", code: .unavailable)
        case "write_canceled": self.init("The write was canceled", code: .writeCancelled)
        default: self.init(message ?? status)
        }
    }

    var nsError: NSError {
        NSError(domain: Self.domain, code: self.code.rawValue, message: self.message, cause: self.cause?.error)
    }

    /// What a `get` without a connection says.
    static func offline(_ place: String) -> NSError {
        NSError(
            domain: "com.firebase.core",
            code: 1,
            message: "Unable to get latest value for query \(place)",
            details: [NSLocalizedFailureReasonErrorKey: "client offline with no active listeners"]
        )
    }
}

extension TreeError {
    /// For functions that throw one kind of error.
    static func faulting<Value>(_ body: () throws(TreeError) -> Value) throws(DatabaseFault) -> Value {
        do throws(TreeError) {
            return try body()
        } catch {
            throw DatabaseFault(error)
        }
    }
}
