package import BrasaDocuments
internal import CBrasaFirestoreV1
package import NIOCore

package struct CommitRequest: Sendable {
    package var database: DatabaseName
    /// In the request's order, all in that database.
    package var writes: [Write]
    /// Empty outside a transaction.
    package var transaction: [UInt8]

    package init(database: DatabaseName, writes: [Write], transaction: [UInt8] = []) {
        self.database = database
        self.writes = writes
        self.transaction = transaction
    }

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
        self.database = try DatabaseName(parsing: envelope.database.bytes)
        self.transaction = envelope.transaction.array
        var writes: [Write] = []
        writes.reserveCapacity(envelope.n_writes)
        for case let write? in repeated(envelope.n_writes, envelope.writes) {
            writes.append(try Write(write.pointee, in: self.database))
        }
        self.writes = writes
    }

    package func encode(into buffer: inout ByteBuffer) {
        CommitMessage(request: self, writes: self.writes.map(WriteMessage.init)).write(into: &buffer)
    }
}

/// Whom a Commit is for: what can be said of a request whose writes are refused.
package struct CommitTarget: Hashable, Sendable {
    package let database: DatabaseName
    /// Empty outside a transaction.
    package let transaction: [UInt8]

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
        self.database = try WireError.wrapping { () throws(DocumentError) in try DatabaseName(parsing: database) }
        self.transaction = transaction
    }
}

private struct CommitMessage: WireMessage {
    let request: CommitRequest
    let writes: [WriteMessage]

    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.write(1, bytes: self.request.database.bytes)
        for write in self.writes { sink.keep(2, write) }
        sink.write(3, bytes: self.request.transaction)
    }
}
