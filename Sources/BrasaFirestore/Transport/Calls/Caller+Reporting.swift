internal import BrasaGRPC
internal import BrasaStatus
internal import NIOCore

extension Caller {
    /// When something begins, where somebody wants to know how long it takes.
    var reportedBeginning: NIODeadline? {
        self.observer == nil && self.tracer == nil ? nil : self.eventLoop.now
    }

    /// Who follows a call that is about to begin. In the task, or on the thread, that asks for it.
    func traced(_ method: CallMethod) -> FirestoreSettings.CallObserver? {
        self.tracer?(method.descriptor.method)
    }

    /// Tells the program of the end of what has begun then, and who follows it also of what never began.
    func report(
        _ method: CallMethod,
        begun: NIODeadline?,
        attempts: Int,
        _ status: GRPCStatus,
        to traced: FirestoreSettings.CallObserver?
    ) {
        guard begun != nil || traced != nil else { return }
        let report = CallReport(
            method: method.descriptor.method,
            duration: begun.map { Duration(self.eventLoop.now - $0) } ?? .zero,
            attempts: attempts,
            code: FirestoreErrorCode.Code(rawValue: status.code.rawValue) ?? .unknown,
            message: status.message
        )
        if begun != nil { self.observer?(report) }
        traced?(report)
    }
}
