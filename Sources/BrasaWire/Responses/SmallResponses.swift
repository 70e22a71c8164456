internal import BrasaDocuments
internal import CBrasaFirestoreV1
package import NIOCore

package struct BeginTransactionResponse: Sendable {
    package var transaction: [UInt8]

    package init(transaction: [UInt8]) {
        self.transaction = transaction
    }

    package init(decoding buffer: ByteBuffer) throws(WireError) {
        self = try EnvelopeDecoder.decode(buffer) { (envelope: BeginTransactionResponseEnvelope, _) throws(WireError) in
            Self(transaction: envelope.transaction.array)
        }
    }

    package func encode(into buffer: inout ByteBuffer) {
        self.write(into: &buffer)
    }
}

extension BeginTransactionResponse: WireMessage {
    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.write(1, bytes: self.transaction)
    }
}

/// What Rollback and DeleteDocument answer: a message without fields.
package struct EmptyResponse: Sendable {
    package init() {}

    /// Whatever it holds is ignored.
    package init(decoding buffer: ByteBuffer) {}

    package func encode(into buffer: inout ByteBuffer) {}
}
