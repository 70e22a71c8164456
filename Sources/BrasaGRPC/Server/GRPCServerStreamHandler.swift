package import NIOCore

/// The service's end of a streaming call. Called on the call's event loop, and only until the call is finished.
package protocol GRPCServerStreamHandler: AnyObject {
    /// A request message. It may be a slice of a whole read: whoever keeps it beyond the call copies it. The client gets
    /// its flow-control credit back when this returns; `GRPCServerCall.pauseReading` holds it back.
    func received(message: ByteBuffer)

    /// The client sends no more messages.
    func halfClosed()

    /// `GRPCServerCall.isWritable` said false, and says true now.
    func becameWritable()

    /// The call ended without the handler's doing: the client cancelled, the deadline passed, the connection went away or
    /// the request was malformed. Nothing can be sent any more and nothing else will be called.
    func cancelled()

    /// The server wants to stop: a long-lived call should come to its end now.
    func draining()

    /// What the client sends cannot be taken, for that reason, and nothing behind it is handed over. Whether the handler ends
    /// the call, with that status, when it has sent what it owes; if not, the call is ended at once.
    func failed(_ status: GRPCStatus) -> Bool
}

extension GRPCServerStreamHandler {
    package func received(message: ByteBuffer) {}
    package func halfClosed() {}
    package func draining() {}
    package func failed(_ status: GRPCStatus) -> Bool { false }
}
