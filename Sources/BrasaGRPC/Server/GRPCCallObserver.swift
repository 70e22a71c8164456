package import BrasaStatus
package import NIOCore

/// Told of calls that are over, those that are worth a word: made for few of them, so that it may take its time.
package struct GRPCCallObserver: Sendable {
    /// Calls that took as long, but for streams of requests, which are open for as long as their clients like.
    package var slowMin: TimeAmount
    /// Others are told of only when they were slow.
    package var isWorth: @Sendable (StatusCode) -> Bool
    /// On the call's event loop. The call still has what its services see: who asks above all.
    package var observe: @Sendable (GRPCServerCall, GRPCCallReport) -> Void

    package init(
        slowMin: TimeAmount,
        isWorth: @escaping @Sendable (StatusCode) -> Bool,
        observe: @escaping @Sendable (GRPCServerCall, GRPCCallReport) -> Void
    ) {
        self.slowMin = slowMin
        self.isWorth = isWorth
        self.observe = observe
    }
}

package struct GRPCCallReport: Sendable {
    /// Nil: what was called is no method of the server.
    package let method: GRPCMethodDescriptor?
    package let status: StatusCode
    package let isSlow: Bool
    /// The server stops, and the call has ended with UNAVAILABLE because of it.
    package let isDrained: Bool
    package let duration: TimeAmount
    /// Of messages as they came and went: with their prefixes, and compressed if they were.
    package let requestBytes: Int
    package let responseBytes: Int
    package let trace: TraceContext?
    package let peer: SocketAddress?

    package init(
        method: GRPCMethodDescriptor?,
        status: StatusCode,
        isSlow: Bool,
        isDrained: Bool,
        duration: TimeAmount,
        requestBytes: Int,
        responseBytes: Int,
        trace: TraceContext?,
        peer: SocketAddress?
    ) {
        self.method = method
        self.status = status
        self.isSlow = isSlow
        self.isDrained = isDrained
        self.duration = duration
        self.requestBytes = requestBytes
        self.responseBytes = responseBytes
        self.trace = trace
        self.peer = peer
    }
}
