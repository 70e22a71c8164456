internal import BrasaDocuments
public import Foundation

/// A point in time with nanoseconds, from year 1 to year 9999. The database keeps microseconds: what is written is
/// truncated to them.
public final class Timestamp: Codable, Hashable, Sendable {
    public let seconds: Int64
    /// 0 to 999 999 999, also before the epoch.
    public let nanoseconds: Int32

    private static let earliestSeconds: Int64 = -62_135_596_800
    private static let latestSeconds: Int64 = 253_402_300_799

    /// Stops the program when the time is out of range.
    public convenience init(seconds: Int64, nanoseconds: Int32) {
        self.init(checked: trapping { () throws(UsageError) in try Self.check(seconds, nanoseconds) })
    }

    /// Truncates to a nanosecond at or before the date. Stops the program when the time is out of range.
    public convenience init(date: Date) {
        self.init(checked: trapping { () throws(UsageError) in try Self.check(date) })
    }

    /// The same for dates that come from anywhere.
    convenience init(checking date: Date) throws(UsageError) {
        self.init(checked: try Self.check(date))
    }

    /// Now.
    public convenience init() {
        self.init(date: Date())
    }

    private init(checked: (seconds: Int64, nanoseconds: Int32)) {
        self.seconds = checked.seconds
        self.nanoseconds = checked.nanoseconds
    }

    init(_ stored: BrasaDocuments.Timestamp) {
        self.seconds = stored.seconds
        self.nanoseconds = stored.nanos
    }

    private static func check(_ date: Date) throws(UsageError) -> (Int64, Int32) {
        let interval = date.timeIntervalSince1970
        let whole = interval.rounded(.down)
        // Nor is what is no number, or too far away for an integer.
        guard let seconds = Int64(exactly: whole) else {
            throw UsageError("Invalid timestamp: \(interval) seconds are not in year 1 to 9999.")
        }
        return try self.check(seconds, Int32(min((interval - whole) * 1e9, 999_999_999)))
    }

    private static func check(_ seconds: Int64, _ nanoseconds: Int32) throws(UsageError) -> (Int64, Int32) {
        guard (0...999_999_999).contains(nanoseconds) else {
            throw UsageError("Invalid timestamp: \(nanoseconds) nanoseconds are not in 0...999999999.")
        }
        guard (self.earliestSeconds...self.latestSeconds).contains(seconds) else {
            throw UsageError("Invalid timestamp: \(seconds) seconds are not in year 1 to 9999.")
        }
        return (seconds, nanoseconds)
    }

    public func dateValue() -> Date {
        Date(timeIntervalSince1970: Double(self.seconds) + Double(self.nanoseconds) / 1e9)
    }

    public func compare(_ other: Timestamp) -> ComparisonResult {
        if self == other { return .orderedSame }
        let isEarlier = (self.seconds, self.nanoseconds) < (other.seconds, other.nanoseconds)
        return isEarlier ? .orderedAscending : .orderedDescending
    }

    /// As the database keeps it.
    var stored: BrasaDocuments.Timestamp {
        // In range since `init` checked it.
        BrasaDocuments.Timestamp(seconds: self.seconds, nanos: self.nanoseconds) ?? .earliest
    }

    public static func == (left: Timestamp, right: Timestamp) -> Bool {
        left.seconds == right.seconds && left.nanoseconds == right.nanoseconds
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.seconds)
        hasher.combine(self.nanoseconds)
    }

    private enum CodingKeys: String, CodingKey {
        case seconds, nanoseconds
    }

    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let seconds = try container.decode(Int64.self, forKey: .seconds)
        let nanoseconds = try container.decode(Int32.self, forKey: .nanoseconds)
        do {
            self.init(checked: try Self.check(seconds, nanoseconds))
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: error.message)
            )
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.seconds, forKey: .seconds)
        try container.encode(self.nanoseconds, forKey: .nanoseconds)
    }
}

extension Timestamp: CustomStringConvertible {
    public var description: String {
        "<Timestamp: seconds=\(self.seconds) nanoseconds=\(self.nanoseconds)>"
    }
}
