package import BrasaDocuments

/// Opens the two streams, and asks single questions. Whatever a connection tells its delegate is posted on the executor: no
/// delegate is called inside a call of the engine, and none after `close`.
package protocol SyncTransport: AnyObject {
    func openWatchStream(_ delegate: any WatchStreamDelegate) -> any WatchConnection
    func openWriteStream(_ delegate: any WriteStreamDelegate) -> any WriteConnection
    /// Asks the server for what a target has now. The completion is called once, within the time.
    func read(
        _ target: SyncTarget,
        within time: Duration,
        completion: @escaping (Result<ServerAnswer, SyncError>) -> Void
    ) -> any ReadConnection
    /// The server did not take the credentials: the next stream shall fetch new ones.
    func invalidateCredentials()
}

package protocol WatchConnection: AnyObject {
    func send(_ request: WatchRequest)
    func close()
}

package protocol WriteConnection: AnyObject {
    func send(_ request: WriteRequest)
    func close()
}

/// A question that was not answered yet.
package protocol ReadConnection: AnyObject {
    func close()
}

package protocol WatchStreamDelegate: AnyObject {
    /// Requests can be sent.
    func watchStreamOpened()
    func watchStreamReceived(_ message: WatchMessage)
    /// Nil when the server ended the stream without an error. The connection is of no further use.
    func watchStreamClosed(_ error: SyncError?)
}

package protocol WriteStreamDelegate: AnyObject {
    func writeStreamOpened()
    func writeStreamReceived(_ message: WriteMessage)
    func writeStreamClosed(_ error: SyncError?)
}

/// What the server has found, all at one time: of a document that it exists or does not, of a query the results.
package struct ServerAnswer: Sendable {
    package var documents: [SyncDocument]
    /// Nil when the server did not say.
    package var readTime: Timestamp?

    package init(documents: [SyncDocument], readTime: Timestamp?) {
        self.documents = documents
        self.readTime = readTime
    }
}

/// One request of the Listen stream.
package enum WatchRequest: Hashable, Sendable {
    case add(AddTarget)
    case remove(WireTargetID)

    package struct AddTarget: Hashable, Sendable {
        package let id: WireTargetID
        package let target: SyncTarget
        package let resumption: Resumption?
        /// How many documents we have for the target; with a resumption only.
        package let expectedCount: Int32?
        /// Decides the `goog-listen-tags` label.
        package let purpose: TargetData.Purpose
    }

    package enum Resumption: Hashable, Sendable {
        case token([UInt8])
        case readTime(Timestamp)
    }
}

/// One response of the Listen stream, target ids as they are on the wire.
package enum WatchMessage: Sendable {
    case target(TargetMessage)
    /// The document is in the targets and no longer in the removed ones. Its read time is unset.
    case document(SyncDocument, targets: [WireTargetID], removed: [WireTargetID])
    /// The document was deleted; the version is the delete's read time.
    case delete(ResourcePath, version: Timestamp, removed: [WireTargetID])
    /// The document is not in the targets any more, its state is not said.
    case remove(ResourcePath, removed: [WireTargetID])
    case filter(target: WireTargetID, count: Int32, bloomFilter: UncheckedBloomFilter?)

    package struct TargetMessage: Sendable {
        package enum Kind: Hashable, Sendable {
            case noChange, add, remove, current, reset
        }

        package var kind: Kind
        /// Empty: all.
        package var targets: [WireTargetID]
        package var cause: SyncError?
        package var resumeToken: [UInt8]
        package var readTime: Timestamp?

        package init(
            _ kind: Kind,
            targets: [WireTargetID],
            cause: SyncError? = nil,
            resumeToken: [UInt8] = [],
            readTime: Timestamp? = nil
        ) {
            self.kind = kind
            self.targets = targets
            self.cause = cause
            self.resumeToken = resumeToken
            self.readTime = readTime
        }
    }

    /// A bloom filter as it was sent.
    package struct UncheckedBloomFilter: Hashable, Sendable {
        /// Nil when the bytes could not be read.
        package var bitmap: [UInt8]?
        package var padding: Int32
        package var hashCount: Int32

        package init(bitmap: [UInt8]?, padding: Int32, hashCount: Int32) {
            self.bitmap = bitmap
            self.padding = padding
            self.hashCount = hashCount
        }
    }
}

/// One request of the Write stream.
package enum WriteRequest: Sendable {
    /// Names the database and, if there is one, the stream that is to go on.
    case handshake(resuming: WriteStreamPosition?)
    case writes([Write], streamToken: [UInt8])
    /// No writes, the last token: the end of a stream.
    case goodbye(streamToken: [UInt8])
}

/// One response of the Write stream. The answer to a handshake has no commit time. Before it come, when a stream goes on,
/// the answers to all batches that were applied behind the position where it does: no others were.
package struct WriteMessage: Sendable {
    /// In the answer to a handshake, when the stream can be taken up again.
    package var streamID: UTF8Text?
    package var streamToken: [UInt8]
    package var commitTime: Timestamp?
    package var results: [WriteResult]

    package init(
        streamID: UTF8Text? = nil,
        streamToken: [UInt8],
        commitTime: Timestamp?,
        results: [WriteResult]
    ) {
        self.streamID = streamID
        self.streamToken = streamToken
        self.commitTime = commitTime
        self.results = results
    }
}

/// What the server says of one write.
package struct WriteResult: Sendable {
    /// Nil or zero: the commit time.
    package var updateTime: Timestamp?
    package var transformResults: [Value]

    package init(updateTime: Timestamp?, transformResults: [Value]) {
        self.updateTime = updateTime
        self.transformResults = transformResults
    }
}
