import BrasaHTTP2
import NIOCore
import NIOEmbedded

@testable import BrasaGRPC

/// A gRPC client and server back to back on one embedded event loop: nothing moves until `run`, time only by `advance`.
final class Loopback {
    let loop = EmbeddedEventLoop()
    let client: EmbeddedChannel
    let server: EmbeddedChannel
    let clientHTTP2: HTTP2Connection
    let serverHTTP2: HTTP2Connection
    let grpc: GRPCClientConnection
    let service = TestService()

    init(
        limits: GRPCServerLimits = GRPCServerLimits(),
        http2: HTTP2Limits = HTTP2Limits(),
        budget: ByteBudget? = nil,
        compressedRequestBytesMin: Int? = nil,
        messageBytesMax: Int = 64 << 20,
        register: (inout GRPCMethodTable) throws -> Void = { _ in },
        gate: GRPCGate? = nil,
        observer: GRPCCallObserver? = nil,
        otherwise: HTTP2Acceptor? = nil
    ) throws {
        var methods = GRPCMethodTable()
        self.service.register(in: &methods)
        try register(&methods)
        var clientConfiguration = HTTP2ClientConfiguration()
        var serverConfiguration = HTTP2ServerConfiguration()
        clientConfiguration.limits = http2
        serverConfiguration.limits = http2
        serverConfiguration.keepalive = nil
        serverConfiguration.budget = budget
        let server = GRPCServer(
            methods: methods,
            limits: limits,
            metadataKeys: ["x-name", "x-blob-bin"],
            gate: gate,
            observer: observer
        )
        let acceptor = server.acceptor(on: self.loop, otherwise: otherwise)
        self.clientHTTP2 = HTTP2Connection(role: .client(clientConfiguration))
        self.serverHTTP2 = HTTP2Connection(role: .server(serverConfiguration, acceptor: acceptor))
        self.client = EmbeddedChannel(loop: self.loop)
        self.server = EmbeddedChannel(loop: self.loop)
        try self.client.pipeline.syncOperations.addHandler(self.clientHTTP2)
        try self.server.pipeline.syncOperations.addHandler(self.serverHTTP2)
        var configuration = GRPCClientConfiguration(authority: "test")
        configuration.compressedRequestBytesMin = compressedRequestBytesMin
        configuration.messageBytesMax = messageBytesMax
        self.grpc = GRPCClientConnection(self.clientHTTP2, eventLoop: self.loop, configuration: configuration)
        let address = try SocketAddress(unixDomainSocketPath: "/loopback")
        self.client.connect(to: address, promise: nil)
        self.server.connect(to: address, promise: nil)
        try self.run()
    }

    var isServerOpen: Bool { self.server.isActive }

    func run() throws {
        var moved = true
        while moved {
            self.loop.run()
            let up = try self.carry(from: self.client, to: self.server)
            let down = try self.carry(from: self.server, to: self.client)
            moved = up || down
        }
    }

    func advance(by time: TimeAmount) throws {
        self.loop.advanceTime(by: time)
        try self.run()
    }

    private func carry(from source: EmbeddedChannel, to target: EmbeddedChannel) throws -> Bool {
        var moved = false
        while let bytes = try source.readOutbound(as: ByteBuffer.self) {
            guard bytes.readableBytes > 0, target.isActive else { continue }
            moved = true
            // Another buffer, as every read of a socket is.
            try target.writeInbound(ByteBuffer(bytes: bytes.readableBytesView))
            self.loop.run()
        }
        return moved
    }

    /// A unary call to its end.
    func unary(
        _ descriptor: GRPCMethodDescriptor = TestService.unary,
        _ message: [UInt8] = [],
        metadata: GRPCMetadata? = nil,
        timeout: TimeAmount? = nil
    ) throws -> Result<[UInt8], GRPCCallResult>? {
        var outcome: Result<[UInt8], GRPCCallResult>?
        self.grpc.unary(descriptor, ByteBuffer(bytes: message), metadata: metadata, timeout: timeout) {
            outcome = $0.map { Array($0.readableBytesView) }
        }
        try self.run()
        return outcome
    }

    /// A stream whose every byte the test decides.
    func raw(_ headers: HTTP2Headers, endStream: Bool = false) throws -> RawCall {
        let call = RawCall()
        call.stream = try self.clientHTTP2.openStream(call)
        call.stream?.sendHeaders(headers, endStream: endStream)
        return call
    }

    func close() {
        _ = try? self.client.finish(acceptAlreadyClosed: true)
        _ = try? self.server.finish(acceptAlreadyClosed: true)
        self.loop.run()
    }
}

/// Methods that do what the test tells them to. Unchecked, because everything runs on the test's thread.
final class TestService: @unchecked Sendable {
    static let unary = GRPCMethodDescriptor(service: "test.Service", method: "Unary", kind: .unary)
    static let streaming = GRPCMethodDescriptor(service: "test.Service", method: "Stream", kind: .serverStreaming)
    static let bidirectional = GRPCMethodDescriptor(service: "test.Service", method: "Talk", kind: .bidirectional)

    var calls: [GRPCServerCall] = []
    var requests: [[UInt8]] = []
    var handlers: [RecordingHandler] = []
    /// By default the request comes back.
    var answer: (GRPCServerCall, ByteBuffer) -> Void = { $0.respond($1) }
    var whenStarted: (RecordingHandler) -> Void = { _ in }

    func register(in methods: inout GRPCMethodTable) {
        methods.register(
            Self.unary,
            .unary { call, message in
                self.note(call, message)
                self.answer(call, message)
            }
        )
        methods.register(
            Self.streaming,
            .serverStreaming { call, message in
                self.note(call, message)
                return self.start(call)
            }
        )
        methods.register(
            Self.bidirectional,
            .bidirectional { call in
                self.calls.append(call)
                return self.start(call)
            }
        )
    }

    private func note(_ call: GRPCServerCall, _ message: ByteBuffer) {
        self.calls.append(call)
        self.requests.append(Array(message.readableBytesView))
    }

    private func start(_ call: GRPCServerCall) -> RecordingHandler {
        let handler = RecordingHandler(call)
        self.handlers.append(handler)
        self.whenStarted(handler)
        return handler
    }
}

final class RecordingHandler: GRPCServerStreamHandler {
    let call: GRPCServerCall
    var messages: [[UInt8]] = []
    var halfCloses = 0
    var wakeUps = 0
    var cancellations = 0
    var drains = 0
    var whenReceived: (RecordingHandler, ByteBuffer) -> Void = { _, _ in }
    var whenHalfClosed: (RecordingHandler) -> Void = { _ in }
    var whenWritable: (RecordingHandler) -> Void = { _ in }
    var whenDraining: (RecordingHandler) -> Void = { _ in }

    init(_ call: GRPCServerCall) { self.call = call }

    func received(message: ByteBuffer) {
        self.messages.append(Array(message.readableBytesView))
        self.whenReceived(self, message)
    }
    func halfClosed() {
        self.halfCloses += 1
        self.whenHalfClosed(self)
    }
    func becameWritable() {
        self.wakeUps += 1
        self.whenWritable(self)
    }
    func cancelled() { self.cancellations += 1 }
    func draining() {
        self.drains += 1
        self.whenDraining(self)
    }
}

/// A streaming call's answers on the client.
final class ResponseRecorder: GRPCClientResponseHandler {
    var metadata: [GRPCMetadata] = []
    var messages: [[UInt8]] = []
    var bytes = 0
    var wakeUps = 0
    var results: [GRPCCallResult] = []
    var whenReceived: (ResponseRecorder) -> Void = { _ in }
    var whenWritable: () -> Void = {}

    func received(metadata: GRPCMetadata) { self.metadata.append(metadata) }
    func received(message: ByteBuffer) {
        self.messages.append(Array(message.readableBytesView))
        self.bytes += message.readableBytes
        self.whenReceived(self)
    }
    func becameWritable() {
        self.wakeUps += 1
        self.whenWritable()
    }
    func finished(_ result: GRPCCallResult) { self.results.append(result) }
}

/// A client's stream below gRPC.
final class RawCall: HTTP2StreamHandler {
    var stream: HTTP2Stream?
    var headers: HTTP2Headers?
    var headersEndedStream = false
    var body: [UInt8] = []
    var trailers: HTTP2Headers?
    var closed: HTTP2CloseReason?
    var consumes = true
    /// For the test to note.
    var isEnded = false

    var status: GRPCStatus? { self.trailers.flatMap { GRPCStatus(trailers: $0) } }

    func received(headers: HTTP2Headers, endStream: Bool) {
        self.headers = headers
        self.headersEndedStream = endStream
    }
    func received(data: ByteBuffer, endStream: Bool) {
        self.body += Array(data.readableBytesView)
        if self.consumes { self.stream?.consume(data.readableBytes) }
    }
    func received(trailers: HTTP2Headers) { self.trailers = trailers }
    func becameWritable() {}
    func closed(_ reason: HTTP2CloseReason) { self.closed = reason }
}

extension HTTP2Headers {
    static func call(
        _ descriptor: GRPCMethodDescriptor = TestService.unary,
        contentType: String = "application/grpc",
        method: String = "POST",
        with more: [(name: HTTP2HeaderName, value: String)] = []
    ) -> Self {
        Self(
            [
                (.method, method), (.scheme, "http"), (.path, descriptor.path), (.authority, "test"),
                (.te, "trailers"), (.contentType, contentType),
            ] + more
        )
    }
}

func framed(_ message: [UInt8], flag: UInt8 = 0) -> [UInt8] {
    [flag] + withUnsafeBytes(of: UInt32(message.count).bigEndian) { Array($0) } + message
}
