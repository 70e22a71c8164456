internal import BrasaGRPC
internal import CBrasaFirestoreV1

/// A google.rpc.Status without details, as it stands inside other messages.
struct StatusMessage: WireMessage {
    let status: GRPCStatus

    func encode<Sink: WireSink>(to sink: inout Sink) {
        sink.write(1, varint: UInt64(self.status.code.rawValue))
        sink.write(2, bytes: Array(self.status.message.utf8))
    }
}

extension GRPCStatus {
    init(_ envelope: StatusEnvelope) {
        self.init(
            GRPCStatusCode(rawValue: Int(envelope.code)) ?? .unknown,
            String(decoding: envelope.message.bytes, as: UTF8.self)
        )
    }
}
