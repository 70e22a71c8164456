import BrasaHTTP2
import NIOCore
import NIOEmbedded

@testable import BrasaHTTP

/// A client and the door back to back.
final class Line {
    let loop = EmbeddedEventLoop()
    let connection = HTTP2Connection(role: .client(HTTP2ClientConfiguration()))
    private let client: EmbeddedChannel
    private let server: EmbeddedChannel

    init(_ door: HTTPDoor, budget: ByteBudget? = nil) throws {
        var configuration = HTTP2ServerConfiguration()
        configuration.budget = budget
        self.client = EmbeddedChannel(loop: self.loop)
        self.server = EmbeddedChannel(loop: self.loop)
        try self.client.pipeline.syncOperations.addHandler(self.connection)
        try self.server.pipeline.syncOperations.addHandler(
            HTTP2Connection(role: .server(configuration, acceptor: door.acceptor))
        )
        let address = try SocketAddress(unixDomainSocketPath: "/link")
        self.client.connect(to: address, promise: nil)
        self.server.connect(to: address, promise: nil)
        try self.run()
    }

    func run() throws {
        var moved = true
        while moved {
            moved = false
            self.loop.run()
            for (source, target) in [(self.client, self.server), (self.server, self.client)] {
                while let bytes = try source.readOutbound(as: ByteBuffer.self) {
                    moved = true
                    try target.writeInbound(ByteBuffer(bytes: bytes.readableBytesView))
                }
            }
        }
    }

    /// The server stops.
    func drain() throws {
        try self.server.pipeline.syncOperations.handler(type: HTTP2Connection.self).drain(grace: .seconds(10))
        try self.run()
    }

    func close() {
        _ = try? self.client.finish(acceptAlreadyClosed: true)
        _ = try? self.server.finish(acceptAlreadyClosed: true)
    }
}

/// What is answered on one stream.
final class Response: HTTP2StreamHandler {
    private(set) var status: String?
    private(set) var body = ""
    private(set) var closed: HTTP2CloseReason?
    func received(headers: HTTP2Headers, endStream: Bool) { self.status = headers.string(.status) }
    func received(data: ByteBuffer, endStream: Bool) { self.body += String(buffer: data) }
    func received(trailers: HTTP2Headers) {}
    func becameWritable() {}
    func closed(_ reason: HTTP2CloseReason) { self.closed = reason }
}
