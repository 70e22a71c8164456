/// What must hold of a document, in the state left by the earlier writes of the same commit, for a write to apply.
package enum Precondition: Hashable, Sendable {
    case exists(Bool)
    case updateTime(Timestamp)
}

/// One write of a commit, as asked for by a client: checked for form, not yet applied.
package struct Write: Sendable {
    package enum Operation: Sendable {
        /// An update without mask: replaces all fields, creates a missing document.
        case set(EncodedFields)
        /// An update with a mask: sets the masked paths that `fields` has, deletes those that it lacks. An empty mask
        /// still creates a missing document.
        case merge(EncodedFields, mask: [FieldPath])
        case delete
        /// Checks the precondition only.
        case verify
    }

    package var name: DocumentName
    package var operation: Operation
    /// Applied after the operation, in order, each seeing the one before. Only with `set` and `merge`.
    package var transforms: [FieldTransform]
    package var precondition: Precondition?

    package init(
        name: DocumentName,
        operation: Operation,
        transforms: [FieldTransform] = [],
        precondition: Precondition? = nil
    ) {
        self.name = name
        self.operation = operation
        self.transforms = transforms
        self.precondition = precondition
    }
}

/// A change of one field that the server computes.
package struct FieldTransform: Sendable {
    package enum Operation: Sendable {
        case requestTime
        case increment(Value)
        case maximum(Value)
        case minimum(Value)
        case appendMissingElements([Value])
        case removeAllFromArray([Value])

        var isOfArray: Bool {
            switch self {
            case .appendMissingElements, .removeAllFromArray: true
            default: false
            }
        }
    }

    package var path: FieldPath
    package var operation: Operation

    package init(path: FieldPath, operation: Operation) {
        self.path = path
        self.operation = operation
    }
}
