/// Who may send how many messages.
package enum GRPCMethodKind: Sendable, Hashable {
    case unary, serverStreaming, clientStreaming, bidirectional

    /// Whether the client sends exactly one message.
    var hasOneRequest: Bool { self == .unary || self == .serverStreaming }
    /// Whether the server sends exactly one message when the call succeeds.
    var hasOneResponse: Bool { self == .unary || self == .clientStreaming }
}

/// A method's identity: generated from `proto/`, one constant each.
package struct GRPCMethodDescriptor: Sendable, Hashable {
    /// The full name, for example `grpc.health.v1.Health`.
    package let service: String
    package let method: String
    package let kind: GRPCMethodKind
    /// `/service/method`, the request's `:path`.
    package let path: String

    package init(service: String, method: String, kind: GRPCMethodKind) {
        self.service = service
        self.method = method
        self.kind = kind
        self.path = "/\(service)/\(method)"
    }
}
