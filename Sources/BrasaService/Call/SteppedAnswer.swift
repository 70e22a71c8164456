import BrasaMessages
import NIOCore

/// Makes the answer to a unary call in steps of bounded work, between which other calls get their turn.
///
/// Unchecked, because all of it is used on the call's event loop only.
final class SteppedAnswer<Response: Sendable>: @unchecked Sendable {
    private let call: Call<Response>
    private let turns: LoopTurns
    private let step: () throws(Status) -> Response?

    /// - Parameter step: returns the answer when it is complete, nil when there is more to do.
    init(_ call: Call<Response>, in turns: LoopTurns, step: @escaping () throws(Status) -> Response?) {
        self.call = call
        self.turns = turns
        self.step = step
    }

    func run() {
        // Also when the client is gone, or the deadline has passed.
        guard !self.call.isFinished else { return }
        do throws(Status) {
            guard let response = try self.step() else { return self.turns.next { self.run() } }
            self.call.respond(response)
        } catch {
            self.call.finish(error)
        }
    }
}
