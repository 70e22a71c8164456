import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Passes bytes on between clients and a server, and now and then, as its seed has it, loses what it holds and closes,
/// resets, or lets bytes lie for a while. Chance is asked for each piece that arrives, so what happens still depends on
/// how the pieces come.
final class ChaosProxy: Sendable {
    let channel: any Channel
    /// One for each connection of a client's that ended.
    let ends: AsyncStream<Void>
    private let chances: Chances

    /// What may happen to a piece, in a thousand.
    struct Mischief: Sendable {
        var drops = 10
        var resets = 10
        var delays = 100
    }

    fileprivate enum Fate { case pass, drop, reset, delay(Int64) }

    final class Chances: Sendable {
        private struct State {
            var seed: UInt64
            var isCalm = false
            var breaks = 0
        }

        private let state: Mutex<State>
        private let mischief: Mischief

        init(seed: UInt64, _ mischief: Mischief) {
            self.state = Mutex(State(seed: seed))
            self.mischief = mischief
        }

        /// From here on everything passes.
        func calm() { self.state.withLock { $0.isCalm = true } }
        var breaks: Int { self.state.withLock { $0.breaks } }

        fileprivate func next() -> Fate {
            self.state.withLock { state in
                guard !state.isCalm else { return .pass }
                state.seed = state.seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let number = Int(state.seed >> 33)
                let roll = number % 1_000
                if roll < self.mischief.drops {
                    state.breaks += 1
                    return .drop
                }
                if roll < self.mischief.drops + self.mischief.resets {
                    state.breaks += 1
                    return .reset
                }
                if roll < self.mischief.drops + self.mischief.resets + self.mischief.delays {
                    return .delay(Int64(number / 1_000 % 5))
                }
                return .pass
            }
        }
    }

    init(
        to port: Int,
        seed: UInt64,
        _ mischief: Mischief = Mischief(),
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
    ) async throws {
        let chances = Chances(seed: seed, mischief)
        self.chances = chances
        let (ends, ended) = AsyncStream<Void>.makeStream()
        self.ends = ends
        self.channel = try await ServerBootstrap(group: group)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                client.closeFuture.whenComplete { _ in ended.yield() }
                return ClientBootstrap(group: client.eventLoop)
                    .channelOption(.autoRead, value: false)
                    .connect(host: "127.0.0.1", port: port)
                    .flatMapThrowing { server in
                        try client.pipeline.syncOperations.addHandler(Passer(to: server, chances))
                        try server.pipeline.syncOperations.addHandler(Passer(to: client, chances))
                        _ = server.setOption(.autoRead, value: true)
                        _ = client.setOption(.autoRead, value: true)
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { self.channel.localAddress?.port ?? 0 }
    /// Connections that it has broken.
    var breaks: Int { self.chances.breaks }

    func calm() { self.chances.calm() }

    func stop() async throws { try await self.channel.close() }
}

/// Brings what one side sends to the other.
private final class Passer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let other: any Channel
    private let chances: ChaosProxy.Chances
    /// Pieces that lie for a while, in order, each with a task of its own. Whatever comes behind them waits as well, also
    /// when their time is over: a loop with much to do reads before it looks at its timers.
    private var held = CircularBuffer<ByteBuffer>()
    private var heldUntil: NIODeadline

    init(to other: any Channel, _ chances: ChaosProxy.Chances) {
        self.other = other
        self.chances = chances
        self.heldUntil = .now()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = self.unwrapInboundIn(data)
        let other = self.other
        switch self.chances.next() {
        case .pass: break
        case .drop:
            context.close(promise: nil)
            return other.close(promise: nil)
        case .reset:
            for channel in [context.channel, other] {
                let options = channel as? any SocketOptionProvider
                _ = options?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            }
            context.close(promise: nil)
            return other.close(promise: nil)
        case .delay(let milliseconds):
            self.heldUntil = max(self.heldUntil, .now() + .milliseconds(milliseconds))
        }
        guard !self.held.isEmpty || self.heldUntil > .now() else { return other.writeAndFlush(bytes, promise: nil) }
        self.held.append(bytes)
        context.eventLoop.assumeIsolated().scheduleTask(deadline: self.heldUntil) {
            other.writeAndFlush(self.held.removeFirst(), promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.other.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
