package import Foundation

extension NSError {
    /// What users catch: only real `NSError` objects match `catch let error as NSError` on Linux.
    /// - Parameters:
    ///   - cause: what was below, like the disk's error.
    ///   - details: more for `userInfo`.
    package convenience init(
        domain: String,
        code: Int,
        message: String,
        cause: (any Error)? = nil,
        details: [String: Any] = [:]
    ) {
        var userInfo = details
        userInfo[NSLocalizedDescriptionKey] = message
        // As it was thrown, so that it can be cast to its own type, on Linux as well.
        if let cause { userInfo[NSUnderlyingErrorKey] = cause }
        self.init(domain: domain, code: code, userInfo: userInfo)
    }
}
