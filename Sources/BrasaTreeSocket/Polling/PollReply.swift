import BrasaHTTP
import NIOCore

/// The answer to one request of long polling: held until there is one, then sent as the client takes it. On the request's
/// event loop, but for what says otherwise; unchecked, because replies are carried there.
final class PollReply: @unchecked Sendable {
    private static let pieceBytes = 64 << 10

    let number: Int
    private let session: PollSession
    private let eventLoop: any EventLoop
    private var wake: (@Sendable () -> Void)?
    /// What is still to be sent; nil: it is not known.
    private var rest: ArraySlice<UInt8>?
    private var isWhole = false

    init(_ number: Int, of session: PollSession, on eventLoop: any EventLoop) {
        self.number = number
        self.session = session
        self.eventLoop = eventLoop
    }

    /// On any thread.
    func give(_ script: [UInt8]) {
        self.onLoop {
            $0.rest = script[...]
            $0.wake?()
        }
    }

    /// Where nothing was given, this is; otherwise nobody waits for the rest of it. On any thread.
    func end(_ script: [UInt8]) {
        self.onLoop {
            $0.rest = $0.rest == nil ? script[...] : []
            $0.wake?()
        }
    }

    private func onLoop(_ work: @escaping @Sendable (PollReply) -> Void) {
        if self.eventLoop.inEventLoop { work(self) } else { self.eventLoop.execute { work(self) } }
    }

    /// It says when it has been sent, or that it could not be.
    var pieces: HTTPPieces {
        HTTPPieces(start: { self.wake = $0 }, stop: { self.stop() }, next: { self.next() })
    }

    private func next() -> HTTPPieces.Next {
        guard let rest = self.rest else { return .later }
        guard !rest.isEmpty else {
            self.isWhole = true
            return .end
        }
        let piece = rest.prefix(Self.pieceBytes)
        self.rest = rest.dropFirst(piece.count)
        // Whoever takes a long one is there.
        if piece.count == Self.pieceBytes { self.session.onLoop { $0.heard() } }
        return .piece(Array(piece))
    }

    private func stop() {
        self.wake = nil
        self.rest = []
        let (number, isWhole) = (self.number, self.isWhole)
        self.session.onLoop { $0.finish(number, isWhole: isWhole) }
    }
}
