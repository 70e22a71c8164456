package import BrasaDocuments

/// One message of a client on the Write stream.
package struct WriteRequest: Sendable {
    package var database: DatabaseName
    /// Empty unless the first message wants to go on with an earlier stream (see `WriteStreamID`).
    package var streamID: UTF8Text
    /// The last token that the client has seen. Empty at the start of a new stream.
    package var streamToken: [UInt8]
    /// Empty in the first message, and in the last one of some clients.
    package var writes: [Write]

    package init(
        database: DatabaseName,
        streamID: UTF8Text = "",
        streamToken: [UInt8] = [],
        writes: [Write] = []
    ) {
        self.database = database
        self.streamID = streamID
        self.streamToken = streamToken
        self.writes = writes
    }
}

/// How a server says that its streams can be taken up again: their ids begin with this. The first message then names the
/// stream and the last token that the client has seen. First come the answers to all batches that were applied since, in
/// order, then the answer to that message, which has no results; no batch but those has been or will be applied. ABORTED:
/// it is not known any more what became of them.
package enum WriteStreamID {
    package static let resumablePrefix = "brasa-"

    package static func isResumable(_ id: UTF8Text) -> Bool {
        id.bytes.starts(with: self.resumablePrefix.utf8)
    }
}

/// The answer to one message of the Write stream.
package struct WriteResponse: Sendable {
    /// Only in the answer to the first message of a connection.
    package var streamID: UTF8Text
    /// Never empty.
    package var streamToken: [UInt8]
    /// As many as the request's writes, in their order.
    package var writeResults: [WriteResultMessage]
    package var commitTime: Timestamp?

    package init(
        streamID: UTF8Text = "",
        streamToken: [UInt8],
        writeResults: [WriteResultMessage] = [],
        commitTime: Timestamp? = nil
    ) {
        self.streamID = streamID
        self.streamToken = streamToken
        self.writeResults = writeResults
        self.commitTime = commitTime
    }
}
