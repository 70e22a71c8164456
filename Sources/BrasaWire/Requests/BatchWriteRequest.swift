internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension BatchWriteRequest {
    package init(decoding buffer: ByteBuffer, writesMax: Int = .max) throws(WireError) {
        self = try EnvelopeDecoder.decode(
            buffer,
            after: { bytes throws(WireError) in try WireError.checkWrites(2, of: bytes, max: writesMax) }
        ) { (envelope: BatchWriteRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: BatchWriteRequestEnvelope) throws(DocumentError) {
        let database = try DatabaseName(parsing: envelope.database.bytes)
        var writes: [Result<Write, DocumentError>] = []
        writes.reserveCapacity(envelope.n_writes)
        for case let write? in repeated(envelope.n_writes, envelope.writes) {
            do throws(DocumentError) {
                writes.append(.success(try Write(write.pointee, in: database)))
            } catch {
                writes.append(.failure(error))
            }
        }
        self.init(database: database, results: writes)
    }

    /// Writes only what can be sent: a client has no failed writes here.
    package func encode(into buffer: inout ByteBuffer) {
        let writes = self.writes.compactMap { try? $0.get() }
        BatchWriteMessage(database: self.database, writes: writes.map(WriteMessage.init)).write(into: &buffer)
    }
}

private struct BatchWriteMessage: WireMessage {
    let database: DatabaseName
    let writes: [WriteMessage]

    func encode(to sink: inout WireSink) {
        sink.write(1, bytes: self.database.bytes)
        for write in self.writes { sink.keep(2, write) }
    }
}
