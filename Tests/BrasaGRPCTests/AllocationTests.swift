import BrasaHTTP2
import CBrasaAllocations
import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaGRPC

/// What a call costs by itself, counted: it does not depend on the machine's mood. The bounds are for a build without
/// optimisation, in which passing bytes along allocates, too.
@Suite(.enabled(if: brasa_allocations_are_counted()))
struct AllocationTests {
    /// A server, and a client whose bytes are made ahead.
    private final class Exchange {
        let loop = EmbeddedEventLoop()
        let client: EmbeddedChannel
        let server: EmbeddedChannel
        let grpc: GRPCClientConnection
        private(set) var answers = 0

        init(_ methods: GRPCMethodTable) throws {
            var configuration = HTTP2ServerConfiguration()
            configuration.budget = ByteBudget(bytesMax: 1 << 30)
            let acceptor = GRPCServer(methods: methods, metadataKeys: ["x-name", "authorization"])
                .acceptor(on: self.loop)
            let connection = HTTP2Connection(role: .client(HTTP2ClientConfiguration()))
            self.client = EmbeddedChannel(loop: self.loop)
            self.server = EmbeddedChannel(loop: self.loop)
            try self.client.pipeline.syncOperations.addHandler(connection)
            try self.server.pipeline.syncOperations.addHandler(
                HTTP2Connection(role: .server(configuration, acceptor: acceptor))
            )
            self.grpc = GRPCClientConnection(
                connection,
                eventLoop: self.loop,
                configuration: GRPCClientConfiguration(authority: "test")
            )
            let address = try SocketAddress(unixDomainSocketPath: "/exchange")
            self.client.connect(to: address, promise: nil)
            self.server.connect(to: address, promise: nil)
            _ = try self.calls(0)
        }

        /// So many calls at once, and what the server allocates for them.
        func calls(_ count: Int) throws -> Int {
            for _ in 0..<count {
                self.grpc.unary(
                    TestService.unary,
                    ByteBuffer(repeating: 7, count: 60),
                    timeout: .seconds(60)
                ) {
                    if case .success(let answer) = $0, answer.readableBytes == 200 { self.answers += 1 }
                }
            }
            var allocations = 0
            var moved = true
            while moved {
                self.loop.run()
                let requests = try Self.read(self.client)
                moved = requests.readableBytes > 0
                if moved {
                    brasa_allocations_begin()
                    self.server.pipeline.fireChannelRead(requests)
                    self.server.pipeline.fireChannelReadComplete()
                    allocations += brasa_allocations_end()
                }
                let responses = try Self.read(self.server)
                guard responses.readableBytes > 0 else { continue }
                moved = true
                try self.client.writeInbound(responses)
            }
            return allocations
        }

        /// All in one buffer, as a socket's read is.
        private static func read(_ channel: EmbeddedChannel) throws -> ByteBuffer {
            var bytes = ByteBuffer()
            while var part = try channel.readOutbound(as: ByteBuffer.self) { bytes.writeBuffer(&part) }
            return bytes
        }
    }

    private static func methods(
        _ body: @escaping @Sendable (GRPCServerCall, ByteBuffer) -> Void
    ) -> GRPCMethodTable {
        var methods = GRPCMethodTable()
        methods.register(TestService.unary, .unary(body))
        return methods
    }

    private static let answering = Self.methods { call, _ in
        var answer = call.makeMessageBuffer(capacity: 200)
        answer.writeRepeatingByte(9, count: 200)
        call.respond(answer)
    }

    /// Stream, call, deadline, header blocks, message and what nghttp2 takes: all is used again.
    @Test func `Each of a thousand unary calls, forty in a read`() throws {
        let exchange = try Exchange(Self.answering)
        for _ in 0..<5 { _ = try exchange.calls(40) }
        var allocations = 0
        for _ in 0..<25 { allocations += try exchange.calls(40) }
        #expect(exchange.answers == 30 * 40)
        #expect(allocations <= 1000 * 13, "\(Double(allocations) / 1000) a call")
    }

    @Test func `A call alone in its read`() throws {
        let exchange = try Exchange(Self.answering)
        for _ in 0..<5 { _ = try exchange.calls(1) }
        var allocations = 0
        for _ in 0..<100 { allocations += try exchange.calls(1) }
        #expect(exchange.answers == 105)
        #expect(allocations <= 100 * 15, "\(Double(allocations) / 100) a call")
    }

    /// What is answered later is no dearer, but for the turn of the loop that sends it.
    @Test func `A call that is answered later is used again, too`() throws {
        final class Later: @unchecked Sendable { var calls: [GRPCServerCall] = [] }
        let later = Later()
        let exchange = try Exchange(Self.methods { call, _ in later.calls.append(call) })
        var allocations = 0
        for round in 0..<30 {
            let received = try exchange.calls(20)
            #expect(later.calls.count == 20)
            brasa_allocations_begin()
            for call in later.calls {
                var answer = call.makeMessageBuffer(capacity: 200)
                answer.writeRepeatingByte(9, count: 200)
                call.respond(answer)
            }
            later.calls.removeAll(keepingCapacity: true)
            let answered = brasa_allocations_end()
            _ = try exchange.calls(0)
            if round >= 5 { allocations += received + answered }
        }
        #expect(exchange.answers == 600)
        #expect(allocations <= 500 * 14, "\(Double(allocations) / 500) a call")
    }
}
