extension EvaluationError {
    /// The text that test tools show.
    package var message: String {
        switch self {
        case .nullValue: "Null value error."
        case .undefinedProperty(let name): "Property \(name) is undefined on object."
        case .type(let received, let expected): "Type error. Received: [\(received)] Expected: [\(expected)]."
        case .functionNotFound(let name): "Function not found error: Name: [\(name)]."
        case .unsupported(let operation):
            "Unsupported operation error. Received: \(operation.received). Expected: \(operation.expected)."
        case .argumentCount(let received, let expected):
            "Incorrect number of arguments. Received: \(received). Expected: \(expected)."
        case .integerOutOfRange: "Integer value is out of the [\(Int64.min), \(Int64.max)] range."
        case .divideByZero: "Divide by zero error."
        case .indexOutOfBounds(let index, let size): "Index out of bound error. Index: [\(index)] , size: [\(size)]."
        case .illegalRange(let from, let to): "Illegal range error. From index: [\(from)] , To index: [\(to)]."
        case .conversion(let argument, let from, let to):
            "Type conversion error. Argument: [\(argument)], From type: [\(from)], To type: [\(to)]."
        case .invalidPattern(let pattern): "Invalid regular expression pattern. Pattern: \(pattern)."
        case .invalidReplacement(let text): "Invalid replacement. Replacement: \(text)."
        case .emptyPath: "Empty Path Template is not allowed."
        case .emptySegment(let path): "Invalid Path Template \(path). Empty segment is not allowed."
        case .invalidPath(let path): "Invalid Path Template \(path)."
        case .unboundPathVariable(let name): "Variable \(name) is not bound in path template."
        case .unknownPathVariables(let names):
            "Variable(s) \(names.joined(separator: ",")) do not exist in the path template."
        case .invalidDate(let year, let month, let day):
            "Date is not valid. year: \(year), month: \(month) day: \(day)."
        case .timestampOutOfRange: "Timestamp is not valid. It is out of the range from year 1 to 9999."
        case .durationOutOfRange: "Duration is not valid. It is out of the range of 315576000000 seconds."
        case .invalidPlace(let latitude, let longitude):
            "Latitude should be in [-90,90] range and longitude should be in [-180,180] range. "
                + "latitude: \(latitude), longitude: \(longitude)."
        case .serviceCall(let function, let argument, _):
            "Service call error. Function: [\(function)], Argument: [\(argument)]."
        case .undetermined: "The value is not known before the query has run."
        case .expressionsExceeded(let count):
            "Unable to evaluate the expression as the maximum of \(count) expressions to evaluate has been reached."
        case .workExceeded: "Unable to evaluate the expression as it needs more work than a decision may cost."
        }
    }
}
