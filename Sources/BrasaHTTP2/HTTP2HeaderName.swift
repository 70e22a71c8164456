/// A header name known at compile time, in lower case as HTTP/2 has them. Looked up without making a String.
@usableFromInline
package struct HTTP2HeaderName: ExpressibleByStringLiteral, Sendable {
    let text: StaticString
    /// Nil: a list is searched for it.
    let known: HTTP2KnownName?

    @usableFromInline package init(stringLiteral text: StaticString) {
        self.text = text
        self.known = text.withUTF8Buffer { HTTP2KnownName(UnsafeRawBufferPointer($0)) }
    }

    private init(_ text: StaticString, _ known: HTTP2KnownName) {
        self.text = text
        self.known = known
    }

    package static var method: Self { Self(":method", .method) }
    package static var path: Self { Self(":path", .path) }
    package static var scheme: Self { Self(":scheme", .scheme) }
    package static var authority: Self { Self(":authority", .authority) }
    package static var status: Self { Self(":status", .status) }
    package static var contentType: Self { Self("content-type", .contentType) }
    package static var te: Self { "te" }
    package static var userAgent: Self { "user-agent" }
    package static var authorization: Self { Self("authorization", .authorization) }
    package static var traceparent: Self { Self("traceparent", .traceparent) }
    package static var grpcTimeout: Self { Self("grpc-timeout", .grpcTimeout) }
    package static var grpcEncoding: Self { Self("grpc-encoding", .grpcEncoding) }
    package static var grpcAcceptEncoding: Self { Self("grpc-accept-encoding", .grpcAcceptEncoding) }
    package static var grpcStatus: Self { Self("grpc-status", .grpcStatus) }
    package static var grpcMessage: Self { Self("grpc-message", .grpcMessage) }
    package static var grpcStatusDetails: Self { "grpc-status-details-bin" }

    /// Calls `body` with the name's bytes, which live as long as the program.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if self.text.hasPointerRepresentation {
            return body(UnsafeRawBufferPointer(start: self.text.utf8Start, count: self.text.utf8CodeUnitCount))
        }
        return self.text.withUTF8Buffer { body(UnsafeRawBufferPointer($0)) }
    }
}
