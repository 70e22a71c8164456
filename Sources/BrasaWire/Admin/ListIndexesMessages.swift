internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension ListIndexesRequest {
    /// Whatever it holds is ignored.
    package init(decoding buffer: ByteBuffer) { self.init() }
    package func encode(into buffer: inout ByteBuffer) {}
}

extension ListIndexesResponse {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: ListIndexesResponseEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: ListIndexesResponseEnvelope) throws(DocumentError) {
        self.init(indexes: [])
        for case let index? in repeated(envelope.n_indexes, envelope.indexes) {
            self.indexes.append(try IndexMessage(index.pointee))
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension ListIndexesResponse: WireMessage {
    func encode(to sink: inout WireSink) {
        for index in self.indexes { sink.keep(1, index) }
    }
}

extension IndexMessage {
    fileprivate init(_ envelope: IndexEnvelope) throws(DocumentError) {
        self.init(
            database: try DatabaseName(parsing: envelope.database.bytes),
            collectionID: try envelope.collection_id.text("collection_id"),
            scope: Scope(rawValue: envelope.scope) ?? .unspecified,
            properties: try envelope.properties.text("properties"),
            state: State(rawValue: envelope.state) ?? .unspecified,
            entries: envelope.entries,
            bytes: envelope.bytes,
            uses: envelope.uses,
            createTime: try envelope.create_time?.pointee.timestamp(),
            lastUseTime: try envelope.last_use_time?.pointee.timestamp()
        )
    }
}

extension IndexMessage: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, bytes: self.database.bytes)
        sink.write(2, bytes: self.collectionID.bytes)
        sink.write(3, int32: self.scope.rawValue)
        sink.write(4, bytes: self.properties.bytes)
        sink.write(5, int32: self.state.rawValue)
        sink.write(6, varint: UInt64(bitPattern: self.entries))
        sink.write(7, varint: UInt64(bitPattern: self.bytes))
        sink.write(8, varint: UInt64(bitPattern: self.uses))
        sink.write(9, self.createTime)
        sink.write(10, self.lastUseTime)
    }
}
