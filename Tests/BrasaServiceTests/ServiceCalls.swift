import BrasaGRPC
import BrasaWire
import NIOCore

@testable import BrasaService

/// A call of any method of the client's: what it was answered.
final class ServiceCall<Response: WireResponse>: GRPCClientResponseHandler {
    private(set) var responses: [Response] = []
    private(set) var status: GRPCStatus?
    private var call: GRPCClientCall?

    init(_ method: GRPCMethodDescriptor, on service: ServiceUnderTest) {
        self.call = service.grpc.bidirectional(
            service.grpc.request(method, metadata: nil, timeout: nil),
            handler: self
        )
    }

    func send(_ request: some WireRequest, isLast: Bool = false) {
        self.call?.send(message(of: request))
        if isLast { self.finish() }
    }

    func send(_ bytes: [UInt8]) {
        self.call?.send(ByteBuffer(bytes: bytes))
    }

    func finish() { self.call?.halfClose() }
    func cancel() { self.call?.cancel() }
    /// Takes a window of answers and no more.
    func stopReading() { self.call?.pauseReading() }
    func startReading() { self.call?.resumeReading() }

    func received(message: ByteBuffer) {
        if let response = try? Response(decoding: message) { self.responses.append(response) }
    }
    func becameWritable() {}
    func finished(_ result: GRPCCallResult) {
        self.status = result.status
        self.call = nil
    }
}
