package import BrasaDocuments

/// Where a Write stream has got to. Kept with the queue, so that a client that lost its connection, or its life, learns from
/// the server which batches were applied without its hearing so.
package struct WriteStreamPosition: Hashable, Sendable {
    package let streamID: UTF8Text
    /// Of the last answer that was taken.
    package let token: [UInt8]

    package init(streamID: UTF8Text, token: [UInt8]) {
        self.streamID = streamID
        self.token = token
    }
}
