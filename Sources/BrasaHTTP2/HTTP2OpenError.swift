/// Why a client connection opens no further stream.
package enum HTTP2OpenError: Error, Hashable, Sendable {
    /// Only clients open streams.
    case notAClient
    /// The connection is closed.
    case closed
    /// GOAWAY was sent or received: use another connection.
    case draining
    /// `HTTP2Limits.concurrentStreamsMax` streams are open already.
    case tooManyStreams
}
