package import NIOCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// How long what was sent may wait for the peer's acknowledgement before the kernel gives the connection up, as gRPC's
/// proposal A18 has it. It costs no PING, so it finds a dead connection when a call is made on it, however seldom the
/// server allows PINGs.
package struct AcknowledgementTimeout {
    #if canImport(Darwin)
        /// In seconds.
        package static let option = ChannelOptions.Types.SocketOption.tcpOption(.init(rawValue: TCP_RXT_CONNDROPTIME))
        private static let unit = TimeAmount.seconds(1)
    #else
        /// In milliseconds.
        package static let option = ChannelOptions.Types.SocketOption.tcpOption(.init(rawValue: TCP_USER_TIMEOUT))
        private static let unit = TimeAmount.milliseconds(1)
    #endif

    package let value: SocketOptionValue

    package init(_ timeout: TimeAmount) {
        // 0 means the system's own timeout; past an hour nothing is gained, and kernels have bounds.
        self.value = SocketOptionValue(max(min(timeout, .hours(1)).nanoseconds / Self.unit.nanoseconds, 1))
    }

    /// A system that does not know it does without.
    package func set(on channel: any Channel) {
        try? channel.syncOptions?.setOption(Self.option, value: self.value)
    }
}
