package import NIOCore

/// What happens on one stream, told on the connection's event loop.
///
/// Order: `received(headers:)` once, `received(data:)` any number of times, at most one `received(trailers:)`, and
/// `closed` exactly once and last, whatever happens. One of the first three says when the peer has ended its side.
/// Every method may call the stream's and the connection's methods, open other streams, and close the channel. It may be
/// called within the session's own work, which what it does never runs again.
package protocol HTTP2StreamHandler: AnyObject {
    /// The request's headers on a server, those that the acceptor has chosen by; the final response's on a client (1xx ones
    /// are left out).
    func received(headers: HTTP2Headers, endStream: Bool)

    /// Bytes of the body. They share the storage of the whole read, so whoever keeps them beyond the call copies them.
    /// They stay counted against the peer's window until `HTTP2Stream.consume`.
    func received(data: ByteBuffer, endStream: Bool)

    /// The peer's trailers; they end its side.
    func received(trailers: HTTP2Headers)

    /// `HTTP2Stream.isWritable` was asked, said false, and says true now.
    func becameWritable()

    /// The connection is being drained: long-lived streams should come to their end. Told once; a stream that opens
    /// during the drain is told after its headers.
    func draining()

    /// The drain's grace period is over: what is not finished when this returns is reset with CANCEL.
    func graceEnded()

    /// The stream is gone. Nothing follows; the connection has let go of the handler.
    func closed(_ reason: HTTP2CloseReason)
}

extension HTTP2StreamHandler {
    package func draining() {}
    package func graceEnded() {}
}
