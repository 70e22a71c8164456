internal import BrasaMessages
internal import BrasaStatus
internal import CBrasaFirestoreV1

/// A google.rpc.Status without details, as it stands inside other messages.
struct StatusMessage: WireMessage {
    let status: Status

    func encode<Sink: WireSink>(to sink: inout Sink) {
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
