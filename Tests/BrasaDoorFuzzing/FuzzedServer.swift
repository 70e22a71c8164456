import BrasaGRPC
import BrasaHTTP
import BrasaHTTP2
import BrasaIdentity
import NIOCore
import NIOEmbedded

/// The server's end of one connection, as far as it goes before anybody is known: every way to answer is there, and who asks
/// is found out at once, later or not at all, as the request says. What connections keep is drawn from a budget, and has to be
/// given back in the end.
final class FuzzedServer {
    static let methods: GRPCMethodTable = {
        var methods = GRPCMethodTable()
        methods.register(descriptor("Unary", .unary), .unary { $0.respond($1) })
        methods.register(
            descriptor("Stream", .serverStreaming),
            .serverStreaming { call, message in
                for _ in 0..<4 { call.send(message) }
                call.finish(.ok)
                return nil
            }
        )
        methods.register(descriptor("Talk", .bidirectional), .bidirectional { Echo($0) })
        return methods
    }()

    private static func descriptor(_ name: String, _ kind: GRPCMethodKind) -> GRPCMethodDescriptor {
        GRPCMethodDescriptor(service: "t.S", method: name, kind: kind)
    }

    static let router: HTTPRouter = {
        var router = HTTPRouter()
        router.get("/", for: .everybody) { HTTPAnswer(200, "Ok\n") }
        router.get("/metrics", for: .inspectors) { HTTPAnswer(200, "m 1\n") }
        router.add(["POST"], "/token", for: .everybody, bodyBytesMax: 64) { request, done in
            done(HTTPAnswer(200, "\(request.body.count)"))
        }
        var dialect = HTTPDialect()
        dialect.fieldNames = ["accept", "if-match"]
        dialect.tokenParameters = ["auth"]
        router.add(["GET", "PUT"], "/{*}.json", for: .everybody, bodyBytesMax: 256, dialect: dialect) { request, done in
            done(HTTPAnswer(200, "\(request.parameters) \(request.fields.count)"))
        }
        return router
    }()

    let loop = EmbeddedEventLoop()
    let channel: EmbeddedChannel
    let budget = ByteBudget(bytesMax: 1 << 20)

    init() {
        self.channel = EmbeddedChannel(loop: self.loop)
    }

    /// By the last byte of the field `authorization`.
    var reception: Reception {
        let loop = NIOLoopBound(self.loop, eventLoop: self.loop)
        return .credentials { credentials, later in
            switch credentials.authorization?.last {
            case nil: return .caller(.nobody)
            case UInt8(ascii: "a"): return .caller(.administrator)
            case UInt8(ascii: "l"):
                loop.value.execute { later(.caller(.administrator)) }
                return nil
            case UInt8(ascii: "b"): return .busy
            default: return .refused
            }
        }
    }

    var door: HTTPDoor {
        var door = HTTPDoor(Self.router, self.reception)
        door.budget = self.budget
        return door
    }

    func addHTTP2() throws {
        var configuration = HTTP2ServerConfiguration()
        configuration.budget = self.budget
        let acceptor = GRPCServer(methods: Self.methods).acceptor(on: self.loop, otherwise: self.door.acceptor)
        let connection = HTTP2Connection(role: .server(configuration, acceptor: acceptor))
        try self.channel.pipeline.syncOperations.addHandler(connection)
    }

    func connect() {
        guard let address = try? SocketAddress(unixDomainSocketPath: "/peer") else { return }
        self.channel.connect(to: address, promise: nil)
        self.loop.run()
    }

    func receive(_ bytes: some Collection<UInt8>) {
        guard self.channel.isActive else { return }
        _ = try? self.channel.writeInbound(ByteBuffer(bytes: bytes))
        self.loop.run()
        while let answer = try? self.channel.readOutbound(as: ByteBuffer.self) {
            precondition(answer.readableBytes <= 1 << 20)
            self.loop.run()
        }
    }

    /// Whatever came, nothing of it is kept.
    func close() {
        _ = try? self.channel.finish(acceptAlreadyClosed: true)
        self.loop.run()
        precondition(self.budget.drawnBytes == 0, "bytes are kept for a connection that is gone")
    }
}

private final class Echo: GRPCServerStreamHandler {
    private let call: GRPCServerCall

    init(_ call: GRPCServerCall) {
        self.call = call
    }

    func received(message: ByteBuffer) { self.call.send(message) }
    func halfClosed() { self.call.finish(.ok) }
    func becameWritable() {}
    func cancelled() {}
    func draining() { self.call.finish(.ok) }
}
