package import BrasaMessages
internal import BrasaStatus
internal import NIOCore

extension Status {
    /// Tells clients when the same may succeed: `google.rpc.RetryInfo` among the details.
    package static func tooMuch(_ text: String, retryAfter nanoseconds: UInt64) -> Status {
        var details = ByteBuffer()
        Details(code: .resourceExhausted, text: text, delay: DurationMessage(nanoseconds: nanoseconds))
            .write(into: &details)
        return Status(.resourceExhausted, text, details: Array(details.readableBytesView))
    }
}

private struct DurationMessage: WireMessage {
    let nanoseconds: UInt64

    func encode(to sink: inout WireSink) {
        sink.write(1, varint: self.nanoseconds / 1_000_000_000)
        sink.write(2, varint: self.nanoseconds % 1_000_000_000)
    }
}

private struct RetryInfo: WireMessage {
    let delay: DurationMessage

    func encode(to sink: inout WireSink) { sink.write(1, self.delay) }
}

/// `google.protobuf.Any` with a `RetryInfo`.
private struct AnyRetryInfo: WireMessage {
    let info: RetryInfo

    func encode(to sink: inout WireSink) {
        sink.write(1, string: "type.googleapis.com/google.rpc.RetryInfo")
        sink.write(2, self.info)
    }
}

private struct Details: WireMessage {
    let code: StatusCode
    let text: String
    let delay: DurationMessage

    func encode(to sink: inout WireSink) {
        sink.write(1, varint: UInt64(self.code.rawValue))
        sink.write(2, string: self.text)
        sink.write(3, AnyRetryInfo(info: RetryInfo(delay: self.delay)))
    }
}
