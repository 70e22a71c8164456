package import BrasaDocuments

/// A StructuredQuery as it was asked for: complete, so that whoever runs it can refuse what it does not do, and checked
/// only where a name, path or value must be read. Which combinations are legal is `Query`'s business.
package struct StructuredQuery: Hashable, Sendable {
    /// Nil returns all fields, an empty projection none.
    package var select: [FieldPath]?
    package var from: [CollectionSelector]
    package var filter: Filter?
    package var orderBy: [Order]
    package var startAt: Cursor?
    package var endAt: Cursor?
    /// As sent, perhaps negative.
    package var offset: Int32
    /// As sent, perhaps negative. Nil is no limit, 0 an empty result.
    package var limit: Int32?
    package var findNearest: FindNearest?

    /// Filters in filters; the protocol's own clients stay far below.
    package static let filterDepthMax = 100

    package init(
        select: [FieldPath]? = nil,
        from: [CollectionSelector] = [],
        filter: Filter? = nil,
        orderBy: [Order] = [],
        startAt: Cursor? = nil,
        endAt: Cursor? = nil,
        offset: Int32 = 0,
        limit: Int32? = nil,
        findNearest: FindNearest? = nil
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
