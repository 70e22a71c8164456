package import BrasaDocuments

/// A checked request for points that split a collection group into parts.
package struct PartitionQuery: Hashable, Sendable {
    package let query: Query
    /// How many points are wanted at most.
    package let countMax: Int

    package init(_ structured: StructuredQuery?, parent: ParentName, count: Int64) throws(QueryError) {
        guard let structured else { throw QueryError(.partitionWithoutQuery) }
        guard count > 0 else { throw QueryError(.partitionCountNotPositive) }
        if structured.limit != nil { throw QueryError(.partitionNotSupported(.limit)) }
        if structured.offset != 0 { throw QueryError(.partitionNotSupported(.offset)) }
        if structured.select != nil { throw QueryError(.partitionNotSupported(.projection)) }
        if structured.startAt != nil || structured.endAt != nil { throw QueryError(.partitionNotSupported(.cursors)) }
        if structured.findNearest != nil { throw QueryError(.partitionNotSupported(.nearest)) }
        let query = try Query(structured, parent: parent)
        guard query.names.allDescendants, query.names.collectionID != nil else {
            throw QueryError(.partitionOfCollection)
        }
        guard parent.path.isRoot else { throw QueryError(.partitionNotSupported(.ancestor)) }
        guard query.filter == nil else { throw QueryError(.partitionNotSupported(.filters)) }
        guard query.order.isByNameAlone, !query.order.isNameDescending else { throw QueryError(.partitionOrder) }
        self.query = query
        self.countMax = Int(clamping: count)
    }
}
