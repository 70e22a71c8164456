import BrasaService
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A pipe of an event loop to itself: when a byte that was written into it is read, the loop has looked at all its sockets.
///
/// Unchecked, because it is used on its event loop only.
final class SocketLookPipe: SocketLook, ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer

    private static let byte = ByteBuffer(bytes: [0])

    private let eventLoop: any EventLoop
    private var context: ChannelHandlerContext?
    /// Those who wait for the byte that is on its way.
    private var asked: [() -> Void] = []
    /// Those whose byte was read.
    private var answered: [() -> Void] = []
    private(set) var hasEnded = false

    private init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Open until the event loop ends.
    static func open(on eventLoop: any EventLoop) async throws(StartError) -> SocketLookPipe {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw StartError("cannot open a pipe: \(SystemErrorText.of(errno))") }
        let look = SocketLookPipe(eventLoop)
        do {
            _ = try await NIOPipeBootstrap(group: eventLoop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(look) }
                }
                .takingOwnershipOfDescriptors(input: ends[0], output: ends[1]).get()
        } catch {
            throw StartError("cannot use a pipe: \(error)")
        }
        return look
    }

    func next(_ then: @escaping () -> Void) {
        self.eventLoop.assertInEventLoop()
        guard !self.hasEnded, let context else { return then() }
        self.asked.append(then)
        if self.asked.count == 1 { context.writeAndFlush(NIOAny(Self.byte), promise: nil) }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    /// Other sockets may come after this one in the same look.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.answered += self.asked
        self.asked.removeAll(keepingCapacity: true)
        self.eventLoop.execute { self.answer() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.hasEnded = true
        self.context = nil
        self.answered += self.asked
        self.asked = []
        self.answer()
    }

    private func answer() {
        let answered = self.answered
        self.answered = []
        for then in answered { then() }
    }
}
