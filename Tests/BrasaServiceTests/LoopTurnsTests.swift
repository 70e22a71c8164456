import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import BrasaService

struct LoopTurnsTests {
    /// Takes turn after turn until something has come by a socket of the loop.
    private final class Chain: ChannelInboundHandler, @unchecked Sendable {
        typealias InboundIn = ByteBuffer

        private static let turnsMax = 500
        private let turns: LoopTurns
        private let eventLoop: any EventLoop
        private let done: EventLoopPromise<Bool>
        private var hasRead = false

        init(_ turns: LoopTurns, on eventLoop: any EventLoop) {
            self.turns = turns
            self.eventLoop = eventLoop
            self.done = eventLoop.makePromise()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.hasRead = true
            context.fireChannelRead(data)
        }

        /// Whether the socket was read before a bounded number of turns was over.
        func run() -> EventLoopFuture<Bool> {
            self.turn(1)
            return self.done.futureResult
        }

        private func turn(_ number: Int) {
            let start = NIODeadline.now()
            while NIODeadline.now() - start < .milliseconds(2) {}
            if self.hasRead || number == Self.turnsMax { return self.done.succeed(self.hasRead) }
            self.turns.next { self.turn(number + 1) }
        }
    }

    @Test(arguments: [1, 3])
    func `sockets are read while calls take one turn after the other`(chains: Int) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let (loop, other) = (group.next(), group.next())
        let turns = LoopTurns(loop)
        let accepted = loop.makePromise(of: (any Channel).self)
        let server = try await ServerBootstrap(group: loop, childGroup: loop)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                accepted.succeed(channel)
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let address = try #require(server.localAddress)
        let client = try await ClientBootstrap(group: other).connect(to: address).get()
        try await client.writeAndFlush(ByteBuffer(string: "hello"))
        let child = try await accepted.futureResult.get()
        let handlers = (0..<chains).map { _ in Chain(turns, on: loop) }
        let results = try await loop.flatSubmit {
            // What the client wrote lies there: from now on only a look at the socket is missing.
            let added = handlers.map { child.pipeline.addHandler($0) }
            return EventLoopFuture.andAllSucceed(added, on: loop).flatMap {
                let results = EventLoopFuture.whenAllSucceed(handlers.map { $0.run() }, on: loop)
                child.read()
                return results
            }
        }.get()
        #expect(results == Array(repeating: true, count: chains))
        try await client.close()
        try await server.close()
        try await group.shutdownGracefully()
    }

    @Test func `turns come in the order in which they were asked for, and what they ask for comes after the others`() {
        let loop = EmbeddedEventLoop()
        let turns = LoopTurns(loop)
        var order: [String] = []
        turns.next {
            order.append("a1")
            turns.next { order.append("a2") }
        }
        turns.next { order.append("b1") }
        turns.next { order.append("c1") }
        #expect(order == [])
        loop.run()
        #expect(order == ["a1", "b1", "c1", "a2"])
        turns.next { order.append("d") }
        loop.run()
        #expect(order.last == "d")
    }

    @Test func `turns that took long wait until the loop has had a pause`() {
        let loop = EmbeddedEventLoop()
        let turns = LoopTurns(loop)
        var count = 0
        turns.next {
            count += 1
            loop.advanceTime(by: LoopTurns.most)
        }
        turns.next { count += 1 }
        loop.run()
        #expect(count == 1)
        loop.advanceTime(by: LoopTurns.most + LoopTurns.pause)
        #expect(count == 2)
    }
}
