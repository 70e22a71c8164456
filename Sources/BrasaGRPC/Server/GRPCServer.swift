package import BrasaHTTP2
package import NIOCore
internal import Synchronization

/// Answers gRPC calls on any number of HTTP/2 connections. Thread-safe.
package final class GRPCServer: Sendable {
    let methods: GRPCMethodTable
    let limits: GRPCServerLimits
    /// The metadata that services read. Calls keep no other.
    let metadataKeys: [GRPCMetadataKey]
    // What is answered at the limits, made once.
    let messageTooLarge: GRPCStatus
    let inflatesTooFar: GRPCStatus
    let requestTooSlow: GRPCStatus
    private let loops = Mutex<[ObjectIdentifier: GRPCServerLoop]>([:])

    package init(
        methods: GRPCMethodTable,
        limits: GRPCServerLimits = GRPCServerLimits(),
        metadataKeys: [GRPCMetadataKey] = []
    ) {
        self.methods = methods
        self.limits = limits
        self.metadataKeys = metadataKeys
        self.messageTooLarge = .messageTooLarge(limits.messageBytesMax)
        self.inflatesTooFar = GRPCStatus(
            .invalidArgument,
            "The compressed message would become more than \(limits.inflationRatioMax) times as large."
        )
        self.requestTooSlow = GRPCStatus(
            .deadlineExceeded,
            "The request did not arrive within \(limits.receiveTimeMax.nanoseconds / 1_000_000) ms."
        )
    }

    /// The acceptor of one new connection on that event loop: `HTTP2Role.server(configuration, acceptor: …)`. Not to be
    /// shared between connections.
    package func acceptor(on eventLoop: any EventLoop) -> (HTTP2Stream) -> any HTTP2StreamHandler {
        let connection = GRPCServerConnection(server: self, loop: self.loop(eventLoop))
        return { stream in GRPCServerCall(stream: stream, connection: connection) }
    }

    private func loop(_ eventLoop: any EventLoop) -> GRPCServerLoop {
        self.loops.withLock { loops in
            let id = ObjectIdentifier(eventLoop)
            if let loop = loops[id] { return loop }
            let loop = GRPCServerLoop(eventLoop)
            loops[id] = loop
            return loop
        }
    }
}

/// What the calls of one event loop share. Unchecked, because everything in it but the loop itself is used on that loop
/// only; other threads merely pass the reference on.
final class GRPCServerLoop: @unchecked Sendable {
    let eventLoop: any EventLoop
    let deadlines: DeadlineTimer
    let gzip = GzipCodec()

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        self.deadlines = DeadlineTimer(eventLoop: eventLoop)
    }
}

/// What the calls of one connection share. Only on its event loop.
final class GRPCServerConnection {
    let server: GRPCServer
    let loop: GRPCServerLoop
    let allocator = ByteBufferAllocator()
    /// Bytes that calls keep of their requests, or because of them.
    private(set) var requestBytes = 0

    init(server: GRPCServer, loop: GRPCServerLoop) {
        self.server = server
        self.loop = loop
    }

    /// False when this takes the connection over its limit.
    func requestBytesChanged(by change: Int) -> Bool {
        self.requestBytes += change
        return change <= 0 || self.requestBytes <= self.server.limits.requestBytesMax
    }
}
