internal import BrasaGRPC
internal import BrasaStatus
internal import NIOCore

extension Caller {
    /// When something begins, where somebody wants to know how long it takes.
    var reportedBeginning: NIODeadline? { self.observer == nil ? nil : self.eventLoop.now }

    /// Tells the program of the end of what has begun then.
    func report(_ method: CallMethod, begun: NIODeadline?, attempts: Int, _ status: GRPCStatus) {
        guard let observer = self.observer, let begun else { return }
        observer(
            CallReport(
                method: method.descriptor.method,
                duration: Duration(self.eventLoop.now - begun),
                attempts: attempts,
                code: FirestoreErrorCode.Code(rawValue: status.code.rawValue) ?? .unknown,
                message: status.message
            )
        )
    }
}
