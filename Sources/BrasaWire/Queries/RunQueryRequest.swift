internal import BrasaDocuments
package import BrasaMessages
internal import BrasaQueries
internal import CBrasaFirestoreV1
package import NIOCore

extension RunQueryRequest {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: RunQueryRequestEnvelope, decoder) throws(WireError) in
            var request = try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
            guard envelope.query_type_case == BRASA__WIRE__RUN_QUERY_REQUEST__QUERY_TYPE_STRUCTURED_QUERY,
                let query = envelope.structured_query
            else { return request }
            request.query = try StructuredQuery(query.pointee, in: request.parent.database, with: decoder)
            return request
        }
    }

    /// All but the query.
    private init(_ envelope: RunQueryRequestEnvelope) throws(DocumentError) {
        let parent = try ParentName(parsing: envelope.parent.bytes)
        let consistency: ReadConsistency
        switch envelope.consistency_selector_case {
        case BRASA__WIRE__RUN_QUERY_REQUEST__CONSISTENCY_SELECTOR_TRANSACTION:
            consistency = .transaction(envelope.transaction.array)
        case BRASA__WIRE__RUN_QUERY_REQUEST__CONSISTENCY_SELECTOR_NEW_TRANSACTION:
            consistency = try ReadConsistency(envelope.new_transaction)
        case BRASA__WIRE__RUN_QUERY_REQUEST__CONSISTENCY_SELECTOR_READ_TIME:
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

extension RunQueryRequest: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.keep(1, self.parent)
        sink.write(2, self.query)
        self.consistency.encode(to: &sink, transaction: 5, newTransaction: 6, readTime: 7)
        sink.write(10, self.explain)
    }
}
