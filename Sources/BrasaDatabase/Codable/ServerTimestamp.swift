public import Foundation

/// A time that the server sets when the value is written with nil in it: in a property of a `Codable` type. It is stored as whole
/// milliseconds since 1970. Firestore's library has a property wrapper of the same name; where both are imported it is
/// `BrasaDatabase.ServerTimestamp`.
@propertyWrapper
public struct ServerTimestamp: Codable, Hashable, Sendable {
    public var wrappedValue: Date?

    public init(wrappedValue value: Date?) {
        self.wrappedValue = value
    }

    public init(from decoder: any Swift.Decoder) throws {
        let container = try decoder.singleValueContainer()
        self.wrappedValue =
            container.decodeNil()
            ? nil : Date(timeIntervalSince1970: Double(try container.decode(Int64.self)) / 1_000)
    }

    public func encode(to encoder: any Swift.Encoder) throws {
        var container = encoder.singleValueContainer()
        guard let date = self.wrappedValue else { return try container.encode([".sv": "timestamp"]) }
        // A date can be one that no Int64 has.
        guard let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded()) else {
            throw EncodingError.invalidValue(
                date,
                EncodingError.Context(
                    codingPath: encoder.codingPath,
                    debugDescription: "The date's milliseconds do not fit into 64 bits."
                )
            )
        }
        try container.encode(milliseconds)
    }
}
