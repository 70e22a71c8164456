import BrasaDocuments
import BrasaGRPC
import BrasaHTTP2
import BrasaIdentity
import BrasaMessages
import BrasaWire
import NIOCore
import Synchronization
import Testing

@testable import BrasaService

/// Who asks is found out before anything is done for them.
@Suite struct CallerTests {
    /// Every method of both services, with an empty message: nobody but an administrator gets as far as its content.
    private static let methods = FirestoreMethods.all.filter { $0.method != "ExecutePipeline" } + AdminMethods.all

    /// They say nothing of what is stored.
    private static let publicMethods = HealthMethods.all + ReflectionMethods.all + ReflectionAlphaMethods.all

    private final class Ending: GRPCClientResponseHandler {
        private(set) var status: GRPCStatus?
        func received(message: ByteBuffer) {}
        func becameWritable() {}
        func finished(_ result: GRPCCallResult) { self.status = result.status }
    }

    /// How a call with a request that is read by every method ends.
    private func status(of method: GRPCMethodDescriptor, on service: ServiceUnderTest) throws -> GRPCStatus? {
        let ending = Ending()
        let call = service.grpc.bidirectional(
            service.grpc.request(method, metadata: nil, timeout: nil),
            handler: ending
        )
        call.send(try Self.request(of: method, on: service))
        call.halfClose()
        try service.run()
        return ending.status
    }

    /// One that can be read, whichever of them it is.
    private static func request(of method: GRPCMethodDescriptor, on service: ServiceUnderTest) throws -> ByteBuffer {
        var buffer = service.grpc.makeMessageBuffer(capacity: 256)
        let database = ServiceUnderTest.database
        switch method.method {
        case "GetDocument", "DeleteDocument": DeleteDocumentRequest(name: try name("c/x")).encode(into: &buffer)
        case "UpdateDocument": UpdateDocumentRequest(write: try set("c/x")).encode(into: &buffer)
        case "CreateDocument":
            CreateDocumentRequest(parent: try parent(), collectionID: "c", fields: .empty).encode(into: &buffer)
        case "RunQuery", "RunAggregationQuery", "PartitionQuery", "ListDocuments", "ListCollectionIds":
            RunQueryRequest(parent: try parent(), query: nil).encode(into: &buffer)
        default: CommitRequest(database: database, writes: []).encode(into: &buffer)
        }
        return buffer
    }

    @Test(arguments: [Caller.nobody, .user(User(id: "u"))])
    func `Nothing is done for anybody but an administrator`(_ caller: Caller) throws {
        let service = try ServiceUnderTest(reception: .credentials { _, _ in .caller(caller) })
        defer { service.close() }
        for method in Self.methods {
            #expect(
                try self.status(of: method, on: service)
                    == GRPCStatus(.permissionDenied, "Missing or insufficient permissions."),
                "\(method.path)"
            )
        }
    }

    @Test func `Who shows what cannot be verified is refused on every method alike`() throws {
        let service = try ServiceUnderTest(reception: .credentials { _, _ in .refused })
        defer { service.close() }
        for method in Self.methods + Self.publicMethods {
            #expect(try self.status(of: method, on: service)?.code == .unauthenticated, "\(method.path)")
        }
    }

    @Test(arguments: [Caller.nobody, .user(User(id: "u"))])
    func `Everybody is told of the server's health and of its services`(_ caller: Caller) throws {
        let service = try ServiceUnderTest(reception: .credentials { _, _ in .caller(caller) })
        defer { service.close() }
        let check = ServiceCall<HealthCheckResponse>(HealthMethods.check, on: service)
        check.send(HealthCheckRequest(), isLast: true)
        let watch = ServiceCall<HealthCheckResponse>(HealthMethods.watch, on: service)
        watch.send(HealthCheckRequest(), isLast: true)
        let reflection = ServiceCall<ServerReflectionResponse>(ReflectionMethods.serverReflectionInfo, on: service)
        reflection.send(ServerReflectionRequest(question: .services("")), isLast: true)
        try service.run()
        #expect((check.responses + watch.responses).map(\.status) == [.serving, .serving])
        #expect(reflection.responses.count == 1 && reflection.status == .ok)
    }

    @Test func `A call waits until it is known who asks, and is told from what it shows`() throws {
        let asked = Mutex<[Credentials]>([])
        let later = Mutex<(@Sendable (Identification) -> Void)?>(nil)
        let service = try ServiceUnderTest(
            reception: .credentials { credentials, answer in
                asked.withLock { $0.append(credentials) }
                later.withLock { $0 = answer }
                return nil
            }
        )
        defer { service.close() }
        var metadata = GRPCMetadata()
        metadata.append(.authorization, "Bearer t")
        let stub = FirestoreClientStub(service.grpc, metadata: metadata)
        var results: [Result<NamedDocument, GRPCCallResult>] = []
        stub.getDocument(GetDocumentRequest(name: try name("c/x")), completion: { results.append($0) })
        try service.run()
        #expect(results.isEmpty)
        #expect(asked.withLock { $0 } == [Credentials(authorization: "Bearer t")])
        later.withLock { $0 }?(.caller(.administrator))
        try service.run()
        guard case .failure(let result)? = results.first else { return #expect(Bool(false)) }
        #expect(result.status.code == .notFound)
    }
}
