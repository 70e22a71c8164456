internal import BrasaDocuments
package import BrasaGRPC
internal import CBrasaFirestoreV1
package import NIOCore

package struct BatchWriteResponse: Sendable {
    /// One for each write of the request, as has `statuses`; empty where the write failed.
    package var writeResults: [WriteResultMessage]
    package var statuses: [GRPCStatus]

    package init(writeResults: [WriteResultMessage], statuses: [GRPCStatus]) {
        self.writeResults = writeResults
        self.statuses = statuses
    }

    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: BatchWriteResponseEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in
                Self(
                    writeResults: try WriteResultMessage.decode(envelope.n_write_results, envelope.write_results),
                    statuses: repeated(envelope.n_status, envelope.status).compactMap {
                        $0.map { GRPCStatus($0.pointee) }
                    }
                )
            }
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension BatchWriteResponse: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
        for result in self.writeResults { sink.keep(1, result) }
        for status in self.statuses { sink.keep(2, StatusMessage(status: status)) }
    }
}
