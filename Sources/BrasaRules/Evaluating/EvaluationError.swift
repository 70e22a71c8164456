/// Why an expression has no value. `&&` and `||` may absorb it, except where the whole decision ends.
package indirect enum EvaluationError: Error, Hashable, Sendable {
    case nullValue
    case undefinedProperty(String)
    case type(received: String, expected: String)
    case functionNotFound(String)
    case unsupported(UnsupportedOperation)
    case argumentCount(received: Int, expected: String)
    case integerOutOfRange
    case divideByZero
    case indexOutOfBounds(index: Int64, size: Int)
    case illegalRange(from: Int64, to: Int64)
    case conversion(argument: String, from: String, to: String)
    case invalidPattern(String)
    case invalidReplacement(String)

    case emptyPath
    case emptySegment(String)
    case invalidPath(String)
    case unboundPathVariable(String)
    case unknownPathVariables([String])

    case invalidDate(year: Int64, month: Int64, day: Int64)
    case timestampOutOfRange
    case durationOutOfRange
    case invalidPlace(latitude: Double, longitude: Double)

    /// A document could not be asked for: no document's path, too many calls, or not to be known.
    case serviceCall(function: String, argument: String, AccessFailure)
    /// Depends on what is not known before a query has run.
    case undetermined

    /// These two end the decision: nothing absorbs them.
    case expressionsExceeded(Int)
    case workExceeded

    package enum AccessFailure: Hashable, Sendable {
        case noDocumentPath, limitOfOperation, limitOfRequest, refused, unknown
    }

    package var endsDecision: Bool {
        switch self {
        case .expressionsExceeded, .workExceeded: true
        default: false
        }
    }
}
