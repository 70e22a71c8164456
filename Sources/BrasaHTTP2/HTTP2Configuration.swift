package import NIOCore

/// PING on a silent connection, and close when no byte comes back in time.
package struct HTTP2Keepalive: Sendable {
    /// Silence after which a PING is sent.
    package var interval: TimeAmount
    /// Further silence after which the connection is closed.
    package var timeout: TimeAmount

    package init(interval: TimeAmount, timeout: TimeAmount) {
        self.interval = interval
        self.timeout = timeout
    }
}

package struct HTTP2ServerConfiguration: Sendable {
    package var limits = HTTP2Limits()
    package var keepalive: HTTP2Keepalive? = HTTP2Keepalive(interval: .seconds(60), timeout: .seconds(20))
    /// What all connections draw on for what they keep; nil bounds each by its limits only.
    package var budget: ByteBudget?

    package init() {}
}

package struct HTTP2ClientConfiguration: Sendable {
    package var limits = HTTP2Limits()
    package var keepalive: HTTP2Keepalive?

    package init() {}
}

/// Which end of the connection this is.
package enum HTTP2Role {
    /// `acceptor` is asked for a handler as soon as a request's stream opens; its headers follow.
    case server(HTTP2ServerConfiguration, acceptor: (HTTP2Stream) -> any HTTP2StreamHandler)
    case client(HTTP2ClientConfiguration)

    var isServer: Bool {
        if case .server = self { true } else { false }
    }

    var acceptor: ((HTTP2Stream) -> any HTTP2StreamHandler)? {
        switch self {
        case .server(_, let acceptor): acceptor
        case .client: nil
        }
    }

    var limits: HTTP2Limits {
        switch self {
        case .server(let configuration, _): configuration.limits
        case .client(let configuration): configuration.limits
        }
    }

    var budget: ByteBudget? {
        switch self {
        case .server(let configuration, _): configuration.budget
        case .client: nil
        }
    }

    var keepalive: HTTP2Keepalive? {
        switch self {
        case .server(let configuration, _): configuration.keepalive
        case .client(let configuration): configuration.keepalive
        }
    }
}
