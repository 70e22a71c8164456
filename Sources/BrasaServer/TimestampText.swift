import BrasaDocuments
import Foundation

extension Timestamp {
    /// RFC 3339, in microseconds.
    var text: String {
        let second = Date(timeIntervalSince1970: TimeInterval(self.seconds)).formatted(.iso8601).dropLast()
        let fraction = String(self.nanos / 1_000)
        return "\(second).\(String(repeating: "0", count: 6 - fraction.count))\(fraction)Z"
    }
}
