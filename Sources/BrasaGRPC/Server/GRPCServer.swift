package import BrasaHTTP2
package import NIOCore
internal import Synchronization

/// Answers gRPC calls on any number of HTTP/2 connections. Thread-safe.
package final class GRPCServer: Sendable {
    let methods: GRPCMethodTable
    let limits: GRPCServerLimits
    /// What says that a message is over the limit, made once.
    let messageTooLarge: GRPCStatus
    private let loops = Mutex<[ObjectIdentifier: GRPCServerLoop]>([:])

    package init(methods: GRPCMethodTable, limits: GRPCServerLimits = GRPCServerLimits()) {
        self.methods = methods
        self.limits = limits
        self.messageTooLarge = GRPCStatus(
            .invalidArgument,
            "Request payload size exceeds the limit: \(limits.messageBytesMax) bytes."
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
    /// Request bytes that calls hold without having them delivered yet.
    private(set) var assemblyBytes = 0

    init(server: GRPCServer, loop: GRPCServerLoop) {
        self.server = server
        self.loop = loop
    }

    /// False when this takes the connection over its limit.
    func assemblyChanged(from old: Int, to new: Int) -> Bool {
        self.assemblyBytes += new - old
        return new <= old || self.assemblyBytes <= self.server.limits.assemblyBytesMax
    }
}
