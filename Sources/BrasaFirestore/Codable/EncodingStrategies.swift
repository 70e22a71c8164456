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
                let timestamp: Timestamp
                do throws(UsageError) {
                    timestamp = try Timestamp(checking: date)
                } catch {
                    let context = EncodingError.Context(codingPath: encoder.codingPath, debugDescription: error.message)
                    // Not the date, whose description stops the program.
                    throw EncodingError.invalidValue(date.timeIntervalSince1970, context)
                }
                var container = encoder.singleValueContainer()
                try container.encode(timestamp)
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
