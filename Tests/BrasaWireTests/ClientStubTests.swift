import BrasaDocuments
import BrasaGRPC
import BrasaHTTP2
import BrasaMessages
import BrasaStatus
import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaWire

@Suite("Client stub")
struct ClientStubTests {
    let database: DatabaseName
    let name: DocumentName
    let time = Timestamp(microseconds: 1_700_000_000_000_001)

    init() throws {
        self.database = try DatabaseName(parsing: Array("projects/p/databases/d".utf8))
        self.name = try DocumentName(parsing: Array("projects/p/databases/d/documents/c/x".utf8))
    }

    @Test("a unary call sends its request and hands over its response")
    func unary() throws {
        let time = self.time
        let name = self.name
        let link = try Link { methods in
            methods.register(
                FirestoreMethods.commit,
                .unary { call, message in
                    guard let request = try? CommitRequest(decoding: message), request.writes.map(\.name) == [name]
                    else {
                        return call.finish(GRPCStatus(.invalidArgument))
                    }
                    var response = call.makeMessageBuffer(capacity: 64)
                    CommitResponse(writeResults: [.init(updateTime: time)], commitTime: time).encode(into: &response)
                    call.respond(response)
                }
            )
        }
        defer { link.close() }
        var results: [Result<CommitResponse, GRPCCallResult>] = []
        let write = Write(name: self.name, operation: .delete)
        link.stub.commit(CommitRequest(database: self.database, writes: [write])) { results.append($0) }
        try link.run()
        try #require(results.count == 1)
        #expect(try results[0].get().commitTime == self.time)
    }

    @Test("a refused call hands over its status")
    func refused() throws {
        let link = try Link { methods in
            methods.register(
                FirestoreMethods.getDocument,
                .unary { call, _ in call.finish(GRPCStatus(.notFound, "nothing there")) }
            )
        }
        defer { link.close() }
        var statuses: [GRPCStatus?] = []
        link.stub.getDocument(GetDocumentRequest(name: self.name)) { result in
            if case .failure(let failure) = result { statuses.append(failure.status) } else { statuses.append(nil) }
        }
        try link.run()
        #expect(statuses == [GRPCStatus(.notFound, "nothing there")])
    }

    @Test("an unreadable response is the server's fault")
    func unreadable() throws {
        let link = try Link { methods in
            methods.register(
                FirestoreMethods.batchGetDocuments,
                .serverStreaming { call, _ in
                    call.send(ByteBuffer(bytes: [0xFF]))
                    call.finish(.ok)
                    return nil
                }
            )
        }
        defer { link.close() }
        var codes: [StatusCode] = []
        link.stub.batchGetDocuments(
            BatchGetDocumentsRequest(database: self.database, documents: []),
            received: { (_: BatchGetDocumentsResponse) in },
            finished: { codes.append($0.status.code) }
        )
        try link.run()
        #expect(codes == [.internal])
    }

    @Test("a stream hands over each response, then its end")
    func serverStreaming() throws {
        let time = self.time
        let link = try Link { methods in
            methods.register(
                FirestoreMethods.batchGetDocuments,
                .serverStreaming { call, message in
                    for name in (try? BatchGetDocumentsRequest(decoding: message))?.documents ?? [] {
                        var response = call.makeMessageBuffer(capacity: 64)
                        BatchGetDocumentsResponse(result: .missing(name), readTime: time).encode(into: &response)
                        call.send(response)
                    }
                    call.finish(.ok)
                    return nil
                }
            )
        }
        defer { link.close() }
        var missing: [DocumentName] = []
        var codes: [StatusCode] = []
        link.stub.batchGetDocuments(
            BatchGetDocumentsRequest(database: self.database, documents: [self.name, self.name]),
            received: { response in
                #expect(codes.isEmpty)
                if case .missing(let name) = response.result { missing.append(name) }
            },
            finished: { codes.append($0.status.code) }
        )
        try link.run()
        #expect(missing == [self.name, self.name])
        #expect(codes == [.ok])
    }

    @Test("a bidirectional call carries messages both ways")
    func bidirectional() throws {
        let link = try Link { methods in
            methods.register(FirestoreMethods.write, .bidirectional { Acknowledging($0) })
        }
        defer { link.close() }
        var tokens: [[UInt8]] = []
        var codes: [StatusCode] = []
        let stream = link.stub.write(
            received: { tokens.append($0.streamToken) },
            finished: { codes.append($0.status.code) }
        )
        stream.send(WriteRequest(database: self.database, streamToken: [1]))
        stream.send(WriteRequest(database: self.database, streamToken: [2]))
        try link.run()
        #expect(tokens == [[1], [2]])
        stream.call.halfClose()
        try link.run()
        #expect(codes == [.ok])
    }
}

/// Answers each request with its own token.
private final class Acknowledging: GRPCServerStreamHandler {
    private let call: GRPCServerCall

    init(_ call: GRPCServerCall) { self.call = call }

    func received(message: ByteBuffer) {
        guard let request = try? WriteRequest(decoding: message) else {
            return self.call.finish(GRPCStatus(.invalidArgument))
        }
        var response = self.call.makeMessageBuffer(capacity: 64)
        WriteResponse(streamToken: request.streamToken).encode(into: &response)
        self.call.send(response)
    }

    func halfClosed() { self.call.finish(.ok) }
    func becameWritable() {}
    func cancelled() {}
}

/// A stub and a server back to back on one embedded loop: nothing moves until `run`.
private final class Link {
    let stub: FirestoreClientStub
    private let loop = EmbeddedEventLoop()
    private let client: EmbeddedChannel
    private let server: EmbeddedChannel

    init(_ register: (inout GRPCMethodTable) -> Void) throws {
        var methods = GRPCMethodTable()
        register(&methods)
        let acceptor = GRPCServer(methods: methods).acceptor(on: self.loop)
        let connection = HTTP2Connection(role: .client(HTTP2ClientConfiguration()))
        self.client = EmbeddedChannel(loop: self.loop)
        self.server = EmbeddedChannel(loop: self.loop)
        try self.client.pipeline.syncOperations.addHandler(connection)
        try self.server.pipeline.syncOperations.addHandler(
            HTTP2Connection(role: .server(HTTP2ServerConfiguration(), acceptor: acceptor))
        )
        self.stub = FirestoreClientStub(
            GRPCClientConnection(connection, eventLoop: self.loop, configuration: .init(authority: "test"))
        )
        let address = try SocketAddress(unixDomainSocketPath: "/link")
        self.client.connect(to: address, promise: nil)
        self.server.connect(to: address, promise: nil)
        try self.run()
    }

    /// Carries bytes in both directions until nothing moves.
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

    func close() {
        _ = try? self.client.finish(acceptAlreadyClosed: true)
        _ = try? self.server.finish(acceptAlreadyClosed: true)
    }
}
