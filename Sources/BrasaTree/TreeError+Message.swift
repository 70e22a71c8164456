extension TreeError: CustomStringConvertible {
    package var description: String { self.path.map { "\(self.message) at \($0)" } ?? self.message }

    package static let tooMuchToWrite =
        "Data to write exceeds the maximum size that can be modified with a single request."

    /// Where clients know a text from the hosted service, that text.
    package var message: String {
        switch self.reason {
        case .json(let fault, let offset): "invalid JSON at byte \(offset): \(fault.message)"
        case .invalidKey(let key):
            "invalid key \"\(key)\": keys must be non-empty and cannot contain \".\", \"#\", \"$\", \"/\", \"[\", \"]\" "
                + "or control characters"
        case .keyTooLong(let bytes): "key of \(bytes) bytes, the limit is \(TreeLimits.keyBytesMax)"
        case .tooDeep(let levels): "\(levels) levels, the limit is \(TreeLimits.levelsMax)"
        case .stringTooLong(let bytesMax): "string of more than \(bytesMax) bytes"
        case .textTooLong: Self.tooMuchToWrite
        case .numberNotFinite: "a number must be finite"
        case .valueWithChildren: "\".value\" beside children"
        case .valueNotPrimitive: "\".value\" must be a string, number or boolean"
        case .invalidPriority: "a priority must be a string or number"
        case .priorityOfAbsentNode: "cannot set the priority of a node that does not exist"
        case .serverValueWithSiblings: "\".sv\" beside other keys"
        case .unrecognizedServerValue: "unrecognized server value"
        case .updateNotObject:
            "Invalid data; couldn't parse JSON object. Are you sending a JSON object with valid key names?"
        case .conflictingPaths(let upper, let lower):
            upper == lower
                ? "contains the path \(upper) twice"
                : "contains a path \(upper) that is ancestor of another path \(lower)"
        case .tooManyPaths(let pathsMax): "update of more than \(pathsMax) paths"
        case .malformedCompoundHash: "compound hash without one more hash than posts, or with posts out of order"
        case .tooManyPosts(let postsMax): "compound hash of more than \(postsMax) posts"
        default: self.queryMessage
        }
    }

    private var queryMessage: String {
        switch self.reason {
        case .orderMissing: "orderBy must be defined when other query parameters are defined"
        case .constraintNotPrimitive: "Constraint index field must be a JSON primitive"
        case .keyBoundNotString: "Constraint key field must be a string when ordered by key"
        case .keyBoundWithKey: "a bound of a query by key has no second key"
        case .priorityBoundInvalid: "a bound of a query by priority must be a string, a number or null"
        case .invalidOrder: "orderBy must be a valid JSON encoded path"
        case .invalidLimit: "a limit must be a positive integer"
        case .severalLimits: "only one of limitToFirst and limitToLast can be defined"
        case .severalStarts: "only one of startAt, startAfter and equalTo can be defined"
        case .severalEnds: "only one of endAt, endBefore and equalTo can be defined"
        case .duplicateParameter(let name): "\(name) is defined twice"
        default: "malformed query"
        }
    }
}

extension JSONFault {
    fileprivate var message: String {
        switch self {
        case .unexpectedByte: "unexpected character"
        case .unexpectedEnd: "the text ends early"
        case .afterEnd: "more than one value"
        case .invalidEscape: "invalid escape"
        case .controlCharacter: "control character in a string"
        case .invalidUTF8: "invalid UTF-8"
        case .invalidNumber: "invalid number"
        case .numberOutOfRange: "number out of range"
        case .tooDeep(let levelsMax): "nested more than \(levelsMax) levels deep"
        }
    }
}
