package import BrasaDocuments
internal import CBrasaFirestoreV1
internal import CBrasaProtobufC
package import NIOCore

/// One message of a client on the Write stream.
package struct WriteRequest: Sendable {
    package var database: DatabaseName
    /// Empty unless the first message wants to go on with an earlier stream (see `WriteStreamID`).
    package var streamID: UTF8Text
    /// The last token that the client has seen. Empty at the start of a new stream.
    package var streamToken: [UInt8]
    /// Empty in the first message, and in the last one of some clients.
    package var writes: [Write]

    package init(
        database: DatabaseName,
        streamID: UTF8Text = "",
        streamToken: [UInt8] = [],
        writes: [Write] = []
    ) {
        self.database = database
        self.streamID = streamID
        self.streamToken = streamToken
        self.writes = writes
    }

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

    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.write(1, bytes: self.request.database.bytes)
        sink.write(2, bytes: self.request.streamID.bytes)
        for write in self.writes { sink.keep(3, write) }
        sink.write(4, bytes: self.request.streamToken)
    }
}

/// How a server says that its streams can be taken up again: their ids begin with this. The first message then names the
/// stream and the last token that the client has seen. First come the answers to all batches that were applied since, in
/// order, then the answer to that message, which has no results; no batch but those has been or will be applied. ABORTED:
/// it is not known any more what became of them.
package enum WriteStreamID {
    package static let resumablePrefix = "brasa-"

    package static func isResumable(_ id: UTF8Text) -> Bool {
        id.bytes.starts(with: self.resumablePrefix.utf8)
    }
}

/// The answer to one message of the Write stream.
package struct WriteResponse: Sendable {
    /// Only in the answer to the first message of a connection.
    package var streamID: UTF8Text
    /// Never empty.
    package var streamToken: [UInt8]
    /// As many as the request's writes, in their order.
    package var writeResults: [WriteResultMessage]
    package var commitTime: Timestamp?

    package init(
        streamID: UTF8Text = "",
        streamToken: [UInt8],
        writeResults: [WriteResultMessage] = [],
        commitTime: Timestamp? = nil
    ) {
        self.streamID = streamID
        self.streamToken = streamToken
        self.writeResults = writeResults
        self.commitTime = commitTime
    }

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
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.write(1, bytes: self.streamID.bytes)
        sink.write(2, bytes: self.streamToken)
        for result in self.writeResults { sink.keep(3, result) }
        sink.write(4, self.commitTime)
    }
}
