internal import BrasaDocuments
package import BrasaMessages
internal import BrasaQueries
internal import CBrasaFirestoreV1
package import NIOCore

extension RunAggregationQueryRequest {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) {
            (envelope: RunAggregationQueryRequestEnvelope, decoder) throws(WireError) in
            var request = try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
            let queryCase = BRASA__WIRE__RUN_AGGREGATION_QUERY_REQUEST__QUERY_TYPE_STRUCTURED_AGGREGATION_QUERY
            guard envelope.query_type_case == queryCase, let query = envelope.structured_aggregation_query else {
                return request
            }
            let database = request.parent.database
            request.query = try StructuredAggregationQuery(query.pointee, in: database, with: decoder)
            return request
        }
    }

    /// All but the query.
    private init(_ envelope: RunAggregationQueryRequestEnvelope) throws(DocumentError) {
        let parent = try ParentName(parsing: envelope.parent.bytes)
        let consistency: ReadConsistency
        switch envelope.consistency_selector_case {
        case BRASA__WIRE__RUN_AGGREGATION_QUERY_REQUEST__CONSISTENCY_SELECTOR_TRANSACTION:
            consistency = .transaction(envelope.transaction.array)
        case BRASA__WIRE__RUN_AGGREGATION_QUERY_REQUEST__CONSISTENCY_SELECTOR_NEW_TRANSACTION:
            consistency = try ReadConsistency(envelope.new_transaction)
        case BRASA__WIRE__RUN_AGGREGATION_QUERY_REQUEST__CONSISTENCY_SELECTOR_READ_TIME:
            consistency = ReadConsistency(try readTime(envelope.read_time))
        default:
            consistency = .strong
        }
        let explain = ExplainOptions(envelope.explain_options)
        self.init(parent: parent, query: nil, consistency: consistency, explain: explain)
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension RunAggregationQueryRequest: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.keep(1, self.parent)
        sink.write(2, self.query)
        self.consistency.encode(to: &sink, transaction: 4, newTransaction: 5, readTime: 6)
        sink.write(8, self.explain)
    }
}
