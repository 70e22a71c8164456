import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaSimulation
import BrasaWire
import NIOCore
import Testing

@testable import BrasaService
@testable import BrasaStore

extension ServiceUnderTest {
    @discardableResult
    func commit(_ writes: [Write], transaction: [UInt8] = []) throws -> CommitResponse {
        try self.answer { stub, done in
            stub.commit(
                CommitRequest(database: Self.database, writes: writes, transaction: transaction),
                completion: done
            )
        }.get()
    }

    /// A commit that may have to wait for its answer.
    func tryCommit(_ writes: [Write]) throws -> Answer<CommitResponse> {
        try self.answer { $0.commit(CommitRequest(database: Self.database, writes: writes), completion: $1) }
    }

    func begin(_ options: TransactionOptions? = nil) throws -> [UInt8] {
        try self.answer { stub, done in
            stub.beginTransaction(BeginTransactionRequest(database: Self.database, options: options), completion: done)
        }.get().transaction
    }

    func get(_ path: String, mask: [FieldPath]? = nil, _ consistency: ReadConsistency = .strong) throws
        -> Answer<NamedDocument>
    {
        let name = try name(path)
        return try self.answer { stub, done in
            stub.getDocument(
                GetDocumentRequest(name: name, mask: mask, consistency: consistency),
                completion: done
            )
        }
    }

    func list(_ request: ListDocumentsRequest) throws -> Answer<ListDocumentsResponse> {
        try self.answer { stub, done in stub.listDocuments(request, completion: done) }
    }

    func query(_ request: RunQueryRequest) throws -> Stream<RunQueryResponse> {
        try self.stream { stub, received, finished in stub.runQuery(request, received: received, finished: finished) }
    }

    func aggregate(_ request: RunAggregationQueryRequest) throws -> Stream<RunAggregationQueryResponse> {
        try self.stream { stub, received, finished in
            stub.runAggregationQuery(request, received: received, finished: finished)
        }
    }

    /// Time passes and the engine works until no index is being built.
    func buildIndexes() throws {
        while self.engine.store.indexStep() { try self.run() }
    }
}

extension Sequence<NamedDocument> {
    var paths: [String] { self.map { $0.name.path.string } }
}

/// The bytes that a client sends for a request.
func message(of request: some WireRequest) -> ByteBuffer {
    var message = ByteBuffer()
    request.encode(into: &message)
    return message
}
