public import Foundation

/// How `Firestore.Decoder` reads what can be written in several ways. The strategies are those of `JSONDecoder`.
public enum FirebaseDataDecoder {
    public enum DateDecodingStrategy {
        case deferredToDate
        case secondsSince1970
        case millisecondsSince1970
        case iso8601
        case formatted(DateFormatter)
        case custom((_ decoder: any Decoder) throws -> Date)

        /// From the database's own type for times.
        public static var timestamp: DateDecodingStrategy {
            .custom { decoder in
                try decoder.singleValueContainer().decode(Timestamp.self).dateValue()
            }
        }
    }

    public enum DataDecodingStrategy {
        case deferredToData
        case base64
        /// From the database's own type for bytes, or from a base64 string.
        case blob
        case custom((_ decoder: any Decoder) throws -> Data)
    }

    public enum NonConformingFloatDecodingStrategy {
        case `throw`
        case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }

    public enum KeyDecodingStrategy {
        case useDefaultKeys
        case convertFromSnakeCase
        /// Gets the way to the key, the key last.
        case custom((_ codingPath: [any CodingKey]) -> any CodingKey)
    }
}
