package import BrasaDocuments

/// One element of a query's `from`.
package struct CollectionSelector: Hashable, Sendable {
    /// Empty: any collection.
    package var collectionID: UTF8Text
    package var allDescendants: Bool

    package init(collectionID: UTF8Text, allDescendants: Bool) {
        self.collectionID = collectionID
        self.allDescendants = allDescendants
    }
}

/// One element of a query's `order_by`.
package struct QueryOrder: Hashable, Sendable {
    package var path: FieldPath
    package var isDescending: Bool

    package init(path: FieldPath, isDescending: Bool) {
        self.path = path
        self.isDescending = isDescending
    }
}

/// A position in a query's order: before or after the documents with these values.
package struct QueryCursor: Hashable, Sendable {
    package var values: [Value]
    package var isBefore: Bool

    package init(values: [Value], isBefore: Bool) {
        self.values = values
        self.isBefore = isBefore
    }
}

/// A comparison of a field with a value; of several, all must hold.
package struct QueryFilter: Hashable, Sendable {
    package enum Comparison: Hashable, Sendable {
        case equal, lessThan, lessThanOrEqual, greaterThan, greaterThanOrEqual, arrayContains
        /// Every other comparison.
        case other
    }

    package var path: FieldPath
    package var comparison: Comparison
    package var value: Value

    package init(path: FieldPath, comparison: Comparison, value: Value) {
        self.path = path
        self.comparison = comparison
        self.value = value
    }
}
