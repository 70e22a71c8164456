package import NIOCore

package struct GRPCServerLimits: Sendable {
    /// The largest request message, as announced and after decompression. Larger: INVALID_ARGUMENT.
    package var messageBytesMax = 10 << 20
    /// A compressed message may become this many times as large as it came, and this much larger in any case. Past it:
    /// INVALID_ARGUMENT.
    package var inflationRatioMax = 100
    package var inflationBytesFree = 64 << 10
    /// The same for methods that have no limit of their own: they carry documents, which may repeat themselves all through.
    package var documentInflationBytesFree = 2 << 20
    /// Bytes of requests that a connection may make the server keep, all calls together: unfinished ones, and those of
    /// calls that are not answered yet. The call that goes over gets RESOURCE_EXHAUSTED.
    package var requestBytesMax = 64 << 20
    /// How long a client may take to send a request: the whole of one that consists of a single message, from its headers
    /// on, else each message from its first byte on. Past it: DEADLINE_EXCEEDED.
    package var receiveTimeMax: TimeAmount = .seconds(60)
    /// Responses to clients that compress their requests are compressed from this size on.
    package var compressedResponseBytesMin = 1 << 10

    /// What `GET /` is answered with, for readiness probes that speak plain HTTP/2.
    package var probeAnswer = "Ok\n"

    package init() {}
}
