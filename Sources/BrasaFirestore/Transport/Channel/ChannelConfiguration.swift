package import BrasaBackoff
package import BrasaClientNetwork
internal import BrasaGRPC
package import BrasaHTTP2
internal import NIOCore

/// Where a channel leads and how it behaves.
package struct ChannelConfiguration: Sendable {
    package var server: ServerAddress
    package var security: ChannelSecurity
    /// Only on connections with calls, and rarely on those whose server says nothing: servers end others.
    package var keepalive: HTTP2Keepalive? = HTTP2Keepalive(
        interval: .seconds(30),
        timeout: .seconds(20),
        restraint: HTTP2KeepaliveRestraint()
    )
    /// The backoff between attempts to reach one address.
    package var backoff = BackoffDelays.Settings()
    /// For TCP, TLS and the first bytes of HTTP/2 together.
    package var connectTimeout = Duration.seconds(20)
    /// A connection that lived so long, or answered a call, did not fail: the next attempt need not wait.
    package var healthyAfter = Duration.seconds(10)
    /// Names are looked up again when a connection is needed or lost and this much time has passed.
    package var resolutionAgeMin = Duration.seconds(5)
    /// Addresses of one name that are connected to; the others are left out.
    package var addressesMax = 8
    /// Calls that wait for a connection, or for a stream on one. Past it they fail with RESOURCE_EXHAUSTED.
    package var waitingCallsMax = 10_000
    /// The largest response message.
    package var messageBytesMax = 64 << 20
    /// What a connection may be sent on one stream, and on all streams, before it is consumed.
    package var streamWindowBytes = 1 << 20
    package var connectionWindowBytes = 8 << 20

    package init(server: ServerAddress, security: ChannelSecurity) {
        self.server = server
        self.security = security
    }

    func http2(_ keepalive: HTTP2Keepalive?) -> HTTP2ClientConfiguration {
        var configuration = HTTP2ClientConfiguration()
        configuration.limits.streamWindowBytes = self.streamWindowBytes
        configuration.limits.connectionWindowBytes = self.connectionWindowBytes
        configuration.keepalive = keepalive
        return configuration
    }

    var grpc: GRPCClientConfiguration {
        var configuration = GRPCClientConfiguration(authority: self.server.description)
        configuration.scheme = self.security.scheme
        configuration.messageBytesMax = self.messageBytesMax
        return configuration
    }
}
