internal import BrasaDocuments
package import BrasaMessages
internal import CBrasaFirestoreV1
package import NIOCore

extension BeginTransactionResponse {
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
    func encode(to sink: inout WireSink) {
        sink.write(1, bytes: self.transaction)
    }
}

extension EmptyResponse {
    /// Whatever it holds is ignored.
    package init(decoding buffer: ByteBuffer) { self.init() }
    package func encode(into buffer: inout ByteBuffer) {}
}
