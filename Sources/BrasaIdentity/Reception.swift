/// What a request shows of who asks.
package struct Credentials: Hashable, Sendable {
    /// The field `authorization`, as it came.
    package var authorization: String?

    package init(authorization: String? = nil) {
        self.authorization = authorization
    }
}

/// Whether somebody may ask at all. What cannot be decided is refused.
package enum Identification: Hashable, Sendable {
    case caller(Caller)
    case refused
}

/// Where every request comes by once, between its headers and whoever answers it: there it is decided who asks.
package enum Reception: Sendable {
    /// Nothing checks who calls: everybody is an administrator.
    case open
    /// Asked for each request. Returns the answer if it is known; else nil, and calls `later` once with it, on any thread,
    /// within a bounded time. Meanwhile nothing of the request's body is read.
    case credentials(@Sendable (Credentials, _ later: @escaping @Sendable (Identification) -> Void) -> Identification?)
}
