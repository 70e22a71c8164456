import BrasaPlatform
import BrasaService
import NIOCore

/// Delivers the engine's completions on one event loop, where the calls that wait for them live.
final class EventLoopMailbox: Mailbox {
    private let eventLoop: any EventLoop
    private let turns: LoopTurns

    init(_ eventLoop: any EventLoop, _ look: any SocketLook) {
        self.eventLoop = eventLoop
        self.turns = LoopTurns(eventLoop, look)
    }

    func post(_ work: @escaping @Sendable () -> Void) {
        self.eventLoop.execute(work)
    }

    func postTurn(_ turn: @escaping @Sendable () -> Void) {
        self.turns.next(turn)
    }
}
