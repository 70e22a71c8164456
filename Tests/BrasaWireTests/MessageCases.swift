import BrasaMessages
import NIOCore
import Testing

@testable import BrasaWire

/// Every message with a golden, and how to read it and write it again.
struct MessageCase: Sendable, CustomTestStringConvertible {
    let name: String
    let golden: String
    private let rewriting: @Sendable (ByteBuffer, inout ByteBuffer) throws(WireError) -> Void

    var testDescription: String { self.name }
    var bytes: [UInt8] { Hexadecimal.bytes(self.golden) }

    init(
        _ name: String,
        _ golden: String,
        _ rewrite: @escaping @Sendable (ByteBuffer, inout ByteBuffer) throws(WireError) -> Void
    ) {
        self.name = name
        self.golden = golden
        self.rewriting = rewrite
    }

    /// Reads the message and appends it, written again, to what `output` holds.
    func rewrite(_ message: ByteBuffer, onto output: ByteBuffer = ByteBuffer()) throws(WireError) -> ByteBuffer {
        var output = output
        try self.rewriting(message, &output)
        return output
    }

    static let requests: [MessageCase] = [
        .init("GetDocument", Goldens.getDocumentRequest) { (input, output) throws(WireError) in
            try GetDocumentRequest(decoding: input).encode(into: &output)
        },
        .init("ListDocuments", Goldens.listDocumentsRequest) { (input, output) throws(WireError) in
            try ListDocumentsRequest(decoding: input).encode(into: &output)
        },
        .init("CreateDocument", Goldens.createDocumentRequest) { (input, output) throws(WireError) in
            try CreateDocumentRequest(decoding: input).encode(into: &output)
        },
        .init("UpdateDocument", Goldens.updateDocumentRequest) { (input, output) throws(WireError) in
            try UpdateDocumentRequest(decoding: input).encode(into: &output)
        },
        .init("DeleteDocument", Goldens.deleteDocumentRequest) { (input, output) throws(WireError) in
            try DeleteDocumentRequest(decoding: input).encode(into: &output)
        },
        .init("BatchGetDocuments", Goldens.batchGetDocumentsRequest) { (input, output) throws(WireError) in
            try BatchGetDocumentsRequest(decoding: input).encode(into: &output)
        },
        .init("BeginTransaction", Goldens.beginTransactionRequest) { (input, output) throws(WireError) in
            try BeginTransactionRequest(decoding: input).encode(into: &output)
        },
        .init("Commit", Goldens.commitRequest) { (input, output) throws(WireError) in
            try CommitRequest(decoding: input).encode(into: &output)
        },
        .init("Rollback", Goldens.rollbackRequest) { (input, output) throws(WireError) in
            try RollbackRequest(decoding: input).encode(into: &output)
        },
        .init("RunQuery", Goldens.runQueryRequest) { (input, output) throws(WireError) in
            try RunQueryRequest(decoding: input).encode(into: &output)
        },
        .init("RunAggregationQuery", Goldens.runAggregationQueryRequest) { (input, output) throws(WireError) in
            try RunAggregationQueryRequest(decoding: input).encode(into: &output)
        },
        .init("PartitionQuery", Goldens.partitionQueryRequest) { (input, output) throws(WireError) in
            try PartitionQueryRequest(decoding: input).encode(into: &output)
        },
        .init("ListCollectionIds", Goldens.listCollectionIdsRequest) { (input, output) throws(WireError) in
            try ListCollectionIdsRequest(decoding: input).encode(into: &output)
        },
        .init("BatchWrite", Goldens.batchWriteRequest) { (input, output) throws(WireError) in
            try BatchWriteRequest(decoding: input).encode(into: &output)
        },
        .init("Write", Goldens.writeRequest) { (input, output) throws(WireError) in
            try WriteRequest(decoding: input).encode(into: &output)
        },
        .init("Listen, a query", Goldens.listenRequestForQuery) { (input, output) throws(WireError) in
            try ListenRequest(decoding: input).encode(into: &output)
        },
        .init("Listen, documents", Goldens.listenRequestForDocuments) { (input, output) throws(WireError) in
            try ListenRequest(decoding: input).encode(into: &output)
        },
        .init("Listen, removing", Goldens.listenRequestToRemove) { (input, output) throws(WireError) in
            try ListenRequest(decoding: input).encode(into: &output)
        },
    ]

    static let responses: [MessageCase] = [
        .init("Document", Goldens.document) { (input, output) throws(WireError) in
            try NamedDocument(decoding: input).encode(into: &output)
        },
        .init("ListDocumentsResponse", Goldens.listDocumentsResponse) { (input, output) throws(WireError) in
            try ListDocumentsResponse(decoding: input).encode(into: &output)
        },
        .init("BatchGetDocumentsResponse, found", Goldens.batchGetFound) { (input, output) throws(WireError) in
            try BatchGetDocumentsResponse(decoding: input).encode(into: &output)
        },
        .init("BatchGetDocumentsResponse, missing", Goldens.batchGetMissing) { (input, output) throws(WireError) in
            try BatchGetDocumentsResponse(decoding: input).encode(into: &output)
        },
        .init("BeginTransactionResponse", Goldens.beginTransactionResponse) { (input, output) throws(WireError) in
            try BeginTransactionResponse(decoding: input).encode(into: &output)
        },
        .init("CommitResponse", Goldens.commitResponse) { (input, output) throws(WireError) in
            try CommitResponse(decoding: input).encode(into: &output)
        },
        .init("RunQueryResponse", Goldens.runQueryResponse) { (input, output) throws(WireError) in
            try RunQueryResponse(decoding: input).encode(into: &output)
        },
        .init("RunQueryResponse, explained", Goldens.runQueryExplained) { (input, output) throws(WireError) in
            try RunQueryResponse(decoding: input).encode(into: &output)
        },
        .init("RunAggregationQueryResponse", Goldens.runAggregationQueryResponse) { (input, output) throws(WireError) in
            try RunAggregationQueryResponse(decoding: input).encode(into: &output)
        },
        .init("PartitionQueryResponse", Goldens.partitionQueryResponse) { (input, output) throws(WireError) in
            try PartitionQueryResponse(decoding: input).encode(into: &output)
        },
        .init("ListIndexesResponse", Goldens.listIndexesResponse) { (input, output) throws(WireError) in
            try ListIndexesResponse(decoding: input).encode(into: &output)
        },
        .init("ListCollectionIdsResponse", Goldens.listCollectionIdsResponse) { (input, output) throws(WireError) in
            try ListCollectionIdsResponse(decoding: input).encode(into: &output)
        },
        .init("BatchWriteResponse", Goldens.batchWriteResponse) { (input, output) throws(WireError) in
            try BatchWriteResponse(decoding: input).encode(into: &output)
        },
        .init("WriteResponse", Goldens.writeResponse) { (input, output) throws(WireError) in
            try WriteResponse(decoding: input).encode(into: &output)
        },
        .init("ListenResponse, target change", Goldens.listenTargetChange) { (input, output) throws(WireError) in
            try ListenResponse(decoding: input).encode(into: &output)
        },
        .init("ListenResponse, snapshot", Goldens.listenSnapshot) { (input, output) throws(WireError) in
            try ListenResponse(decoding: input).encode(into: &output)
        },
        .init("ListenResponse, document change", Goldens.listenDocumentChange) { (input, output) throws(WireError) in
            try ListenResponse(decoding: input).encode(into: &output)
        },
        .init("ListenResponse, document delete", Goldens.listenDocumentDelete) { (input, output) throws(WireError) in
            try ListenResponse(decoding: input).encode(into: &output)
        },
        .init("ListenResponse, document remove", Goldens.listenDocumentRemove) { (input, output) throws(WireError) in
            try ListenResponse(decoding: input).encode(into: &output)
        },
        .init("ListenResponse, filter", Goldens.listenFilter) { (input, output) throws(WireError) in
            try ListenResponse(decoding: input).encode(into: &output)
        },
    ]

    static let all = Self.requests + Self.responses + Self.ofServices
}

enum Hexadecimal {
    static func bytes(_ text: String) -> [UInt8] {
        let digits = text.utf8.map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x57 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

/// A small writer of any fields, for messages that the client's library would not make.
struct FieldWriter {
    private(set) var bytes: [UInt8] = []

    mutating func varint(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            self.bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func field(_ field: UInt64, varint number: UInt64) {
        self.varint(field << 3)
        self.varint(number)
    }

    mutating func field(_ field: UInt64, _ payload: some Collection<UInt8>) {
        self.varint(field << 3 | 2)
        self.varint(UInt64(payload.count))
        self.bytes.append(contentsOf: payload)
    }

    mutating func field(_ field: UInt64, _ text: String) {
        self.field(field, Array(text.utf8))
    }

    mutating func field(_ field: UInt64, _ build: (inout FieldWriter) -> Void) {
        var inner = FieldWriter()
        build(&inner)
        self.field(field, inner.bytes)
    }

    static func message(_ build: (inout FieldWriter) -> Void) -> ByteBuffer {
        var writer = FieldWriter()
        build(&writer)
        return ByteBuffer(bytes: writer.bytes)
    }
}
