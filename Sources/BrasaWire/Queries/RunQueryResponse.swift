internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension RunQueryResponse {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: RunQueryResponseEnvelope, decoder) throws(WireError) in
            var response = try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
            // Few have them, and most queries have many responses.
            if envelope.explain_metrics != nil {
                response = response.explained(by: try ExplainMetrics(envelope.explain_metrics, with: decoder))
            }
            return response
        }
    }

    /// All but the metrics.
    private init(_ envelope: RunQueryResponseEnvelope) throws(DocumentError) {
        let isFound = envelope.found_case == BRASA__WIRE__RUN_QUERY_RESPONSE__FOUND_DOCUMENT
        self.init(
            document: isFound ? try NamedDocument(envelope.document.bytes) : nil,
            readTime: try envelope.read_time?.pointee.timestamp(),
            skippedResults: envelope.skipped_results,
            transaction: envelope.transaction.array,
            isDone: envelope.done != 0
        )
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension RunQueryResponse: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, self.document)
        guard !self.isPlain else { return sink.write(3, self.readTime) }
        sink.write(2, bytes: self.transaction)
        sink.write(3, self.readTime)
        sink.write(4, int32: self.skippedResults)
        sink.write(6, bool: self.isDone)
        sink.write(11, self.metrics)
    }
}
