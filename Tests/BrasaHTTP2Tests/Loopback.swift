import BrasaHTTP2
import NIOCore
import NIOEmbedded

/// A client and a server connection back to back on one embedded event loop: nothing moves until `run`.
final class Loopback {
    let loop = EmbeddedEventLoop()
    let client: EmbeddedChannel
    let server: EmbeddedChannel
    let clientConnection: HTTP2Connection
    let serverConnection: HTTP2Connection
    private(set) var accepted: [Recorder] = []
    /// How many bytes each read carries.
    var readBytes: () -> Int = { .max }

    private final class Acceptor {
        var accept: (HTTP2Stream) -> any HTTP2StreamHandler = { Recorder($0) }
    }

    init(
        client: HTTP2ClientConfiguration = .init(),
        server: HTTP2ServerConfiguration = .init(),
        serve: @escaping (Recorder) -> Void = { _ in }
    ) throws {
        let acceptor = Acceptor()
        self.clientConnection = HTTP2Connection(role: .client(client))
        self.serverConnection = HTTP2Connection(
            role: .server(server, acceptor: { stream, _ in acceptor.accept(stream) })
        )
        self.client = EmbeddedChannel(loop: self.loop)
        self.server = EmbeddedChannel(loop: self.loop)
        try self.client.pipeline.syncOperations.addHandler(self.clientConnection)
        try self.server.pipeline.syncOperations.addHandler(self.serverConnection)
        acceptor.accept = { [unowned self] stream in
            let recorder = Recorder(stream)
            recorder.whenEnded = serve
            self.accepted.append(recorder)
            return recorder
        }
        let address = try SocketAddress(unixDomainSocketPath: "/loopback")
        self.client.connect(to: address, promise: nil)
        self.server.connect(to: address, promise: nil)
        try self.run()
    }

    /// Carries bytes in both directions until nothing moves.
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
        while var bytes = try source.readOutbound(as: ByteBuffer.self) {
            while bytes.readableBytes > 0, target.isActive,
                let part = bytes.readSlice(length: min(bytes.readableBytes, self.readBytes()))
            {
                moved = true
                // Another buffer, as every read of a socket is.
                try target.writeInbound(ByteBuffer(bytes: part.readableBytesView))
                self.loop.run()
            }
        }
        return moved
    }

    func open() throws -> Recorder {
        let recorder = Recorder()
        recorder.stream = try self.clientConnection.openStream(recorder)
        return recorder
    }

    func get(_ path: String = "/", endStream: Bool = true) throws -> Recorder {
        let recorder = try self.open()
        recorder.stream?.sendHeaders(.request(path), endStream: endStream)
        return recorder
    }

    /// Closes both ends; breaks the cycles.
    func close() {
        _ = try? self.client.finish(acceptAlreadyClosed: true)
        _ = try? self.server.finish(acceptAlreadyClosed: true)
        self.loop.run()
    }
}

/// Writes down what happens to a stream.
final class Recorder: HTTP2StreamHandler {
    var stream: HTTP2Stream?
    var headers: HTTP2Headers?
    var body: [UInt8] = []
    var bodyBytes = 0
    var keepsBody = true
    var trailers: HTTP2Headers?
    var ended = false
    var closed: [HTTP2CloseReason] = []
    var wakeUps = 0
    var eventsAfterClose = 0
    /// What had been received when the drain was told of.
    var drainings: [(afterHeaders: Bool, bodyBytes: Int)] = []
    var heardGraceEnded = false
    /// Called for every received piece; by default all is consumed at once.
    var consume: (Recorder, Int) -> Void = { $0.stream?.consume($1) }
    var whenEnded: (Recorder) -> Void = { _ in }
    var whenWritable: (Recorder) -> Void = { _ in }
    var whenClosed: (Recorder) -> Void = { _ in }
    var whenGraceEnded: (Recorder) -> Void = { _ in }

    init(_ stream: HTTP2Stream? = nil) { self.stream = stream }

    private func note() { if !self.closed.isEmpty { self.eventsAfterClose += 1 } }

    private func noteEnd(_ endStream: Bool) {
        guard endStream else { return }
        precondition(!self.ended, "ended twice")
        self.ended = true
        self.whenEnded(self)
    }

    func received(headers: HTTP2Headers, endStream: Bool) {
        self.note()
        precondition(self.headers == nil, "two header lists")
        self.headers = headers
        self.noteEnd(endStream)
    }

    func received(data: ByteBuffer, endStream: Bool) {
        self.note()
        if self.keepsBody { self.body.append(contentsOf: data.readableBytesView) }
        self.bodyBytes += data.readableBytes
        self.consume(self, data.readableBytes)
        self.noteEnd(endStream)
    }

    func received(trailers: HTTP2Headers) {
        self.note()
        self.trailers = trailers
        self.noteEnd(true)
    }

    func becameWritable() {
        self.note()
        self.wakeUps += 1
        self.whenWritable(self)
    }

    func draining() { self.drainings.append((self.headers != nil, self.bodyBytes)) }
    var heardDraining: Bool { !self.drainings.isEmpty }

    func graceEnded() {
        self.heardGraceEnded = true
        self.whenGraceEnded(self)
    }

    func closed(_ reason: HTTP2CloseReason) {
        self.closed.append(reason)
        self.whenClosed(self)
    }
}

extension HTTP2Headers {
    static func request(_ path: String = "/", method: String = "POST") -> Self {
        Self([(.method, method), (.scheme, "http"), (.path, path), (.authority, "test")])
    }

    static var ok: Self { Self([(.status, "200"), (.contentType, "application/grpc")]) }
    static var trailers: Self { Self([(.grpcStatus, "0")]) }
}

extension Recorder {
    /// Sends back what was received.
    func echo() {
        self.stream?.sendHeaders(.ok)
        self.stream?.sendData(ByteBuffer(bytes: self.body))
        self.stream?.sendTrailers(.trailers)
    }
}

/// A small, seeded generator, so that every failure can be had again.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    init(_ seed: Int) { self.state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 &+ 1 }

    mutating func next() -> UInt64 {
        self.state &+= 0x9e37_79b9_7f4a_7c15
        var z = self.state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
