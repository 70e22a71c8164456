package import BrasaHTTP2
internal import BrasaStatus
package import NIOCore
internal import Synchronization

/// Answers gRPC calls on any number of HTTP/2 connections. Thread-safe.
package final class GRPCServer: Sendable {
    let methods: GRPCMethodTable
    let limits: GRPCServerLimits
    /// The metadata that services read. Calls keep no other.
    let metadataKeys: [GRPCMetadataKey]
    let gate: GRPCGate?
    let observer: GRPCCallObserver?
    // What is answered at the limits, made once.
    let messageTooLarge: GRPCStatus
    let inflatesTooFar: GRPCStatus
    let requestTooSlow: GRPCStatus
    private let loops = Mutex<[ObjectIdentifier: GRPCServerLoop]>([:])

    package init(
        methods: GRPCMethodTable,
        limits: GRPCServerLimits = GRPCServerLimits(),
        metadataKeys: [GRPCMetadataKey] = [],
        gate: GRPCGate? = nil,
        observer: GRPCCallObserver? = nil
    ) {
        self.methods = methods
        self.limits = limits
        self.metadataKeys = metadataKeys
        self.gate = gate
        self.observer = observer
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
    ///
    /// - Parameters:
    ///   - peer: whose connection it is, for reports.
    ///   - gate: of this connection; nil: the server's.
    ///   - other: the door of all requests that are no gRPC calls. By default probes are answered, and the rest is refused.
    package func acceptor(
        on eventLoop: any EventLoop,
        peer: SocketAddress? = nil,
        gate: GRPCGate? = nil,
        otherwise other: HTTP2Acceptor? = nil
    ) -> HTTP2Acceptor {
        let connection = GRPCServerConnection(
            server: self,
            loop: self.loop(eventLoop),
            peer: peer,
            gate: gate ?? self.gate
        )
        let probeAnswer = self.limits.probeAnswer
        let other = other ?? { stream, _ in GRPCProbeHandler(stream, answer: probeAnswer) }
        return { stream, headers in
            guard Self.isCall(headers) else { return other(stream, headers) }
            return connection.loop.call(on: stream, of: connection)
        }
    }

    /// A request is a gRPC call if its content type says so.
    private static func isCall(_ headers: HTTP2Headers) -> Bool {
        headers.withValue(.contentType) { contentType in
            guard let contentType, contentType.starts(with: "application/grpc") else { return false }
            guard contentType.count > 16 else { return true }
            return contentType[16] == UInt8(ascii: "+") || contentType[16] == UInt8(ascii: ";")
        }
    }

    /// Of each event loop.
    var statistics: [GRPCCallStatistics] { self.loops.withLock { $0.values.map(\.statistics) } }

    /// Calls `body` for each call on that loop, on it, that somebody watches (`GRPCServerCall.watch`).
    package func forEachWatched(on eventLoop: any EventLoop, _ body: (GRPCServerCall) -> Void) {
        eventLoop.preconditionInEventLoop()
        // Those that `body` ends leave the list.
        for call in self.loop(eventLoop).watched { body(call) }
    }

    private func loop(_ eventLoop: any EventLoop) -> GRPCServerLoop {
        self.loops.withLock { loops in
            let id = ObjectIdentifier(eventLoop)
            if let loop = loops[id] { return loop }
            let loop = GRPCServerLoop(eventLoop, methodCount: self.methods.count)
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
    let statistics: GRPCCallStatistics
    /// Calls whose streams are gone, for those that come: a call then allocates nothing.
    private var spareCalls: [GRPCServerCall] = []

    /// Calls that go on only as long as something holds; each knows its place.
    private(set) var watched: [GRPCServerCall] = []

    /// About what the loop's connections have in flight together in a turn.
    private static let spareCallsMax = 256

    init(_ eventLoop: any EventLoop, methodCount: Int) {
        self.eventLoop = eventLoop
        self.statistics = GRPCCallStatistics(methodCount: methodCount)
        self.deadlines = DeadlineTimer(eventLoop: eventLoop)
    }

    /// A call that somebody still has a reference to is left to them.
    func call(on stream: HTTP2Stream, of connection: GRPCServerConnection) -> GRPCServerCall {
        while var call = self.spareCalls.popLast() {
            guard isKnownUniquelyReferenced(&call) else { continue }
            call.begin(on: stream, of: connection)
            return call
        }
        return GRPCServerCall(stream: stream, connection: connection)
    }

    func watch(_ call: GRPCServerCall) {
        guard call.watchedPlace == nil else { return }
        call.watchedPlace = self.watched.count
        self.watched.append(call)
    }

    /// The last of the list takes its place.
    func unwatch(_ call: GRPCServerCall) {
        guard let place = call.watchedPlace, let last = self.watched.popLast() else { return }
        call.watchedPlace = nil
        guard last !== call else { return }
        self.watched[place] = last
        last.watchedPlace = place
    }

    func retire(_ call: GRPCServerCall) {
        guard self.spareCalls.count < Self.spareCallsMax else { return }
        self.spareCalls.append(call)
    }
}

/// What the calls of one connection share. Only on its event loop.
final class GRPCServerConnection {
    let server: GRPCServer
    let loop: GRPCServerLoop
    let peer: SocketAddress?
    let gate: GRPCGate?
    /// Bytes that calls keep of their requests, or because of them.
    private(set) var requestBytes = 0
    /// The services' own.
    var state: AnyObject?

    init(server: GRPCServer, loop: GRPCServerLoop, peer: SocketAddress?, gate: GRPCGate?) {
        self.server = server
        self.loop = loop
        self.peer = peer
        self.gate = gate
    }

    /// False when this takes the connection over its limit.
    func requestBytesChanged(by change: Int) -> Bool {
        self.requestBytes += change
        return change <= 0 || self.requestBytes <= self.server.limits.requestBytesMax
    }
}
