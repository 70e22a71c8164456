package import NIOCore

/// PING on a silent connection, and close when no byte comes back in time.
package struct HTTP2Keepalive: Sendable {
    /// Silence after which a PING is sent.
    package var interval: TimeAmount
    /// Further silence after which the connection is closed.
    package var timeout: TimeAmount
    /// Nil: any silent connection is probed.
    package var restraint: HTTP2KeepaliveRestraint?

    package init(interval: TimeAmount, timeout: TimeAmount, restraint: HTTP2KeepaliveRestraint? = nil) {
        self.interval = interval
        self.timeout = timeout
        self.restraint = restraint
    }

    /// Half as many PINGs, for a server that complained: gRPC asks it of a client's later connections.
    package var halved: Self {
        var halved = self
        halved.interval = Self.doubled(self.interval)
        halved.restraint?.patientInterval = Self.doubled(restraint?.patientInterval ?? .zero)
        return halved
    }

    private static func doubled(_ interval: TimeAmount) -> TimeAmount {
        max(interval, min(.hours(2), interval + min(interval, .hours(2))))
    }
}

/// gRPC's rules for the PINGs of a client (its proposals A8 and A9): none without a call, and no more than a server takes
/// that was set up in no special way. Such a server ends the connection as `too_many_pings` at the third that comes within
/// five minutes of the one before, unless it has sent HEADERS or DATA since.
package struct HTTP2KeepaliveRestraint: Sendable {
    /// PINGs at the usual interval until the server sends HEADERS or DATA again.
    package var quickProbesMax = 2
    /// The interval of those that follow.
    package var patientInterval = TimeAmount.minutes(5)
    /// A call that starts on a connection which has long been silent is not left to wait for the interval: when nothing
    /// has come so long after its start, the connection is probed.
    package var firstCallPatience = TimeAmount.seconds(1)

    package init() {}
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

/// Chooses the door of a request: asked once for each, on the connection's event loop, when the request's header list is
/// complete and within its bound. What it answers hears of the same headers next, then of the body.
///
/// The path is no way to tell doors apart before the content type is: a gRPC call is what says it is one
/// (`application/grpc`), whatever its path; everything else is plain HTTP. So acceptors are chained: each takes what is its
/// own and hands the rest on (`GRPCServer.acceptor(on:otherwise:)`). A request whose headers never come whole, break a rule
/// or are too large reaches none of them.
package typealias HTTP2Acceptor = (HTTP2Stream, HTTP2Headers) -> any HTTP2StreamHandler

/// Which end of the connection this is.
package enum HTTP2Role {
    case server(HTTP2ServerConfiguration, acceptor: HTTP2Acceptor)
    case client(HTTP2ClientConfiguration)

    var isServer: Bool {
        if case .server = self { true } else { false }
    }

    var acceptor: HTTP2Acceptor? {
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
