import BrasaBytes
internal import BrasaHTTP2
internal import BrasaStatus

extension GRPCStatus {
    private static let okTrailers = HTTP2Headers([(.grpcStatus, "0")])

    /// The trailers that end a call with this status.
    func trailers(with metadata: GRPCMetadata?) -> HTTP2Headers {
        if self.isOK, self.message.isEmpty, metadata == nil { return Self.okTrailers }
        var trailers = HTTP2Headers()
        trailers.append(.grpcStatus, String(self.code.rawValue))
        if !self.message.isEmpty { trailers.append(.grpcMessage, StatusMessageText.encode(self.message)) }
        if let details = self.details {
            trailers.append(.grpcStatusDetails, Base64.encode(details, .standard, isPadded: false))
        }
        if let metadata { trailers.append(contentsOf: metadata) }
        return trailers
    }

    /// The status in a response's trailers; nil when they have none. A number that is no code counts as UNKNOWN.
    init?(trailers: HTTP2Headers) {
        // What almost every call ends with.
        if trailers.hasValue(.grpcStatus, "0"), !trailers.contains(.grpcMessage) {
            self = .ok
            return
        }
        guard let text = trailers[.grpcStatus] else { return nil }
        let number = Int(String(decoding: text, as: UTF8.self))
        let message = trailers[.grpcMessage].map { StatusMessageText.decode($0) } ?? ""
        let code = number.flatMap { StatusCode(rawValue: $0) } ?? .unknown
        if code == .ok, message.isEmpty {
            self = .ok
        } else {
            self.init(code, message, details: trailers[.grpcStatusDetails].flatMap { Base64.decode($0, .standard) })
        }
    }

    /// What a client makes of a stream that ended without trailers.
    init(closedBy reason: HTTP2CloseReason) {
        switch reason {
        case .finished: self = .missingStatus
        case .refused: self = GRPCStatus(.unavailable, "The server refused the stream")
        case .connectionClosed: self = GRPCStatus(.unavailable, "The connection was closed")
        case .resetLocally: self = .cancelled
        case .resetByPeer(let code):
            let message = "The server reset the stream with code \(code.rawValue)"
            switch code {
            case .refusedStream: self = GRPCStatus(.unavailable, message)
            case .cancel: self = GRPCStatus(.cancelled, message)
            case .enhanceYourCalm: self = GRPCStatus(.resourceExhausted, message)
            case .inadequateSecurity: self = GRPCStatus(.permissionDenied, message)
            default: self = GRPCStatus(.internal, message)
            }
        }
    }
}
