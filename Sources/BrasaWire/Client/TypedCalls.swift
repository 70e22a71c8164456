package import BrasaGRPC
internal import BrasaMessages
internal import BrasaStatus
internal import NIOCore

/// Makes a service's calls: encodes the requests, decodes the responses. Methods are named by their index.
struct TypedCalls {
    let connection: GRPCClientConnection
    /// What each call says first.
    private let requests: [GRPCClientRequest]

    init(
        _ methods: [GRPCMethodDescriptor],
        _ connection: GRPCClientConnection,
        metadata: GRPCMetadata?,
        timeout: TimeAmount?
    ) {
        self.connection = connection
        self.requests = methods.map { connection.request($0, metadata: metadata, timeout: timeout) }
    }

    func unary<Request: WireRequest, Response: WireResponse>(
        _ method: Int,
        _ request: Request,
        _ completion: @escaping (Result<Response, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.connection.unary(self.requests[method], self.encoded(request)) { result in
            switch result {
            case .success(let message):
                do throws(WireError) {
                    completion(.success(try Response(decoding: message)))
                } catch {
                    completion(.failure(error.asCallResult))
                }
            case .failure(let result):
                completion(.failure(result))
            }
        }
    }

    func serverStreaming<Request: WireRequest, Response: WireResponse>(
        _ method: Int,
        _ request: Request,
        _ received: @escaping (Response) -> Void,
        _ finished: @escaping (GRPCCallResult) -> Void
    ) -> GRPCClientCall {
        let handler = DecodingHandler(received: received, becameWritable: {}, finished: finished)
        let call = self.connection.serverStreaming(
            self.requests[method],
            self.encoded(request),
            handler: handler
        )
        handler.call = call
        return call
    }

    func bidirectional<Request: WireRequest, Response: WireResponse>(
        _ method: Int,
        _ received: @escaping (Response) -> Void,
        _ becameWritable: @escaping () -> Void,
        _ finished: @escaping (GRPCCallResult) -> Void
    ) -> RequestStream<Request> {
        let handler = DecodingHandler(received: received, becameWritable: becameWritable, finished: finished)
        let call = self.connection.bidirectional(self.requests[method], handler: handler)
        handler.call = call
        return RequestStream(call: call)
    }

    private func encoded(_ request: some WireRequest) -> ByteBuffer {
        self.connection.encoded(request)
    }
}

/// The requests of a bidirectional call.
package struct RequestStream<Request: WireRequest> {
    package let call: GRPCClientCall

    package func send(_ request: Request) {
        self.call.send(self.call.connection.encoded(request))
    }
}

extension GRPCClientConnection {
    fileprivate func encoded(_ request: some WireRequest) -> ByteBuffer {
        // Grows once, to the exact size, for a message that is larger.
        var buffer = self.makeMessageBuffer(capacity: 256)
        request.encode(into: &buffer)
        return buffer
    }
}

/// Decodes a stream of responses. The first that cannot be read ends the call.
private final class DecodingHandler<Response: WireResponse>: GRPCClientResponseHandler {
    // Guarded by the connection's event loop.
    private let received: (Response) -> Void
    private let writable: () -> Void
    private let finished: (GRPCCallResult) -> Void
    private var failure: GRPCCallResult?
    /// Holds this handler in turn, until it ends.
    weak var call: GRPCClientCall?

    init(
        received: @escaping (Response) -> Void,
        becameWritable: @escaping () -> Void,
        finished: @escaping (GRPCCallResult) -> Void
    ) {
        self.received = received
        self.writable = becameWritable
        self.finished = finished
    }

    func received(message: ByteBuffer) {
        guard self.failure == nil else { return }
        do throws(WireError) {
            self.received(try Response(decoding: message))
        } catch {
            self.failure = error.asCallResult
            self.call?.cancel()
        }
    }

    func becameWritable() {
        self.writable()
    }

    func finished(_ result: GRPCCallResult) {
        self.finished(self.failure ?? result)
    }
}

extension WireError {
    /// To a client an unreadable response is the server's fault.
    fileprivate var asCallResult: GRPCCallResult {
        GRPCCallResult(GRPCStatus(.internal, "The server's response cannot be read: \(self.status.message)"))
    }
}
