package import NIOCore
package import NIOPosix

extension ClientBootstrap {
    /// Connections of a client to a server: what is written leaves at once, one that is dead is given up, and what passes is
    /// encrypted where there is TLS.
    /// - Parameters:
    ///   - timeout: of the attempt.
    ///   - acknowledgementTimeout: how long what was sent may wait to be acknowledged; nil: as long as the system has it.
    ///   - prepare: adds what stands on bytes in plain text, on the channel's event loop.
    package static func toServer(
        on eventLoop: any EventLoop,
        timeout: TimeAmount,
        acknowledgementTimeout: TimeAmount?,
        tls: TLSContext?,
        prepare: @escaping @Sendable (any Channel) throws -> Void
    ) -> ClientBootstrap {
        ClientBootstrap(group: eventLoop)
            .connectTimeout(timeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let acknowledgementTimeout { AcknowledgementTimeout(acknowledgementTimeout).set(on: channel) }
                    try tls?.addHandler(to: channel)
                    try prepare(channel)
                }
            }
    }
}
