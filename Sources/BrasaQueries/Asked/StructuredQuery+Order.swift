package import BrasaDocuments

extension StructuredQuery {
    package struct Order: Hashable, Sendable {
        package var field: FieldPath
        package var direction: Direction

        package init(field: FieldPath, direction: Direction = .unspecified) {
            self.field = field
            self.direction = direction
        }

        /// A number that is none of these reads as unspecified.
        package enum Direction: Int32, Hashable, Sendable {
            case unspecified = 0
            case ascending = 1
            case descending = 2
        }
    }

    package struct Cursor: Hashable, Sendable {
        package var values: [Value]
        package var before: Bool

        package init(values: [Value], before: Bool) {
            self.values = values
            self.before = before
        }
    }

}
