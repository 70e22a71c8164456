package import BrasaHTTP2
import BrasaStatus
package import NIOCore

package struct GRPCClientConfiguration: Sendable {
    package var authority: String
    package var scheme = "http"
    /// The largest response message, as announced and after decompression. Larger: RESOURCE_EXHAUSTED.
    package var messageBytesMax = 64 << 20
    /// Request messages of at least this size are sent as gzip; nil: none.
    package var compressedRequestBytesMin: Int?

    package init(authority: String) {
        self.authority = authority
    }
}

/// Calls over one HTTP/2 connection. Everything happens on the connection's event loop.
package final class GRPCClientConnection {
    package let http2: HTTP2Connection
    package let eventLoop: any EventLoop
    package let configuration: GRPCClientConfiguration
    let allocator = ByteBufferAllocator()
    let deadlines: DeadlineTimer
    let gzip = GzipCodec()
    let messageTooLarge: GRPCStatus

    /// `http2` has the client's role and stands in a channel of that event loop.
    package init(_ http2: HTTP2Connection, eventLoop: any EventLoop, configuration: GRPCClientConfiguration) {
        self.http2 = http2
        self.eventLoop = eventLoop
        self.configuration = configuration
        self.deadlines = DeadlineTimer(eventLoop: eventLoop)
        self.messageTooLarge = GRPCStatus(
            .resourceExhausted,
            "Response payload size exceeds the limit: \(configuration.messageBytesMax) bytes."
        )
    }

    /// The headers of calls of that method. Whoever calls often makes it once and uses it again.
    package func request(
        _ descriptor: GRPCMethodDescriptor,
        metadata: GRPCMetadata? = nil,
        timeout: TimeAmount? = nil
    ) -> GRPCClientRequest {
        GRPCClientRequest(descriptor, metadata: metadata, timeout: timeout, configuration: self.configuration)
    }

    /// An empty buffer for a request message, with room before it for the frame's prefix.
    package func makeMessageBuffer(capacity: Int) -> ByteBuffer {
        GRPCMessageEncoder.makeBuffer(capacity: capacity, allocator: self.allocator)
    }

    /// Calls a method with one request and one response. `completion` is called exactly once, perhaps before this returns.
    @discardableResult
    package func unary(
        _ request: GRPCClientRequest,
        _ message: consuming ByteBuffer,
        completion: @escaping (Result<ByteBuffer, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        let call = GRPCClientCall(self, request, .unary(completion))
        call.start()
        call.sendOnly(message)
        return call
    }

    @discardableResult
    package func unary(
        _ descriptor: GRPCMethodDescriptor,
        _ message: consuming ByteBuffer,
        metadata: GRPCMetadata? = nil,
        timeout: TimeAmount? = nil,
        completion: @escaping (Result<ByteBuffer, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.unary(
            self.request(descriptor, metadata: metadata, timeout: timeout),
            message,
            completion: completion
        )
    }

    /// The same as a future, which fails with `GRPCCallResult`.
    package func unary(
        _ descriptor: GRPCMethodDescriptor,
        _ message: consuming ByteBuffer,
        metadata: GRPCMetadata? = nil,
        timeout: TimeAmount? = nil
    ) -> EventLoopFuture<ByteBuffer> {
        let promise = self.eventLoop.makePromise(of: ByteBuffer.self)
        self.unary(descriptor, message, metadata: metadata, timeout: timeout) { result in
            switch result {
            case .success(let message): promise.succeed(message)
            case .failure(let result): promise.fail(result)
            }
        }
        return promise.futureResult
    }

    @discardableResult
    package func serverStreaming(
        _ request: GRPCClientRequest,
        _ message: consuming ByteBuffer,
        handler: any GRPCClientResponseHandler
    ) -> GRPCClientCall {
        let call = GRPCClientCall(self, request, .streaming(handler))
        call.start()
        call.sendOnly(message)
        return call
    }

    /// Also for client streaming. The request goes on until `GRPCClientCall.halfClose`.
    package func bidirectional(
        _ request: GRPCClientRequest,
        handler: any GRPCClientResponseHandler
    ) -> GRPCClientCall {
        let call = GRPCClientCall(self, request, .streaming(handler))
        call.start()
        return call
    }
}
