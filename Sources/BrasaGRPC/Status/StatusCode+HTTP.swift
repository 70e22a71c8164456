package import BrasaStatus

extension StatusCode {
    /// What a client makes of a response that is not HTTP 200 and carries no gRPC status.
    package init(responseStatus: Int) {
        switch responseStatus {
        case 400: self = .internal
        case 401: self = .unauthenticated
        case 403: self = .permissionDenied
        case 404: self = .unimplemented
        case 429, 502, 503, 504: self = .unavailable
        default: self = .unknown
        }
    }
}
