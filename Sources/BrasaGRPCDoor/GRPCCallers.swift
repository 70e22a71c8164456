import BrasaGRPC
import BrasaHTTP2
import BrasaIdentity
import NIOCore

/// Who asks in the calls of one event loop: found out by the gate, before anything is made of a request, and kept with the
/// call until its service asks.
final class GRPCCallers: Sendable {
    /// Stands in a call's slot for an administrator. A user stands there itself, and nothing for nobody. One for each loop,
    /// since all of its calls count their references to it.
    private final class Administrator: Sendable {}

    private let administrator = Administrator()
    private let reception: Reception

    init(_ reception: Reception) {
        self.reception = reception
    }

    subscript(call: GRPCServerCall) -> Caller {
        guard let slot = call.caller else { return .nobody }
        if slot === self.administrator { return .administrator }
        return (slot as? User).map { .user($0) } ?? .nobody
    }

    var gate: GRPCGate {
        { call, headers in self.admit(call, headers) }
    }

    private func admit(_ call: GRPCServerCall, _ headers: HTTP2Headers) -> GRPCAdmission {
        guard case .credentials(let identify) = self.reception else {
            call.caller = self.administrator
            return .admitted
        }
        let credentials = Credentials(
            authorization: headers[.authorization].map { String(decoding: $0, as: UTF8.self) }
        )
        let eventLoop = call.eventLoop
        let answer = identify(credentials) { answer in
            eventLoop.execute {
                guard call.isHeld else { return }
                switch answer {
                case .caller(let caller):
                    self.note(caller, for: call)
                    call.admit()
                case .refused: call.finish(Self.refusal)
                }
            }
        }
        switch answer {
        case .caller(let caller)?:
            self.note(caller, for: call)
            return .admitted
        case .refused?: return .refused(Self.refusal)
        case nil: return .waiting
        }
    }

    private func note(_ caller: Caller, for call: GRPCServerCall) {
        call.caller =
            switch caller {
            case .administrator: self.administrator
            case .user(let user): user
            case .nobody: nil
            }
    }

    /// Says nothing that would help to guess.
    private static let refusal = GRPCStatus(.unauthenticated, "The request's credentials are not valid.")
}
