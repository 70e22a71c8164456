public import Foundation

/// How `Firestore.Encoder` writes what can be written in several ways. The strategies are those of `JSONEncoder`.
public enum FirebaseDataEncoder {
    public enum DateEncodingStrategy {
        case deferredToDate
        case secondsSince1970
        case millisecondsSince1970
        case iso8601
        case formatted(DateFormatter)
        case custom((Date, any Encoder) throws -> Void)

        /// As the database's own type for times.
        public static var timestamp: DateEncodingStrategy {
            .custom { date, encoder in
                var container = encoder.singleValueContainer()
                try container.encode(Timestamp(date: date))
            }
        }
    }

    public enum DataEncodingStrategy {
        case deferredToData
        case base64
        /// As the database's own type for bytes.
        case blob
        case custom((Data, any Encoder) throws -> Void)
    }

    public enum NonConformingFloatEncodingStrategy {
        case `throw`
        case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }

    public enum KeyEncodingStrategy {
        case useDefaultKeys
        case convertToSnakeCase
        /// Gets the way to the key, the key last.
        case custom((_ codingPath: [any CodingKey]) -> any CodingKey)
    }
}
