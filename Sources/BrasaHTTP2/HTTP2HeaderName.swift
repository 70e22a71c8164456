/// A header name known at compile time, in lower case as HTTP/2 has them. Looked up without making a String.
package struct HTTP2HeaderName: ExpressibleByStringLiteral {
    let text: StaticString

    package init(stringLiteral text: StaticString) {
        self.text = text
    }

    package static var method: Self { ":method" }
    package static var path: Self { ":path" }
    package static var scheme: Self { ":scheme" }
    package static var authority: Self { ":authority" }
    package static var status: Self { ":status" }
    package static var contentType: Self { "content-type" }
    package static var te: Self { "te" }
    package static var userAgent: Self { "user-agent" }
    package static var authorization: Self { "authorization" }
    package static var grpcTimeout: Self { "grpc-timeout" }
    package static var grpcEncoding: Self { "grpc-encoding" }
    package static var grpcAcceptEncoding: Self { "grpc-accept-encoding" }
    package static var grpcStatus: Self { "grpc-status" }
    package static var grpcMessage: Self { "grpc-message" }
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
