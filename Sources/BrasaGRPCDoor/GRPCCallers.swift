import BrasaGRPC
import BrasaHTTP2
import BrasaIdentity
import BrasaMessages
import BrasaStatus
import BrasaWire
import NIOCore

/// Who asks in the calls of one event loop: found out by the gate of their connection, before anything is made of a
/// request, and kept with the call until its service asks.
final class GRPCCallers: Sendable {
    /// Of everybody, where nothing checks who calls. One for each loop, since all of its calls count their references to it.
    private let owner = Admission(.administrator)

    subscript(call: GRPCServerCall) -> Caller {
        // Nothing else is put there.
        call.caller.map { unsafeDowncast($0, to: Admission.self).caller } ?? .nobody
    }

    /// The gate of a connection.
    func gate(_ reception: Reception) -> GRPCGate {
        switch reception {
        case .open:
            return { call, _ in
                call.caller = self.owner
                return .admitted
            }
        case .desk(let recognize, let identify):
            return { call, headers in
                // Several are one that nobody knows: not the first of them, when what is in front took the last.
                let several = headers.repeatedValues(.authorization)
                let known =
                    several.map { several in several.withUnsafeBytes { recognize($0) } }
                    ?? headers.withValue(.authorization) { recognize($0) }
                if let known { return self.admit(call, known) }
                let authorization = several ?? headers[.authorization].map { Array($0) }
                let credentials = Credentials(authorization: authorization)
                let eventLoop = call.eventLoop
                let answer = identify(credentials) { answer in
                    eventLoop.execute { self.answer(answer, call) }
                }
                return answer.map { self.admission($0, of: call) } ?? .waiting
            }
        }
    }

    /// What has been found out about a call that was let wait.
    private func answer(_ answer: Identification, _ call: GRPCServerCall) {
        guard call.isHeld else { return }
        switch self.admission(answer, of: call) {
        case .admitted: call.admit()
        case .refused(let status): call.finish(status)
        case .waiting: break
        }
    }

    private func admission(_ identification: Identification, of call: GRPCServerCall) -> GRPCAdmission {
        switch identification {
        case .admitted(let admission): self.admit(call, admission)
        case .refused: .refused(Self.refusal)
        case .busy: .refused(Self.busy)
        }
    }

    private func admit(_ call: GRPCServerCall, _ admission: Admission) -> GRPCAdmission {
        if let wait = admission.rate?.take(at: NIODeadline.now().uptimeNanoseconds) {
            return .refused(GRPCStatus(Status.tooMuch("There are too many calls of this caller.", retryAfter: wait)))
        }
        call.caller = admission
        if admission.canEnd, call.descriptor?.kind != .unary { call.watch() }
        return .admitted
    }

    /// Ends the open streams of whoever would not be let in any more.
    func endOutlived(_ server: GRPCServer, on eventLoop: any EventLoop) {
        server.forEachWatched(on: eventLoop) { call in
            guard let slot = call.caller, !unsafeDowncast(slot, to: Admission.self).stands else { return }
            call.end(Self.refusal)
        }
    }

    /// Says nothing that would help to guess.
    private static let refusal = GRPCStatus(.unauthenticated, "The request's credentials are not valid.")
    private static let busy = GRPCStatus(.unavailable, "The request's credentials cannot be verified now.")
}
