internal import BrasaHTTP2
internal import NIOCore

/// The door of requests that are no gRPC calls, where no other is set up: answers `GET /`, which readiness probes send, and
/// refuses the rest with a bare HTTP status.
final class GRPCProbeHandler: HTTP2StreamHandler {
    private static let unsupportedMediaType = HTTP2Headers([(.status, "415")])
    private static let methodNotAllowed = HTTP2Headers([(.status, "405"), ("allow", "POST")])
    private static let probeHeaders = HTTP2Headers([(.status, "200"), (.contentType, "text/plain; charset=utf-8")])

    private let stream: HTTP2Stream
    private let answer: String

    init(_ stream: HTTP2Stream, answer: String) {
        self.stream = stream
        self.answer = answer
    }

    func received(headers: HTTP2Headers, endStream: Bool) {
        let isProbe = headers.hasValue(.method, "GET") && headers.hasValue(.path, "/")
        if isProbe {
            self.stream.sendHeaders(Self.probeHeaders)
            self.stream.sendData(ByteBuffer(string: self.answer))
            self.stream.finish()
        } else {
            Self.refuse(self.stream, isPost: headers.hasValue(.method, "POST"))
        }
    }

    /// What is not sent by POST can be no gRPC call; what is, is none because of its content type.
    static func refuse(_ stream: HTTP2Stream, isPost: Bool) {
        stream.sendHeaders(isPost ? Self.unsupportedMediaType : Self.methodNotAllowed, endStream: true)
    }

    func received(data: ByteBuffer, endStream: Bool) { self.stream.consume(data.readableBytes) }
    func received(trailers: HTTP2Headers) {}
    func becameWritable() {}
    func closed(_ reason: HTTP2CloseReason) {}
}

extension HTTP2Headers {
    func hasValue(_ name: HTTP2HeaderName, _ value: StaticString) -> Bool {
        self.withValue(name) { $0?.isEqual(to: value) == true }
    }
}
