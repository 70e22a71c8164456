package import BrasaOptions
import NIOCore
import NIOPosix
import NIOSSL

/// Asks a running server how it is, as `brasa health` does.
package enum HealthProbe {
    private static let timeMax: TimeAmount = .seconds(5)
    private static let answerBytesMax = 4 << 10

    /// What the server says for itself.
    ///
    /// - Parameters:
    ///   - path: `/livez` or `/readyz`.
    ///   - speaksTLS: whatever certificate is shown: the names on it are those by which clients reach the server, and
    ///     nothing is sent that would be of use to anybody.
    /// - Throws: `StartError` with why it is not well, or not there.
    package static func ask(_ address: ListenAddress, _ path: String, speaksTLS: Bool = false) async throws -> String {
        let tls = try speaksTLS ? Self.credulousContext() : nil
        let group = MultiThreadedEventLoopGroup.singleton
        let answer = group.next().makePromise(of: String.self)
        do {
            // Not before it is connected, since several addresses of a host are tried at once and one is kept; and all of it on
            // its loop, so that no time passes in between.
            try await ClientBootstrap(group: group)
                .connectTimeout(Self.timeMax)
                .connect(host: address.reachableHost, port: address.port)
                .flatMap { channel in channel.eventLoop.submit { try Self.ask(path, tls, on: channel, answer) } }
                .get()
        } catch {
            answer.succeed("")
            throw StartError("nobody answers on \(address): \(error)")
        }
        let text = try await answer.futureResult.get()
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
        let body = parts.count == 2 ? String(parts[1].prefix { $0 != "\n" }) : ""
        guard text.hasPrefix("HTTP/1.1 ") else {
            throw StartError("what listens on \(address) does not speak HTTP\(speaksTLS ? " over TLS" : "")")
        }
        guard text.hasPrefix("HTTP/1.1 200 ") else { throw StartError(body.isEmpty ? "not well" : body) }
        return body
    }

    private static func ask(
        _ path: String,
        _ tls: NIOSSLContext?,
        on channel: any Channel,
        _ answer: EventLoopPromise<String>
    ) throws {
        channel.eventLoop.scheduleTask(in: Self.timeMax) { channel.close(promise: nil) }
        let pipeline = channel.pipeline.syncOperations
        if let tls { try pipeline.addHandler(NIOSSLClientHandler(context: tls, serverHostname: nil)) }
        try pipeline.addHandler(Asking(path, answer))
    }

    private static func credulousContext() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }

    private final class Asking: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let path: String
        private let answer: EventLoopPromise<String>
        private var text = ""

        init(_ path: String, _ answer: EventLoopPromise<String>) {
            self.path = path
            self.answer = answer
        }

        func handlerAdded(context: ChannelHandlerContext) {
            guard context.channel.isActive else { return self.answer.succeed("") }
            let request = "GET \(self.path) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.text += String(buffer: self.unwrapInboundIn(data))
            if self.text.utf8.count > HealthProbe.answerBytesMax { context.close(promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) { self.answer.succeed(self.text) }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

extension ListenAddress {
    /// Where a server that listens everywhere is reached from its own machine.
    fileprivate var reachableHost: String {
        switch self.host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        default: self.host
        }
    }
}
