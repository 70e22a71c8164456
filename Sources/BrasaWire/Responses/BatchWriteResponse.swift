internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension BatchWriteResponse {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: BatchWriteResponseEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in
                Self(
                    writeResults: try WriteResultMessage.decode(envelope.n_write_results, envelope.write_results),
                    statuses: repeated(envelope.n_status, envelope.status).compactMap {
                        $0.map { Status($0.pointee) }
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
    func encode(to sink: inout WireSink) {
        for result in self.writeResults { sink.keep(1, result) }
        for status in self.statuses { sink.keep(2, StatusMessage(status: status)) }
    }
}
