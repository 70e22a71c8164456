package import BrasaDocuments

/// A StructuredQuery as it was asked for: complete, so that whoever runs it can refuse what it does not do, and checked
/// only where a name, path or value must be read. Which combinations are legal is the queries' business.
package struct StructuredQueryMessage: Sendable {
    /// Nil returns all fields, an empty projection none.
    package var select: [FieldPath]?
    package var from: [CollectionSelector]
    package var filter: FilterMessage?
    package var orderBy: [OrderMessage]
    package var startAt: CursorMessage?
    package var endAt: CursorMessage?
    /// As sent, perhaps negative.
    package var offset: Int32
    /// As sent, perhaps negative. Nil is no limit, 0 an empty result.
    package var limit: Int32?
    package var findNearest: FindNearestMessage?

    /// Filters in filters; the protocol's own clients stay far below.
    package static let filterDepthMax = 100

    package init(
        select: [FieldPath]? = nil,
        from: [CollectionSelector] = [],
        filter: FilterMessage? = nil,
        orderBy: [OrderMessage] = [],
        startAt: CursorMessage? = nil,
        endAt: CursorMessage? = nil,
        offset: Int32 = 0,
        limit: Int32? = nil,
        findNearest: FindNearestMessage? = nil
    ) {
        self.select = select
        self.from = from
        self.filter = filter
        self.orderBy = orderBy
        self.startAt = startAt
        self.endAt = endAt
        self.offset = offset
        self.limit = limit
        self.findNearest = findNearest
    }

    package struct CollectionSelector: Hashable, Sendable {
        /// Empty for collections of any id. Unchecked.
        package var collectionID: UTF8Text
        package var allDescendants: Bool

        package init(collectionID: UTF8Text, allDescendants: Bool = false) {
            self.collectionID = collectionID
            self.allDescendants = allDescendants
        }
    }
}

package struct OrderMessage: Hashable, Sendable {
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

package struct CursorMessage: Sendable {
    package var values: [Value]
    package var before: Bool

    package init(values: [Value], before: Bool) {
        self.values = values
        self.before = before
    }
}

package struct FindNearestMessage: Sendable {
    package var vectorField: FieldPath?
    package var queryVector: Value?
    package var distanceMeasure: DistanceMeasure
    package var limit: Int32?
    /// Empty when the distance is not asked for. Unchecked.
    package var distanceResultField: UTF8Text
    package var distanceThreshold: Double?

    package init(
        vectorField: FieldPath?,
        queryVector: Value?,
        distanceMeasure: DistanceMeasure,
        limit: Int32?,
        distanceResultField: UTF8Text = "",
        distanceThreshold: Double? = nil
    ) {
        self.vectorField = vectorField
        self.queryVector = queryVector
        self.distanceMeasure = distanceMeasure
        self.limit = limit
        self.distanceResultField = distanceResultField
        self.distanceThreshold = distanceThreshold
    }

    package enum DistanceMeasure: Int32, Hashable, Sendable {
        case unspecified = 0
        case euclidean = 1
        case cosine = 2
        case dotProduct = 3
    }
}
