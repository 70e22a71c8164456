package import BrasaDocuments
package import BrasaQueries
internal import CBrasaFirestoreV1
package import NIOCore

package struct PartitionQueryRequest: Sendable {
    package var parent: ParentName
    /// Nil when the request has no structured query.
    package var query: StructuredQuery?
    /// As sent, perhaps not positive.
    package var partitionCount: Int64
    package var pageToken: UTF8Text
    /// As sent: 0 leaves it to the server, negative numbers are for the service to refuse.
    package var pageSize: Int32
    package var readTime: ReadTime?

    package init(
        parent: ParentName,
        query: StructuredQuery?,
        partitionCount: Int64,
        pageToken: UTF8Text = "",
        pageSize: Int32 = 0,
        readTime: ReadTime? = nil
    ) {
        self.parent = parent
        self.query = query
        self.partitionCount = partitionCount
        self.pageToken = pageToken
        self.pageSize = pageSize
        self.readTime = readTime
    }

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
        self.parent = try ParentName(parsing: envelope.parent.bytes)
        self.partitionCount = envelope.partition_count
        self.pageToken = try envelope.page_token.text("page_token")
        self.pageSize = envelope.page_size
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
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.keep(1, self.parent)
        sink.write(2, self.query)
        sink.write(3, varint: UInt64(bitPattern: self.partitionCount))
        sink.write(4, bytes: self.pageToken.bytes)
        sink.write(5, int32: self.pageSize)
        sink.write(6, self.readTime?.time)
    }
}

package struct PartitionQueryResponse: Sendable {
    /// Ascending positions between runs of the query's results.
    package var partitions: [StructuredQuery.Cursor]
    /// Empty on the last page.
    package var nextPageToken: UTF8Text

    package init(partitions: [StructuredQuery.Cursor], nextPageToken: UTF8Text = "") {
        self.partitions = partitions
        self.nextPageToken = nextPageToken
    }

    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: PartitionQueryResponseEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: PartitionQueryResponseEnvelope) throws(DocumentError) {
        self.partitions = []
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
    func encode<Sink: WireSink>(to sink: inout Sink) {
        for cursor in self.partitions { sink.keep(1, cursor) }
        sink.write(2, bytes: self.nextPageToken.bytes)
    }
}
