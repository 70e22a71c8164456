extension DocumentError: CustomStringConvertible {
    package var description: String { self.message }

    /// The text that clients see.
    package var message: String {
        switch self.reason {
        case .malformedMessage: "The request is not a valid protocol buffer message."
        case .invalidUTF8(let what): "The \(what) is not valid UTF-8."

        case .nameLacks(let kind, let name, let what, let index):
            "\(kind.rawValue) \"\(name)\" lacks \"\(what)\" at index \(index)."
        case .nameHasEmptyID(let kind, let name, let index):
            "\(kind.rawValue) \"\(name)\" contains an empty resource id at index \(index)."
        case .nameHasDots(let kind, let name, let id, let index):
            "\(kind.rawValue) \"\(name)\" contains a resource id \"\(id)\" at index \(index)."
        case .nameTooLong(let kind): "\(kind.rawValue) is longer than \(Limits.nameBytesMax) bytes."
        case .nameTooDeep(let kind):
            "\(kind.rawValue) nests more than \(Limits.collectionDepthMax) collections."
        case .resourceIDReserved(let id): "Resource id \"\(id)\" is invalid because it is reserved."
        case .resourceIDTooLong: "The key path element name is longer than \(Limits.idBytesMax) bytes."
        case .documentIDInvalid(let id): "Document id \"\(id)\" is invalid."
        case .collectionIDContainsSlash(let id): "Collection id \"\(id)\" is invalid because it contains \"/\"."
        case .collectionIDReserved(let id): "Collection id \"\(id)\" is invalid because it is reserved."
        case .collectionIDTooLong: "The query kind is longer than \(Limits.idBytesMax) bytes."
        case .collectionIDEmpty: "Collection id \"\" is invalid because it is empty."
        case .otherDatabase(let requested, let accessed):
            "The request was for database '\(requested)' but was attempting to access database '\(accessed)'"

        default: self.fieldMessage
        }
    }

    private var fieldMessage: String {
        switch self.reason {
        case .fieldNameEmpty: "The property.name is the empty string."
        case .fieldNameTooLong: "The property.name is longer than \(Limits.idBytesMax) bytes."
        case .fieldNameReserved(let name): "field name \(name) is reserved"
        case .fieldPathEmpty: "Invalid empty property path string."
        case .fieldPathInvalid(let path):
            #"Invalid property path "\#(path)". Unquoted property paths must match regex ([a-zA-Z_][a-zA-Z_0-9]*), "#
                + #"and quoted property paths must match regex (`(?:[^`\\]|(?:\\.))+`)"#
        case .fieldPathReserved(let path): "Invalid reserved name in field path \(path)"
        case .fieldPathTooLong: "property path is longer than \(Limits.idBytesMax) bytes."
        case .valueTypeUnset: "Cannot convert firestore.v1.Value with type unset."
        case .valueTypeUnsupported(let type): "Cannot convert firestore.v1.Value with type \(type)."
        case .valueTooLong(let property):
            "The value of property \"\(property)\" is longer than \(Limits.valueBytesMax) bytes."
        case .nestedArrays: "Nested arrays are not allowed"
        case .nestedTooDeep(let property): "Property \(property) contains an invalid nested entity."
        case .timestampOutOfRange:
            "Timestamp is outside the range 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999999Z."
        case .latitudeOutOfRange(let latitude):
            "Geo point latitude '\(latitude)' outside permitted range -90.0 to 90.0."
        case .longitudeOutOfRange(let longitude):
            "Geo point longitude '\(longitude)' outside permitted range -180.0 to 180.0."
        case .vectorTooLong: "Vectors must be at most \(Limits.vectorDimensionsMax) dimensions."
        case .vectorEmpty: "Cannot have a zero length vector."
        case .vectorNotANumber: "Vector cannot contain NaN values."
        case .vectorInArray: "Cannot convert a vector value in an array value."
        case .vectorComponentNotNumber: "Vectors must contain only numbers."
        case .documentTooLarge(let name, let bytes):
            "Document '\(name)' cannot be written because its size (\(Self.grouped(bytes)) bytes) exceeds the maximum "
                + "allowed size of \(Self.grouped(Limits.documentBytesMax)) bytes."
        default: self.writeMessage
        }
    }

    private var writeMessage: String {
        switch self.reason {
        case .emptyWrite: "empty write operation"
        case .deleteWithMask: "a delete must not specify a document mask."
        case .deleteWithTransform: "a delete must not specify a update transform."
        case .verifyWithTransform: "a verify must not specify a update transform."
        case .verifyWithoutPrecondition: "a verify must contain a precondition"
        case .transformWithMask: "a transform must not specify a document mask."
        case .transformWithTransform: "a transform must not specify a update transform."
        case .transformEmpty: "The list of FieldTransform must not be empty."
        case .transformPathsOverlap(let outer):
            "Cannot transform property \(outer) and its nested property at the same time."
        case .verifiedAndWritten: "the same document cannot be both written and verified in a single request"
        case .contradictingWrites(let first, let second):
            "Cannot \(first.rawValue) then \(second.rawValue) an entity in the same request."
        case .differingUpdateTimes: "Cannot combine writes to one document with different required base versions."
        case .maskPathsOverlap(let outer, let inner): "The document mask paths \(outer) and \(inner) overlap."
        case .tooManyTransforms:
            "cannot have more than \(Limits.transformsPerDocumentMax) field transforms on a single document"
        case .transformOperandNotNumber: "Input must be int64 or double."
        case .transformTypeUnset: "A field transform must specify a transform type."
        case .preconditionTimeNotAligned: "The precondition's update_time must be a whole number of microseconds."
        case .documentMissing(let name): "No document to update: \(name)"
        case .documentExists(let name): "Document already exists: \(name)"
        case .versionMismatch(let stored, let required):
            "the stored version (\(stored)) does not match the required base version (\(required))"
        case .versionAhead(let name): "Invalid base version, it is greater than the stored version: \(name)"
        default: "Invalid argument."
        }
    }

    /// 1048577 as "1,048,577".
    private static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0 && index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }
}
