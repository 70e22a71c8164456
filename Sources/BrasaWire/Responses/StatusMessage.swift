internal import BrasaMessages
internal import BrasaStatus
internal import CBrasaFirestoreV1

/// A google.rpc.Status without details, as it stands inside other messages.
struct StatusMessage: WireMessage {
    let status: Status

    func encode(to sink: inout WireSink) {
        // Those are the message as a whole.
        if let details = self.status.details { return sink.raw(details) }
        sink.write(1, varint: UInt64(self.status.code.rawValue))
        sink.write(2, string: self.status.message)
    }
}

extension Status {
    init(_ envelope: StatusEnvelope) {
        self.init(
            StatusCode(rawValue: Int(envelope.code)) ?? .unknown,
            String(decoding: envelope.message.bytes, as: UTF8.self)
        )
    }
}
