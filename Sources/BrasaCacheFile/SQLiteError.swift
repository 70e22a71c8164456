internal import CBrasaSQLite
internal import Foundation

/// What SQLite refuses, or what cannot be in a file of ours.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// SQLite's extended code.
    package let code: Int32
    package let message: String

    init(code: Int32, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What was read back cannot be what was written.
    package static func damaged(_ what: String) -> Self { Self(code: SQLITE_CORRUPT, what) }

    /// The lowest byte, which says the kind.
    var primaryCode: Int32 { self.code & 0xFF }

    package var description: String { "SQLite \(self.code), \(self.message)" }
}

/// As users see it: below the client's own errors.
extension SQLiteError: CustomNSError {
    package static var errorDomain: String { "SQLite" }
    package var errorCode: Int { Int(self.code) }
    package var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: self.message] }
}
