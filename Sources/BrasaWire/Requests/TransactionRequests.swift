package import BrasaDocuments
internal import CBrasaFirestoreV1
package import NIOCore

package struct BeginTransactionRequest: Sendable {
    package var database: DatabaseName
    /// Nil when absent, which means the same as `.unspecified`: read-write.
    package var options: TransactionOptions?

    package init(database: DatabaseName, options: TransactionOptions? = nil) {
        self.database = database
        self.options = options
    }

    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: BeginTransactionRequestEnvelope, _) throws(WireError) in
            try WireError.wrapping { () throws(DocumentError) in try Self(envelope) }
        }
    }

    private init(_ envelope: BeginTransactionRequestEnvelope) throws(DocumentError) {
        self.database = try DatabaseName(parsing: envelope.database.bytes)
        if let options = envelope.options { self.options = try TransactionOptions(options.pointee) }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension BeginTransactionRequest: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.write(1, bytes: self.database.bytes)
        sink.write(2, self.options)
    }
}

package struct RollbackRequest: Sendable {
    package var database: DatabaseName
    package var transaction: [UInt8]

    package init(database: DatabaseName, transaction: [UInt8]) {
        self.database = database
        self.transaction = transaction
    }

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
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.write(1, bytes: self.database.bytes)
        sink.write(2, bytes: self.transaction)
    }
}
