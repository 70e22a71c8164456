/// Why a name, a value or a write was refused. The reason carries the facts; code and text are made from it.
package struct DocumentError: Error, Hashable, Sendable {
    /// The protocol's status codes that documents can lead to.
    package enum Code: Hashable, Sendable {
        case invalidArgument, notFound, alreadyExists, failedPrecondition
    }

    package let reason: Reason

    package init(_ reason: Reason) {
        self.reason = reason
    }

    package var code: Code {
        switch self.reason {
        case .documentMissing: .notFound
        case .documentExists: .alreadyExists
        case .versionMismatch: .failedPrecondition
        default: .invalidArgument
        }
    }
}

extension DocumentError {
    package enum Reason: Hashable, Sendable {
        /// Bytes that are no message of the protocol: truncated, a length past the end, a varint of eleven bytes, a
        /// group.
        case malformedMessage
        case invalidUTF8(String)

        // Names
        case nameLacks(NameKind, name: String, what: String, index: Int)
        case nameHasEmptyID(NameKind, name: String, index: Int)
        case nameHasDots(NameKind, name: String, id: String, index: Int)
        case nameTooLong(NameKind)
        case nameTooDeep(NameKind)
        case resourceIDReserved(String)
        case resourceIDTooLong
        case documentIDInvalid(String)
        case collectionIDContainsSlash(String)
        case collectionIDReserved(String)
        case collectionIDTooLong
        case collectionIDEmpty
        case otherDatabase(requested: String, accessed: String)

        // Fields and values
        case fieldNameEmpty
        case fieldNameTooLong
        case fieldNameReserved(String)
        case fieldPathEmpty
        case fieldPathInvalid(String)
        case fieldPathReserved(String)
        case fieldPathTooLong
        case valueTypeUnset
        case valueTypeUnsupported(String)
        case valueTooLong(property: String)
        case nestedArrays
        case nestedTooDeep(property: String)
        case timestampOutOfRange
        case latitudeOutOfRange(String)
        case longitudeOutOfRange(String)
        case vectorTooLong
        case vectorEmpty
        case vectorNotANumber
        case vectorInArray
        case vectorComponentNotNumber
        case documentTooLarge(name: String, bytes: Int)

        // Writes
        case emptyWrite
        case deleteWithMask
        case deleteWithTransform
        case verifyWithTransform
        case verifyWithoutPrecondition
        case transformWithMask
        case transformWithTransform
        case transformEmpty
        case transformPathsOverlap(outer: String)
        case verifiedAndWritten
        case contradictingWrites(WriteKind, WriteKind)
        case differingUpdateTimes
        case maskPathsOverlap(String, String)
        case tooManyTransforms
        case transformOperandNotNumber
        case transformTypeUnset
        case preconditionTimeNotAligned
        case documentMissing(name: String)
        case documentExists(name: String)
        case versionMismatch(stored: Int64, required: Int64)
        /// No version of the document can have been of that time.
        case versionAhead(name: String)
    }

    /// What kind of name a text was read as.
    package enum NameKind: String, Hashable, Sendable {
        case database = "Database name"
        case document = "Document name"
        case parent = "Document parent name"
    }
}
