package import BrasaDocuments

package struct ListCollectionIdsRequest: Sendable {
    package var parent: ParentName
    /// As sent: 0 leaves it to the server, negative numbers are for the service to refuse.
    package var pageSize: Int32
    package var pageToken: UTF8Text
    package var readTime: ReadTime?

    package init(parent: ParentName, pageSize: Int32 = 0, pageToken: UTF8Text = "", readTime: ReadTime? = nil) {
        self.parent = parent
        self.pageSize = pageSize
        self.pageToken = pageToken
        self.readTime = readTime
    }
}
