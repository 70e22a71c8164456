import BrasaDocuments
import BrasaGRPC
import BrasaHTTP2
import BrasaIdentity
import BrasaMessages
import BrasaStatus
import BrasaWire
import NIOCore
import Synchronization
import Testing

@testable import BrasaService

/// Who asks is found out before anything is done for them.
@Suite struct CallerTests {
    /// Every method but those of health: nobody but an administrator gets as far as its content.
    private static let methods =
        FirestoreMethods.all.filter { $0.method != "ExecutePipeline" } + AdminMethods.all + ReflectionMethods.all
        + ReflectionAlphaMethods.all

    /// Of what is of all databases.
    private static let inspecting: Set<String> = ["ListIndexes", "ServerReflectionInfo"]

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

    private static let ownDatabase = ServiceUnderTest.database.string
    private static let writing: Set<String> = [
        "CreateDocument", "UpdateDocument", "DeleteDocument", "BeginTransaction", "BatchWrite",
    ]

    private static let restrictions: [(restriction: Restriction, denied: Set<String>)] = [
        (Restriction(isReadOnly: true, databases: []), writing),
        (Restriction(isReadOnly: true, databases: [ownDatabase]), writing.union(inspecting)),
        (Restriction(isReadOnly: false, databases: ["x", ownDatabase]), inspecting),
        (Restriction(isReadOnly: false, databases: [ownDatabase + "x"]), Set(methods.map { $0.method })),
    ]

    @Test(arguments: restrictions)
    func `A restricted administrator is kept to reading, or to some databases`(
        _ restriction: Restriction,
        _ denied: Set<String>
    ) throws {
        let service = try ServiceUnderTest(reception: .credentials { _, _ in .caller(.restricted(restriction)) })
        defer { service.close() }
        for method in Self.methods {
            let isDenied = try self.status(of: method, on: service)?.code == .permissionDenied
            #expect(isDenied == denied.contains(method.method), "\(method.path)")
        }
    }

    @Test func `Who calls too often is told when to call again, and calls of others go on`() throws {
        let share = CallerShare(CallerBounds(.init(callsPerSecond: 1)))
        let admissions = Mutex([
            Admission(.administrator, share: share),
            Admission(.administrator, share: CallerShare(CallerBounds(.init(callsPerSecond: 1)))),
        ])
        let service = try ServiceUnderTest(
            reception: .credentials { _, _ in .admitted(admissions.withLock { $0[0] }) }
        )
        defer { service.close() }
        let method = FirestoreMethods.getDocument
        #expect(try self.status(of: method, on: service)?.code == .notFound)
        // The calls of an hour are made.
        _ = share.take(at: NIODeadline.now().uptimeNanoseconds + 3_600_000_000_000)
        let refusal = try self.status(of: method, on: service)
        #expect(refusal?.code == .resourceExhausted)
        let name = Array("google.rpc.RetryInfo".utf8)
        #expect(refusal?.details.map { String(decoding: $0, as: UTF8.self).utf8.contains(name) } == true)
        admissions.withLock { _ = $0.removeFirst() }
        #expect(try self.status(of: method, on: service)?.code == .notFound)
    }

    @Test func `Who has too many streams open is refused another until one of them ends`() throws {
        let admission = Admission(.administrator, share: CallerShare(CallerBounds(.init(streams: 2))))
        let service = try ServiceUnderTest(reception: .credentials { _, _ in .admitted(admission) })
        defer { service.close() }
        func open(_ method: GRPCMethodDescriptor) throws -> (call: GRPCClientCall, ending: Ending) {
            let ending = Ending()
            let request = service.grpc.request(method, metadata: nil, timeout: nil)
            let call = service.grpc.bidirectional(request, handler: ending)
            try service.run()
            return (call, ending)
        }
        let first = try open(FirestoreMethods.listen)
        let second = try open(FirestoreMethods.write)
        let third = try open(FirestoreMethods.listen)
        #expect(first.ending.status == nil && second.ending.status == nil)
        #expect(third.ending.status?.code == .resourceExhausted && third.ending.status?.details != nil)
        // Calls that do not stream go on.
        #expect(try self.status(of: FirestoreMethods.getDocument, on: service)?.code == .notFound)
        first.call.halfClose()
        try service.run()
        #expect(first.ending.status != nil)
        let fourth = try open(FirestoreMethods.listen)
        #expect(fourth.ending.status == nil && second.ending.status == nil)
    }

    @Test func `Who may only read is refused by a Write stream when they write`() throws {
        let reader = Restriction(isReadOnly: true, databases: [])
        let service = try ServiceUnderTest(reception: .credentials { _, _ in .caller(.restricted(reader)) })
        defer { service.close() }
        let writing = Writing(service)
        try writing.shakeHands()
        #expect(writing.status == nil)
        writing.send([try set("c/x")], token: writing.responses[0].streamToken)
        try service.run()
        #expect(writing.status?.code == .permissionDenied && writing.responses.count == 1)
        // Nor do they take somebody's stream over.
        let other = Writing(service)
        other.send([], token: writing.responses[0].streamToken, streamID: writing.responses[0].streamID)
        try service.run()
        #expect(other.status?.code == .permissionDenied && other.responses.isEmpty)
        #expect(throws: (any Error).self) { try service.get("c/x").get() }
    }

    @Test func `A stream ends when what let it in does, and only then`() throws {
        let stands = Mutex(true)
        let admission = Admission(.administrator) { stands.withLock { $0 } }
        let service = try ServiceUnderTest(reception: .credentials { _, _ in .admitted(admission) })
        defer { service.close() }
        let streams = [FirestoreMethods.listen, FirestoreMethods.write, FirestoreMethods.listen].map { method in
            let ending = Ending()
            let request = service.grpc.request(method, metadata: nil, timeout: nil)
            return (call: service.grpc.bidirectional(request, handler: ending), ending: ending)
        }
        try service.run()
        // A call that is over is not looked at any more, nor one that ends by itself soon.
        _ = try self.status(of: FirestoreMethods.getDocument, on: service)
        streams[2].call.halfClose()
        try service.run()
        #expect(service.countWatched() == 2)
        service.endOutlived()
        try service.run()
        #expect(streams[0].ending.status == nil && streams[1].ending.status == nil)
        stands.withLock { $0 = false }
        service.endOutlived()
        try service.run()
        for stream in streams[..<2] {
            #expect(
                stream.ending.status
                    == GRPCStatus(.unauthenticated, "The request's credentials are not valid.")
            )
        }
        #expect(service.countWatched() == 0)
    }

    @Test func `A caller who cannot be told now is asked to come again`() throws {
        let service = try ServiceUnderTest(reception: .credentials { _, _ in .busy })
        defer { service.close() }
        for method in Self.methods {
            #expect(try self.status(of: method, on: service)?.code == .unavailable, "\(method.path)")
        }
    }

    @Test func `Who shows what cannot be verified is refused on every method alike`() throws {
        let service = try ServiceUnderTest(reception: .credentials { _, _ in .refused })
        defer { service.close() }
        for method in Self.methods + HealthMethods.all {
            #expect(try self.status(of: method, on: service)?.code == .unauthenticated, "\(method.path)")
        }
    }

    @Test(arguments: [Caller.nobody, .user(User(id: "u"))])
    func `Everybody is told of the server's health`(_ caller: Caller) throws {
        let service = try ServiceUnderTest(reception: .credentials { _, _ in .caller(caller) })
        defer { service.close() }
        let check = ServiceCall<HealthCheckResponse>(HealthMethods.check, on: service)
        check.send(HealthCheckRequest(), isLast: true)
        let watch = ServiceCall<HealthCheckResponse>(HealthMethods.watch, on: service)
        watch.send(HealthCheckRequest(), isLast: true)
        try service.run()
        #expect((check.responses + watch.responses).map(\.status) == [.serving, .serving])
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
