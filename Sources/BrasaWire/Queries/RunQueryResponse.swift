package import BrasaDocuments
internal import CBrasaFirestoreV1
package import NIOCore

/// One message of the RunQuery stream.
package struct RunQueryResponse: Sendable {
    package var document: NamedDocument?
    package var readTime: Timestamp?
    package var skippedResults: Int32
    /// Alone, in the first message of a call with `new_transaction`.
    package var transaction: [UInt8]
    package var isDone: Bool
    package var metrics: ExplainMetrics?

    package init(
        document: NamedDocument? = nil,
        readTime: Timestamp?,
        skippedResults: Int32 = 0,
        transaction: [UInt8] = [],
        isDone: Bool = false,
        metrics: ExplainMetrics? = nil
    ) {
        self.document = document
        self.readTime = readTime
        self.skippedResults = skippedResults
        self.transaction = transaction
        self.isDone = isDone
        self.metrics = metrics
    }

    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: RunQueryResponseEnvelope, decoder) throws(WireError) in
            var response = try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
            // Few have them, and most queries have many responses.
            if envelope.explain_metrics != nil {
                response.metrics = try ExplainMetrics(envelope.explain_metrics, with: decoder)
            }
            return response
        }
    }

    /// All but the metrics.
    private init(_ envelope: RunQueryResponseEnvelope) throws(DocumentError) {
        let isFound = envelope.found_case == BRASA__WIRE__RUN_QUERY_RESPONSE__FOUND_DOCUMENT
        self.document = isFound ? try NamedDocument(envelope.document.bytes) : nil
        self.readTime = try envelope.read_time?.pointee.timestamp()
        self.skippedResults = envelope.skipped_results
        self.transaction = envelope.transaction.array
        self.isDone = envelope.done != 0
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension RunQueryResponse: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.write(1, self.document)
        sink.write(2, bytes: self.transaction)
        sink.write(3, self.readTime)
        sink.write(4, int32: self.skippedResults)
        sink.write(6, bool: self.isDone)
        sink.write(11, self.metrics)
    }
}
