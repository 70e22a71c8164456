package struct GRPCServerLimits: Sendable {
    /// The largest request message, as announced and after decompression. Larger: INVALID_ARGUMENT.
    package var messageBytesMax = 10 << 20
    /// Bytes of request messages that a connection may leave unfinished, all calls together. The call that goes over gets
    /// RESOURCE_EXHAUSTED.
    package var assemblyBytesMax = 64 << 20
    /// Bytes of responses that may wait on a connection for a client that does not read them. Past it new calls get
    /// RESOURCE_EXHAUSTED. Each call that was begun before may add one response.
    package var unreadBytesMax = 64 << 20
    /// Responses to clients that compress their requests are compressed from this size on.
    package var compressedResponseBytesMin = 1 << 10

    /// What `GET /` is answered with, for readiness probes that speak plain HTTP/2.
    package var probeAnswer = "Ok\n"

    package init() {}
}
