package import BrasaDocuments
package import BrasaQueries

package struct PartitionQueryRequest: Sendable {
    package var parent: ParentName
    /// Nil when the request has no structured query.
    package var query: StructuredQuery?
    /// As sent, perhaps not positive.
    package var partitionCount: Int64
    package var pageToken: UTF8Text
    /// As sent: 0 leaves it to the server, negative numbers are for the service to refuse.
    package var pageSize: Int32
    package var readTime: ReadTime?

    package init(
        parent: ParentName,
        query: StructuredQuery?,
        partitionCount: Int64,
        pageToken: UTF8Text = "",
        pageSize: Int32 = 0,
        readTime: ReadTime? = nil
    ) {
        self.parent = parent
        self.query = query
        self.partitionCount = partitionCount
        self.pageToken = pageToken
        self.pageSize = pageSize
        self.readTime = readTime
    }
}

package struct PartitionQueryResponse: Sendable {
    /// Ascending positions between runs of the query's results.
    package var partitions: [StructuredQuery.Cursor]
    /// Empty on the last page.
    package var nextPageToken: UTF8Text

    package init(partitions: [StructuredQuery.Cursor], nextPageToken: UTF8Text = "") {
        self.partitions = partitions
        self.nextPageToken = nextPageToken
    }
}
