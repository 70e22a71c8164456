internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension RunAggregationQueryResponse {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) {
            (envelope: RunAggregationQueryResponseEnvelope, decoder) throws(WireError) in
            var response = try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
            response.metrics = try ExplainMetrics(envelope.explain_metrics, with: decoder)
            return response
        }
    }

    /// All but the metrics.
    private init(_ envelope: RunAggregationQueryResponseEnvelope) throws(DocumentError) {
        self.init(
            result: nil,
            readTime: try envelope.read_time?.pointee.timestamp(),
            transaction: envelope.transaction.array
        )
        if let result = envelope.result?.pointee {
            var fields: [Field] = []
            for case let entry? in repeated(result.n_aggregate_fields, result.aggregate_fields) {
                let alias = try entry.pointee.key.text("aggregate_fields.key")
                fields.append(Field(alias: alias, value: try Value(decoding: entry.pointee.value.bytes)))
            }
            self.result = fields
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension RunAggregationQueryResponse: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, self.result.map(ResultMessage.init))
        sink.write(2, bytes: self.transaction)
        sink.write(3, self.readTime)
        sink.write(10, self.metrics)
    }

    private struct ResultMessage: WireMessage {
        let fields: [Field]

        func encode(to sink: inout WireSink) {
            for field in self.fields { sink.keep(2, field) }
        }
    }
}

extension RunAggregationQueryResponse.Field: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.keep(1, bytes: self.alias.bytes)
        // Counts are integers, which need no copy of their bytes.
        if case .integer(let number) = self.value {
            sink.nested(2) { $0.keep(2, varint: UInt64(bitPattern: number)) }
        } else {
            sink.keep(2, bytes: self.value.encoded())
        }
    }
}
