package import BrasaGRPC
package import BrasaMessages
package import BrasaService

/// The rest of what a service wants of a call is the call's own.
extension GRPCServerCall: CallTransport {
    package func finish(_ status: Status) {
        self.finish(GRPCStatus(status))
    }
}

/// What a call with one request tells its service. Those with more are read by a `GRPCRequestReader`.
extension CallObserver: GRPCServerStreamHandler {}

// The one place where statuses become gRPC's.

extension GRPCStatus {
    package init(_ status: Status) {
        self.init(GRPCStatusCode(status.code), status.message, details: status.details)
    }
}

extension GRPCStatusCode {
    fileprivate init(_ code: StatusCode) {
        self =
            switch code {
            case .ok: .ok
            case .cancelled: .cancelled
            case .unknown: .unknown
            case .invalidArgument: .invalidArgument
            case .deadlineExceeded: .deadlineExceeded
            case .notFound: .notFound
            case .alreadyExists: .alreadyExists
            case .permissionDenied: .permissionDenied
            case .resourceExhausted: .resourceExhausted
            case .failedPrecondition: .failedPrecondition
            case .aborted: .aborted
            case .outOfRange: .outOfRange
            case .unimplemented: .unimplemented
            case .internal: .internal
            case .unavailable: .unavailable
            case .dataLoss: .dataLoss
            case .unauthenticated: .unauthenticated
            }
    }
}
