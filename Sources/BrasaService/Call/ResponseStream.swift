import BrasaMessages
import NIOCore

/// Sends the responses of a server-streaming call as fast as the client takes them, and no faster: a response is made
/// only when there is room for it.
///
/// Unchecked, because all of it is used on the call's event loop only; completions merely carry it there.
final class ResponseStream<Response: Sendable>: CallObserver, @unchecked Sendable {
    /// What a source has next.
    enum Part {
        case response(Response)
        /// Several: a few kilobytes together or one that is more.
        case responses(any ResponseBatch<Response>)
        /// Nothing yet, but work was done: other calls get their turn before it goes on.
        case yield
        case end
        case failure(Status)
    }

    private let call: Call<Response>
    private let turns: LoopTurns
    private var source: (() -> Part)?
    private var isPumping = false
    /// Until other calls have had their turn.
    private var isPaused = false

    init(_ call: Call<Response>, in turns: LoopTurns) {
        self.call = call
        self.turns = turns
    }

    /// Sends what `source` makes until it ends. It is let go of then, or when the call is cancelled.
    func run(_ source: @escaping () -> Part) {
        guard !self.call.isFinished else { return }
        self.source = source
        self.pump()
    }

    override func becameWritable() {
        self.pump()
    }

    override func cancelled() {
        self.source = nil
    }

    private func pump() {
        guard !self.isPumping, !self.isPaused else { return }
        self.isPumping = true
        defer { self.isPumping = false }
        var room = ResponseTurn.bytes
        while let source = self.source, self.call.isWritable {
            guard room > 0 else { return self.pause() }
            switch source() {
            case .response(let response):
                room -= self.call.send(response) + ResponseTurn.responseCost
            case .responses(let responses):
                room -= self.call.send(responses) + responses.count * ResponseTurn.responseCost
            case .yield:
                return self.pause()
            case .end:
                self.source = nil
                self.call.finish(.ok)
            case .failure(let status):
                self.source = nil
                self.call.finish(status)
            }
        }
    }

    /// Lets other calls have their turn.
    private func pause() {
        self.isPaused = true
        self.turns.next {
            self.isPaused = false
            self.pump()
        }
    }
}

private enum ResponseTurn {
    /// What is sent in one turn, about, and what a response costs besides its bytes.
    static let bytes = 128 << 10
    static let responseCost = 256
}
