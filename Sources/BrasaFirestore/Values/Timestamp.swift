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

    /// A write or a query with a time that is out of range fails.
    public init(seconds: Int64, nanoseconds: Int32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Truncates to a nanosecond at or before the date. A write or a query with a time that is out of range fails.
    public convenience init(date: Date) {
        let interval = date.timeIntervalSince1970
        let whole = interval.rounded(.down)
        // What is no number, or too far away for an integer, is out of range all the same.
        let seconds = Int64(exactly: whole) ?? (interval < 0 ? .min : .max)
        let fraction = (interval - whole) * 1e9
        self.init(seconds: seconds, nanoseconds: fraction < 999_999_999 ? Int32(fraction) : 999_999_999)
    }

    convenience init(checking date: Date) throws(UsageError) {
        self.init(date: date)
        try self.check()
    }

    /// Now.
    public convenience init() {
        self.init(date: Date())
    }

    init(_ stored: BrasaDocuments.Timestamp) {
        self.seconds = stored.seconds
        self.nanoseconds = stored.nanos
    }

    /// That it is in range.
    private func check() throws(UsageError) {
        guard (0...999_999_999).contains(self.nanoseconds) else {
            throw UsageError("Invalid timestamp: \(self.nanoseconds) nanoseconds are not in 0...999999999.")
        }
        guard (Self.earliestSeconds...Self.latestSeconds).contains(self.seconds) else {
            throw UsageError("Invalid timestamp: \(self.seconds) seconds are not in year 1 to 9999.")
        }
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
        get throws(UsageError) {
            try self.check()
            // In range.
            return BrasaDocuments.Timestamp(seconds: self.seconds, nanos: self.nanoseconds) ?? .earliest
        }
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
        self.init(seconds: seconds, nanoseconds: nanoseconds)
        try decoder.checking { () throws(UsageError) in try self.check() }
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
