package import BrasaDocuments

/// One message of a client on the Listen stream.
package struct ListenRequest: Sendable {
    package var database: DatabaseName
    /// Nil where the message asks for nothing that is known here.
    package var change: Change?
    /// The label `goog-listen-tags`: why a client asks. Only sent; a server has no use for it.
    package var listenTag: UTF8Text?

    package enum Change: Sendable {
        case add(ListenTarget)
        case remove(Int32)
    }

    package init(database: DatabaseName, change: Change?, listenTag: UTF8Text? = nil) {
        self.database = database
        self.change = change
        self.listenTag = listenTag
    }
}
