/// How a stream ended; the last thing that its handler hears.
package enum HTTP2CloseReason: Hashable, Sendable {
    /// The exchange is complete: a server has sent its whole response, a client has received it.
    case finished
    /// The peer reset the stream.
    case resetByPeer(HTTP2ErrorCode)
    /// This side reset the stream: by `HTTP2Stream.reset`, or because the peer broke the protocol on it.
    case resetLocally(HTTP2ErrorCode)
    /// The peer has not processed the stream at all (REFUSED_STREAM, or above the last stream of its GOAWAY): safe to retry.
    case refused
    /// The connection went away under the stream.
    case connectionClosed
}
