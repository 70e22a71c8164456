/// The packages, which stand before a function and nowhere else.
enum RulePackage: String, Sendable {
    case math, hashing, timestamp, duration, latlng
}

/// The functions that the language brings along, those of packages by their whole name.
package enum RuleFunction: String, CaseIterable, Hashable, Sendable {
    case int, float, string, bool, path, debug
    case mathAbs = "math.abs"
    case mathCeil = "math.ceil"
    case mathFloor = "math.floor"
    case mathRound = "math.round"
    case mathIsNaN = "math.isNaN"
    case mathIsInfinite = "math.isInfinite"
    case mathPow = "math.pow"
    case mathSqrt = "math.sqrt"
    case md5 = "hashing.md5"
    case sha256 = "hashing.sha256"
    case crc32 = "hashing.crc32"
    case crc32c = "hashing.crc32c"
    case timestampDate = "timestamp.date"
    case timestampValue = "timestamp.value"
    case durationValue = "duration.value"
    case durationTime = "duration.time"
    case durationAbs = "duration.abs"
    case latlngValue = "latlng.value"

    var parameters: [TypeSet] {
        switch self {
        case .int, .float: [[.number, .string]]
        case .string: [[.bool, .number, .null, .string, .path]]
        case .bool, .path: [.string]
        case .debug: [.any]
        case .mathAbs, .mathCeil, .mathFloor, .mathRound, .mathIsNaN, .mathIsInfinite, .mathSqrt: [.number]
        case .mathPow: [.number, .number]
        case .md5, .sha256, .crc32, .crc32c: [[.string, .bytes]]
        case .timestampDate: [.int, .int, .int]
        case .timestampValue: [[.int, .string]]
        case .durationValue: [.int, .string]
        case .durationTime: [.int, .int, .int, .int]
        case .durationAbs: [.duration]
        case .latlngValue: [.number, .number]
        }
    }

    var result: TypeSet {
        switch self {
        case .int, .mathCeil, .mathFloor, .mathRound: .int
        case .float, .mathPow, .mathSqrt: .float
        case .string: .string
        case .bool, .mathIsNaN, .mathIsInfinite: .bool
        case .path: .path
        case .debug: .any
        case .mathAbs: .number
        case .md5, .sha256, .crc32, .crc32c: .bytes
        case .timestampDate, .timestampValue: .timestamp
        case .durationValue, .durationTime, .durationAbs: .duration
        case .latlngValue: .latlng
        }
    }

    /// Why this function gave nothing for these values.
    func failure(_ arguments: [RuleValue]) -> EvaluationError {
        .unsupported(.function(self, arguments.map(\.type)))
    }
}

/// The functions that read documents.
package enum AccessFunction: String, CaseIterable, Hashable, Sendable {
    case get, exists, getAfter, existsAfter

    var isAfter: Bool { self == .getAfter || self == .existsAfter }
    var givesDocument: Bool { self == .get || self == .getAfter }
}
