package import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
internal import CBrasaProtobufC
package import NIOCore

extension WriteRequest {
    /// The first message of a stream, which must name its database.
    package init(decoding buffer: ByteBuffer, writesMax: Int = .max) throws(WireError) {
        try self.init(decoding: buffer, following: nil, writesMax: writesMax)
    }

    /// A later message of a stream: one that names another database is refused like a write there.
    package init(decoding buffer: ByteBuffer, in database: DatabaseName, writesMax: Int = .max) throws(WireError) {
        try self.init(decoding: buffer, following: database, writesMax: writesMax)
    }

    private init(decoding buffer: ByteBuffer, following stream: DatabaseName?, writesMax: Int) throws(WireError) {
        self = try EnvelopeDecoder.decode(
            buffer,
            after: { bytes throws(WireError) in try WireError.checkWrites(3, of: bytes, max: writesMax) }
        ) { (envelope: WriteRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in
                let database = try DatabaseName(envelope.database, following: stream)
                var writes: [Write] = []
                writes.reserveCapacity(envelope.n_writes)
                for case let write? in repeated(envelope.n_writes, envelope.writes) {
                    writes.append(try Write(write.pointee, in: database))
                }
                return Self(
                    database: database,
                    streamID: try envelope.stream_id.text("stream_id"),
                    streamToken: envelope.stream_token.array,
                    writes: writes
                )
            }
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        WriteStreamMessage(request: self, writes: self.writes.map(WriteMessage.init)).write(into: &buffer)
    }
}

extension DatabaseName {
    /// The database of a stream's message: the first names it, the later ones repeat it or leave it out.
    init(_ name: ProtobufCBinaryData, following stream: DatabaseName?) throws(DocumentError) {
        guard let stream else {
            try self.init(parsing: name.bytes)
            return
        }
        self = name.isEmpty ? stream : try DatabaseName(parsing: name.bytes)
        if self != stream {
            throw DocumentError(.otherDatabase(requested: stream.string, accessed: self.string))
        }
    }
}

private struct WriteStreamMessage: WireMessage {
    let request: WriteRequest
    let writes: [WriteMessage]

    func encode(to sink: inout WireSink) {
        sink.write(1, bytes: self.request.database.bytes)
        sink.write(2, bytes: self.request.streamID.bytes)
        for write in self.writes { sink.keep(3, write) }
        sink.write(4, bytes: self.request.streamToken)
    }
}

extension WriteResponse {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: WriteResponseEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in
                Self(
                    streamID: try envelope.stream_id.text("stream_id"),
                    streamToken: envelope.stream_token.array,
                    writeResults: try WriteResultMessage.decode(envelope.n_write_results, envelope.write_results),
                    commitTime: try envelope.commit_time?.pointee.timestamp()
                )
            }
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension WriteResponse: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, bytes: self.streamID.bytes)
        sink.write(2, bytes: self.streamToken)
        for result in self.writeResults { sink.keep(3, result) }
        sink.write(4, self.commitTime)
    }
}
