import BrasaMessages
import BrasaWire
import NIOCore

/// A request message, of the method that the first byte says. What is read and written again reads as the same.
package func fuzzRequests(_ bytes: [UInt8]) {
    guard let method = bytes.first else { return }
    RequestInput.decoders[Int(method) % RequestInput.decoders.count](ByteBuffer(bytes: bytes.dropFirst()))
}

private enum RequestInput {
    typealias Decoder = @Sendable (ByteBuffer) -> Void

    static let writesMax = 100

    static let decoders: [Decoder] = [
        Self.decoder { bytes throws(WireError) in try GetDocumentRequest(decoding: bytes) },
        Self.decoder { bytes throws(WireError) in try BatchGetDocumentsRequest(decoding: bytes) },
        Self.decoder { bytes throws(WireError) in try ListDocumentsRequest(decoding: bytes) },
        Self.decoder { bytes throws(WireError) in try ListCollectionIdsRequest(decoding: bytes) },
        Self.decoder { bytes throws(WireError) in try CreateDocumentRequest(decoding: bytes) },
        Self.decoder { bytes throws(WireError) in try UpdateDocumentRequest(decoding: bytes) },
        Self.decoder { bytes throws(WireError) in try DeleteDocumentRequest(decoding: bytes) },
        Self.decoder { bytes throws(WireError) in try BeginTransactionRequest(decoding: bytes) },
        Self.decoder { bytes throws(WireError) in try RollbackRequest(decoding: bytes) },
        Self.decoder { bytes throws(WireError) in
            _ = try? CommitTarget(decoding: bytes)
            return try CommitRequest(decoding: bytes, writesMax: Self.writesMax)
        },
        Self.decoder { bytes throws(WireError) in try BatchWriteRequest(decoding: bytes, writesMax: Self.writesMax) },
        Self.decoder { bytes throws(WireError) in try RunQueryRequest(decoding: bytes) },
        Self.decoder { bytes throws(WireError) in try RunAggregationQueryRequest(decoding: bytes) },
        Self.decoder { bytes throws(WireError) in try PartitionQueryRequest(decoding: bytes) },
        Self.decoder { bytes throws(WireError) in try ListenRequest(decoding: bytes) },
        Self.decoder { bytes throws(WireError) in try WriteRequest(decoding: bytes, writesMax: Self.writesMax) },
        Self.decoder { bytes throws(WireError) in try HealthCheckRequest(decoding: bytes) },
        Self.decoder { bytes throws(WireError) in try ServerReflectionRequest(decoding: bytes) },
    ]

    private static func decoder<Request: WireRequest>(
        _ decode: @escaping @Sendable (ByteBuffer) throws(WireError) -> Request
    ) -> Decoder {
        { bytes in
            guard let request = try? decode(bytes) else { return }
            let written = Self.bytes(request)
            guard let again = try? decode(written) else { preconditionFailure("what was written cannot be read") }
            precondition(Self.bytes(again) == written)
        }
    }

    private static func bytes(_ request: some WireRequest) -> ByteBuffer {
        var buffer = ByteBuffer()
        request.encode(into: &buffer)
        return buffer
    }
}
