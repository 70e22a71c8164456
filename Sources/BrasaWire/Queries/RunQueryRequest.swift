package import BrasaDocuments
package import BrasaQueries
internal import CBrasaFirestoreV1
package import NIOCore

package struct RunQueryRequest: Sendable {
    package var parent: ParentName
    /// Nil when the request has no structured query.
    package var query: StructuredQuery?
    package var consistency: ReadConsistency
    /// Nil when no explanation is asked for.
    package var explain: ExplainOptions?

    package init(
        parent: ParentName,
        query: StructuredQuery?,
        consistency: ReadConsistency = .strong,
        explain: ExplainOptions? = nil
    ) {
        self.parent = parent
        self.query = query
        self.consistency = consistency
        self.explain = explain
    }

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
        self.parent = try ParentName(parsing: envelope.parent.bytes)
        switch envelope.consistency_selector_case {
        case BRASA__WIRE__RUN_QUERY_REQUEST__CONSISTENCY_SELECTOR_TRANSACTION:
            self.consistency = .transaction(envelope.transaction.array)
        case BRASA__WIRE__RUN_QUERY_REQUEST__CONSISTENCY_SELECTOR_NEW_TRANSACTION:
            self.consistency = try ReadConsistency(envelope.new_transaction)
        case BRASA__WIRE__RUN_QUERY_REQUEST__CONSISTENCY_SELECTOR_READ_TIME:
            self.consistency = ReadConsistency(try readTime(envelope.read_time))
        default:
            self.consistency = .strong
        }
        self.explain = ExplainOptions(envelope.explain_options)
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension RunQueryRequest: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.keep(1, self.parent)
        sink.write(2, self.query)
        self.consistency.encode(to: &sink, transaction: 5, newTransaction: 6, readTime: 7)
        sink.write(10, self.explain)
    }
}
