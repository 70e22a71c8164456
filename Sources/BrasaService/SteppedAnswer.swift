import BrasaGRPC
import NIOCore

/// Makes the answer to a unary call in steps of bounded work, between which other calls get their turn.
///
/// Unchecked, because all of it is used on the call's event loop only.
final class SteppedAnswer: @unchecked Sendable {
    private let call: GRPCServerCall
    private let step: () throws(GRPCStatus) -> ByteBuffer?

    /// - Parameter step: returns the answer when it is complete, nil when there is more to do.
    init(_ call: GRPCServerCall, step: @escaping () throws(GRPCStatus) -> ByteBuffer?) {
        self.call = call
        self.step = step
    }

    func run() {
        // Also when the client is gone, or the deadline has passed.
        guard !self.call.isFinished else { return }
        do throws(GRPCStatus) {
            guard let message = try self.step() else { return self.call.eventLoop.execute { self.run() } }
            self.call.respond(message)
        } catch {
            self.call.finish(error)
        }
    }
}
