internal import BrasaDocuments
package import BrasaMessages
internal import BrasaQueries
internal import CBrasaFirestoreV1
package import NIOCore

extension PartitionQueryRequest {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) {
            (envelope: PartitionQueryRequestEnvelope, decoder) throws(WireError) in
            var request = try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
            guard envelope.query_type_case == BRASA__WIRE__PARTITION_QUERY_REQUEST__QUERY_TYPE_STRUCTURED_QUERY,
                let query = envelope.structured_query
            else { return request }
            request.query = try StructuredQuery(query.pointee, in: request.parent.database, with: decoder)
            return request
        }
    }

    /// All but the query.
    private init(_ envelope: PartitionQueryRequestEnvelope) throws(DocumentError) {
        self.init(
            parent: try ParentName(parsing: envelope.parent.bytes),
            query: nil,
            partitionCount: envelope.partition_count,
            pageToken: try envelope.page_token.text("page_token"),
            pageSize: envelope.page_size
        )
        let readTimeCase = BRASA__WIRE__PARTITION_QUERY_REQUEST__CONSISTENCY_SELECTOR_READ_TIME
        if envelope.consistency_selector_case == readTimeCase {
            self.readTime = try BrasaWire.readTime(envelope.read_time)
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension PartitionQueryRequest: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.keep(1, self.parent)
        sink.write(2, self.query)
        sink.write(3, varint: UInt64(bitPattern: self.partitionCount))
        sink.write(4, bytes: self.pageToken.bytes)
        sink.write(5, int32: self.pageSize)
        sink.write(6, self.readTime?.time)
    }
}

extension PartitionQueryResponse {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: PartitionQueryResponseEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: PartitionQueryResponseEnvelope) throws(DocumentError) {
        self.init(partitions: [])
        for cursor in repeated(envelope.n_partitions, envelope.partitions) {
            guard let cursor = try StructuredQuery.Cursor(cursor) else { continue }
            self.partitions.append(cursor)
        }
        self.nextPageToken = try envelope.next_page_token.text("next_page_token")
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension PartitionQueryResponse: WireMessage {
    func encode(to sink: inout WireSink) {
        for cursor in self.partitions { sink.keep(1, cursor) }
        sink.write(2, bytes: self.nextPageToken.bytes)
    }
}
