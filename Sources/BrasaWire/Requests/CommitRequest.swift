internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension CommitRequest {
    /// The first write that breaks a rule refuses the request.
    package init(decoding buffer: ByteBuffer, writesMax: Int = .max) throws(WireError) {
        self = try EnvelopeDecoder.decode(
            buffer,
            after: { bytes throws(WireError) in try WireError.checkWrites(2, of: bytes, max: writesMax) }
        ) { (envelope: CommitRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: CommitRequestEnvelope) throws(DocumentError) {
        let database = try DatabaseName(parsing: envelope.database.bytes)
        var writes: [Write] = []
        writes.reserveCapacity(envelope.n_writes)
        for case let write? in repeated(envelope.n_writes, envelope.writes) {
            writes.append(try Write(write.pointee, in: database))
        }
        self.init(database: database, writes: writes, transaction: envelope.transaction.array)
    }

    package func encode(into buffer: inout ByteBuffer) {
        CommitMessage(request: self, writes: self.writes.map(WriteMessage.init)).write(into: &buffer)
    }
}

extension CommitTarget {
    /// Does not look into the writes, which may be too many to unpack.
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        let result: Result<Self, WireError> = buffer.withUnsafeReadableBytes { bytes in
            do throws(WireError) { return .success(try Self(bytes)) } catch { return .failure(error) }
        }
        self = try result.get()
    }

    private init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        var fields = TopLevelFields(bytes)
        var database = UnsafeRawBufferPointer(start: nil, count: 0)
        var transaction: [UInt8] = []
        while let field = fields.next() {
            if field.number == 1 { database = field.bytes }
            if field.number == 3 { transaction = Array(field.bytes) }
        }
        if fields.isMalformed { throw .malformed }
        self.init(
            database: try WireError.wrapping { () throws(DocumentError) in try DatabaseName(parsing: database) },
            transaction: transaction
        )
    }
}

private struct CommitMessage: WireMessage {
    let request: CommitRequest
    let writes: [WriteMessage]

    func encode(to sink: inout WireSink) {
        sink.write(1, bytes: self.request.database.bytes)
        for write in self.writes { sink.keep(2, write) }
        sink.write(3, bytes: self.request.transaction)
    }
}
