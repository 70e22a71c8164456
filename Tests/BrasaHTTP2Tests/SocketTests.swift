import BrasaHTTP2
import NIOCore
import NIOPosix
import Testing

/// The same over real sockets.
@Suite struct SocketTests {
    /// Echoes each piece as it comes, and takes the next only when there is room: back-pressure from end to end.
    private final class Echo: HTTP2StreamHandler {
        let stream: HTTP2Stream
        private var unconsumed = 0
        private var ended = false

        init(_ stream: HTTP2Stream) { self.stream = stream }

        func received(headers: HTTP2Headers, endStream: Bool) {
            self.stream.sendHeaders(.ok)
            self.noteEnd(endStream)
        }

        func received(data: ByteBuffer, endStream: Bool) {
            self.stream.sendData(ByteBuffer(bytes: data.readableBytesView))
            self.unconsumed += data.readableBytes
            self.becameWritable()
            self.noteEnd(endStream)
        }

        func received(trailers: HTTP2Headers) { self.noteEnd(true) }

        func becameWritable() {
            guard self.unconsumed > 0, self.stream.isWritable else { return }
            self.stream.consume(self.unconsumed)
            self.unconsumed = 0
        }

        func closed(_ reason: HTTP2CloseReason) {}

        private func noteEnd(_ endStream: Bool) {
            if endStream { self.stream.sendTrailers(.trailers) }
        }
    }

    /// Sends `total` bytes as fast as there is room, and checks what comes back.
    private final class Sender: HTTP2StreamHandler {
        var stream: HTTP2Stream?
        private let total: Int
        private var sent = 0
        private var received = 0
        private var intact = true
        private let done: EventLoopPromise<Bool>

        init(total: Int, done: EventLoopPromise<Bool>) {
            self.total = total
            self.done = done
        }

        func becameWritable() {
            while self.sent < self.total, self.stream?.isWritable == true {
                let count = min(10_000, self.total - self.sent)
                let range = self.sent..<self.sent + count
                self.stream?.sendData(ByteBuffer(bytes: range.map { UInt8(truncatingIfNeeded: $0 / 7) }))
                self.sent += count
                if self.sent == self.total { self.stream?.finish() }
            }
        }

        func received(headers: HTTP2Headers, endStream: Bool) {}

        func received(data: ByteBuffer, endStream: Bool) {
            for byte in data.readableBytesView {
                if byte != UInt8(truncatingIfNeeded: self.received / 7) { self.intact = false }
                self.received += 1
            }
            self.stream?.consume(data.readableBytes)
        }

        func received(trailers: HTTP2Headers) {}

        func closed(_ reason: HTTP2CloseReason) {
            self.done.succeed(self.intact && self.received == self.total && reason == .finished)
        }
    }

    @Test(arguments: [(streams: 200, bytes: 1000), (streams: 8, bytes: 700_000)])
    func `Bodies come back whole`(_ load: (streams: Int, bytes: Int)) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let listener = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        HTTP2Connection(role: .server(HTTP2ServerConfiguration()) { stream, _ in Echo(stream) })
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let address = try #require(listener.localAddress)
        let client = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        HTTP2Connection(role: .client(HTTP2ClientConfiguration()))
                    )
                }
            }
            .connect(to: address).get()
        let results = try await client.eventLoop.flatSubmit {
            let futures = (0..<load.streams).map { _ in
                let done = client.eventLoop.makePromise(of: Bool.self)
                do {
                    let connection = try client.pipeline.syncOperations.handler(type: HTTP2Connection.self)
                    let sender = Sender(total: load.bytes, done: done)
                    let stream = try connection.openStream(sender)
                    sender.stream = stream
                    stream.sendHeaders(.request())
                    sender.becameWritable()
                } catch {
                    done.fail(error)
                }
                return done.futureResult
            }
            return EventLoopFuture.whenAllSucceed(futures, on: client.eventLoop)
        }.get()
        #expect(results.allSatisfy { $0 })
        try await client.close()
        try await listener.close()
        try await group.shutdownGracefully()
    }
}
