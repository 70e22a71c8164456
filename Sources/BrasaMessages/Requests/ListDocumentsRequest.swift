package import BrasaDocuments

package struct ListDocumentsRequest: Sendable {
    package var parent: ParentName
    /// Empty for the documents of all collections directly under the parent. Unchecked.
    package var collectionID: UTF8Text
    /// As sent: 0 leaves it to the server, negative numbers are for the service to refuse.
    package var pageSize: Int32
    package var pageToken: UTF8Text
    /// For example `a desc, __name__`; empty for name order. Unchecked.
    package var orderBy: UTF8Text
    package var mask: [FieldPath]?
    package var consistency: ReadConsistency
    package var showMissing: Bool

    package init(
        parent: ParentName,
        collectionID: UTF8Text,
        pageSize: Int32 = 0,
        pageToken: UTF8Text = "",
        orderBy: UTF8Text = "",
        mask: [FieldPath]? = nil,
        consistency: ReadConsistency = .strong,
        showMissing: Bool = false
    ) {
        self.parent = parent
        self.collectionID = collectionID
        self.pageSize = pageSize
        self.pageToken = pageToken
        self.orderBy = orderBy
        self.mask = mask
        self.consistency = consistency
        self.showMissing = showMissing
    }
}
