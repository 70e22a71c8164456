package import NIOCore

/// How a call ended, as the client sees it.
package struct GRPCCallResult: Error, Sendable {
    package var status: GRPCStatus
    /// The response's trailers, or its headers when it had nothing else.
    package var trailers: GRPCMetadata
    /// The server has not processed the call at all, so that even a call which must not run twice may be repeated.
    package var isSafeToRepeat: Bool
    /// The server has said the status; otherwise it is what was made here of a broken connection, a deadline or an
    /// unreadable response, and the server may have done anything.
    package var isAnswer: Bool
    /// What there was no connection or no token for.
    package var cause: (any Error)?

    package init(
        _ status: GRPCStatus,
        trailers: GRPCMetadata = GRPCMetadata(),
        isSafeToRepeat: Bool = false,
        isAnswer: Bool = false,
        cause: (any Error)? = nil
    ) {
        self.status = status
        self.trailers = trailers
        self.isSafeToRepeat = isSafeToRepeat
        self.isAnswer = isAnswer
        self.cause = cause
    }
}

/// The caller's end of a streaming call. Called on the connection's event loop.
package protocol GRPCClientResponseHandler: AnyObject {
    /// The response's headers, when it does not consist of trailers only.
    func received(metadata: GRPCMetadata)

    /// A response message. It may be a slice of a whole read: whoever keeps it beyond the call copies it. The server gets
    /// its flow-control credit back when this returns; `GRPCClientCall.pauseReading` holds it back.
    func received(message: ByteBuffer)

    /// `GRPCClientCall.isWritable` said false, and says true now.
    func becameWritable()

    /// The end, exactly once and last.
    func finished(_ result: GRPCCallResult)
}

extension GRPCClientResponseHandler {
    package func received(metadata: GRPCMetadata) {}
    package func becameWritable() {}
}
