internal import BrasaHTTP2
package import NIOCore

/// What a call says before its first message; to be made once for many calls, which share it.
package final class GRPCClientRequest: Sendable {
    package let descriptor: GRPCMethodDescriptor
    package let timeout: TimeAmount?
    let headers: HTTP2Headers

    package init(
        _ descriptor: GRPCMethodDescriptor,
        metadata: GRPCMetadata? = nil,
        timeout: TimeAmount? = nil,
        configuration: GRPCClientConfiguration
    ) {
        self.descriptor = descriptor
        self.timeout = timeout
        var headers = HTTP2Headers([
            (.method, "POST"), (.scheme, configuration.scheme), (.path, descriptor.path),
            (.authority, configuration.authority), (.te, "trailers"), (.contentType, "application/grpc"),
            (.grpcAcceptEncoding, GRPCEncoding.accepted),
        ])
        if configuration.compressedRequestBytesMin != nil {
            headers.append(.grpcEncoding, GRPCEncoding.gzip.name)
        }
        if let timeout { headers.append(.grpcTimeout, GRPCTimeout.encode(timeout)) }
        if let metadata { headers.append(contentsOf: metadata) }
        self.headers = headers
    }
}
