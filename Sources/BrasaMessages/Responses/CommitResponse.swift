package import BrasaDocuments

/// The WriteResult of one write.
package struct WriteResultMessage: Sendable {
    /// Nil after a delete.
    package var updateTime: Timestamp?
    /// Value messages, one for each transform.
    package private(set) var encodedResults: [[UInt8]]

    package init(updateTime: Timestamp?, transformResults: [Value] = []) {
        self.updateTime = updateTime
        self.encodedResults = transformResults.isEmpty ? [] : transformResults.map { $0.encoded() }
    }

    package init(updateTime: Timestamp?, encodedResults: [[UInt8]]) {
        self.updateTime = updateTime
        self.encodedResults = encodedResults
    }
}

package struct CommitResponse: Sendable {
    /// As many as the request's writes, in their order.
    package var writeResults: [WriteResultMessage]
    package var commitTime: Timestamp?

    package init(writeResults: [WriteResultMessage], commitTime: Timestamp?) {
        self.writeResults = writeResults
        self.commitTime = commitTime
    }
}
