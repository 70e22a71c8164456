package import BrasaGRPC
package import BrasaMessages
package import BrasaService

/// The rest of what a service wants of a call is the call's own.
extension GRPCServerCall: CallTransport {
    package func finish(_ status: Status) {
        self.finish(GRPCStatus(status))
    }

    package func refusal(toHold count: Int) -> Status? { self.refusal(toHold: count).map(Status.init) }
}

/// What a call with one request tells its service. Those with more are read by a `GRPCRequestReader`.
extension CallObserver: GRPCServerStreamHandler {}

extension GRPCStatus {
    package init(_ status: Status) {
        self.init(status.code, status.message, details: status.details)
    }
}

extension Status {
    init(_ status: GRPCStatus) {
        self.init(status.code, status.message, details: status.details)
    }
}
