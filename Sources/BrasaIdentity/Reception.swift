/// What a request shows of who asks.
package struct Credentials: Hashable, Sendable {
    /// The field `authorization`, as it came.
    package var authorization: [UInt8]?

    package init(authorization: [UInt8]? = nil) {
        self.authorization = authorization
    }

    package init(authorization: String) {
        self.init(authorization: Array(authorization.utf8))
    }
}

/// By what somebody is let in: who they are, and whether that still holds. Made once for all requests that show the same.
package final class Admission: Sendable {
    package let caller: Caller
    /// What the caller's calls count for, whatever they show; nil: there is no bound.
    package let share: CallerShare?
    /// By nothing that the caller has shown and others could not: where they are, or what their browser shows by itself.
    package let isAmbient: Bool
    private let standing: (@Sendable () -> Bool)?

    /// - Parameter stands: asked about once a second for each open stream; nil: it never ends.
    package init(
        _ caller: Caller,
        share: CallerShare? = nil,
        isAmbient: Bool = false,
        stands: (@Sendable () -> Bool)? = nil
    ) {
        self.caller = caller
        self.share = share
        self.isAmbient = isAmbient
        self.standing = stands
    }

    package var canEnd: Bool { self.standing != nil }

    /// Whether what was shown would be believed now.
    package var stands: Bool { self.standing?() ?? true }
}

/// Whether somebody may ask at all. What cannot be decided is refused.
package enum Identification: Sendable {
    case admitted(Admission)
    case refused
    /// It cannot be found out now; the same may succeed later.
    case busy

    package static func caller(_ caller: Caller) -> Identification { .admitted(Admission(caller)) }
}

/// Where the requests of a connection come by once each, between their headers and whoever answers them: there it is decided
/// who asks. On the connection's event loop.
package enum Reception: Sendable {
    /// By `authorization` in place, which is not to be kept; nil when it takes more than a look.
    package typealias Recognize = @Sendable (_ authorization: UnsafeRawBufferPointer?) -> Admission?
    /// Returns the answer if it is known; else nil, and calls `later` once with it, on any thread, within a bounded time.
    /// Meanwhile nothing of the request's body is read.
    package typealias Identify =
        @Sendable (Credentials, _ later: @escaping @Sendable (Identification) -> Void) -> Identification?

    /// Nothing checks who calls: everybody is an administrator.
    case open
    /// `identify` is asked when `recognize` does not know.
    case desk(recognize: Recognize, identify: Identify)

    /// Asked for each request.
    package static func credentials(_ identify: @escaping Identify) -> Reception {
        .desk(recognize: { _ in nil }, identify: identify)
    }
}

extension Reception {
    /// Who asks, by the field `authorization` or without one. Nil: `later` is called once, on any thread.
    package func identify(
        _ authorization: [UInt8]?,
        later: @escaping @Sendable (Identification) -> Void
    ) -> Identification? {
        switch self {
        case .open: return .caller(.administrator)
        case .desk(let recognize, let identify):
            if let authorization {
                if let known = authorization.withUnsafeBytes({ recognize($0) }) { return .admitted(known) }
            } else if let known = recognize(nil) {
                return .admitted(known)
            }
            return identify(Credentials(authorization: authorization), later)
        }
    }
}
