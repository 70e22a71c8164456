internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension BeginTransactionRequest {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: BeginTransactionRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: BeginTransactionRequestEnvelope) throws(DocumentError) {
        self.init(database: try DatabaseName(parsing: envelope.database.bytes))
        if let options = envelope.options { self.options = try TransactionOptions(options.pointee) }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension BeginTransactionRequest: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, bytes: self.database.bytes)
        sink.write(2, self.options)
    }
}

extension RollbackRequest {
    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: RollbackRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in
                Self(
                    database: try DatabaseName(parsing: envelope.database.bytes),
                    transaction: envelope.transaction.array
                )
            }
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension RollbackRequest: WireMessage {
    func encode(to sink: inout WireSink) {
        sink.write(1, bytes: self.database.bytes)
        sink.write(2, bytes: self.transaction)
    }
}
