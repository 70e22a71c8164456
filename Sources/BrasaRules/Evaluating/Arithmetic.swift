internal import BrasaDocuments

/// The operators that compute.
enum Arithmetic {
    static func apply(
        _ known: BinaryOperator,
        _ one: RuleValue,
        _ other: RuleValue,
        _ work: inout Work
    ) throws(EvaluationError) -> RuleValue {
        switch (one, other) {
        case (.int(let one), .int(let other)): return .int(try self.apply(known, one, other))
        case (.int, .float), (.float, .int), (.float, .float):
            guard let one = one.double, let other = other.double else { break }
            return .float(self.apply(known, one, other))
        case (.string(let one), .string(let other)) where known == .plus:
            let (one, other) = (try one.all(.block, &work), try other.all(.block, &work))
            var bytes: [UInt8] = []
            bytes.reserveCapacity(one.count + other.count)
            bytes.append(contentsOf: one)
            bytes.append(contentsOf: other)
            return .string(RuleText(validated: bytes))
        case (.duration(let one), .duration(let other)):
            switch known {
            case .plus: return .duration(try RuleDuration(total: one.total + other.total))
            case .minus: return .duration(try RuleDuration(total: one.total - other.total))
            default: break
            }
        case (.timestamp(let time), .duration(let duration)):
            switch known {
            case .plus: return .timestamp(try RuleTimestamp(total: time.total + duration.total))
            case .minus: return .timestamp(try RuleTimestamp(total: time.total - duration.total))
            default: break
            }
        case (.duration(let duration), .timestamp(let time)) where known == .plus:
            return .timestamp(try RuleTimestamp(total: time.total + duration.total))
        case (.timestamp(let one), .timestamp(let other)) where known == .minus:
            return .duration(try RuleDuration(total: one.total - other.total))
        default: break
        }
        throw .unsupported(.binary(known, one.type, other.type))
    }

    private static func apply(_ known: BinaryOperator, _ one: Int64, _ other: Int64) throws(EvaluationError) -> Int64 {
        let (result, overflow): (Int64, Bool)
        switch known {
        case .plus: (result, overflow) = one.addingReportingOverflow(other)
        case .minus: (result, overflow) = one.subtractingReportingOverflow(other)
        case .times: (result, overflow) = one.multipliedReportingOverflow(by: other)
        default:
            guard other != 0 else { throw .divideByZero }
            // The one quotient that does not fit wraps around.
            if other == -1 { return known == .divide ? 0 &- one : 0 }
            return known == .divide ? one / other : one % other
        }
        guard !overflow else { throw .integerOutOfRange }
        return result
    }

    private static func apply(_ known: BinaryOperator, _ one: Double, _ other: Double) -> Double {
        switch known {
        case .plus: one + other
        case .minus: one - other
        case .times: one * other
        case .divide: one / other
        default: one.truncatingRemainder(dividingBy: other)
        }
    }

    static func negate(_ value: RuleValue) throws(EvaluationError) -> RuleValue {
        switch value {
        case .int(let int):
            guard int != .min else { throw .integerOutOfRange }
            return .int(-int)
        case .float(let float): return .float(-float)
        case .duration(let duration): return .duration(try RuleDuration(total: -duration.total))
        default:
            throw .unsupported(.negation(value.type))
        }
    }
}
