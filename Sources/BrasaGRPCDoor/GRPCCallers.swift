package import BrasaGRPC
import BrasaHTTP2
package import BrasaIdentity
package import BrasaMessages
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
        if let share = admission.share {
            if let wait = share.take(at: NIODeadline.now().uptimeNanoseconds) {
                return .refused(GRPCStatus(.tooMuch("There are too many calls of this caller.", retryAfter: wait)))
            }
            if let refusal = self.claim(share, for: call) { return .refused(refusal) }
        }
        if call.kind != .unary, admission.canEnd { call.watch() }
        call.caller = admission
        return .admitted
    }

    /// Most calls take nothing that is counted. Why this one may not be, if there is a reason.
    private func claim(_ share: CallerShare, for call: GRPCServerCall) -> GRPCStatus? {
        let kind = call.kind
        // Streams that end by themselves keep no listeners.
        let isCounted = kind == .bidirectional || kind != .unary && share.boundsStreams
        guard isCounted || share.boundsBytes else { return nil }
        let claim = CallerClaim(share)
        guard kind == .unary || claim.openStream() else { return Self.tooManyStreams }
        call.claim = claim
        return nil
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
    /// Nobody knows when one of the others ends.
    private static let tooManyStreams = GRPCStatus(
        .tooMuch("There are too many streams of this caller.", retryAfter: 1_000_000_000)
    )
    private static let busy = GRPCStatus(.unavailable, "The request's credentials cannot be verified now.")
}

extension CallerClaim: GRPCClaim {
    package func keep(_ bytes: Int) -> GRPCStatus? { self.setBytes(bytes) ? nil : Self.tooManyBytes }

    // Nobody knows when others of the caller's end.
    private static let tooManyBytes = GRPCStatus(
        .tooMuch("There are too many bytes of this caller's requests and listeners.", retryAfter: 1_000_000_000)
    )
    fileprivate static let tooManyListeners = Status.tooMuch(
        "There are too many listeners of this caller.",
        retryAfter: 1_000_000_000
    )
}

extension GRPCServerCall {
    /// Nothing but a caller's claim is put there.
    package func countListeners(_ count: Int) -> Status? {
        guard let claim = self.claim.map({ unsafeDowncast($0, to: CallerClaim.self) }) else { return nil }
        return claim.setListeners(count) ? nil : CallerClaim.tooManyListeners
    }
}
