package import BrasaIdentity

/// A request, as whoever answers it sees it: of HTTP/1.1 and of HTTP/2 alike.
package struct HTTPRequest: Sendable {
    package let method: String
    /// With its query, percent-encoded as it came.
    package let target: String
    package let caller: Caller
    /// Whom the connection is counted for.
    package let peer: [UInt8]
    /// Empty where the route takes none.
    package internal(set) var body: [UInt8] = []
    /// What stands in the path for the names of the route, decoded, in their order.
    package internal(set) var parameters: [String] = []

    package init(method: String, target: String, caller: Caller, peer: [UInt8] = []) {
        self.method = method
        self.target = target
        self.caller = caller
        self.peer = peer
    }

    package var path: Substring { self.target.prefix { $0 != "?" } }
}

/// An answer that is small enough to be made in one piece.
package struct HTTPAnswer: Hashable, Sendable {
    package var status: Int
    package var contentType: String
    package var body: String
    /// Nobody on the way may keep it.
    package var isSecret = false

    package init(_ status: Int, contentType: String = "text/plain; charset=utf-8", _ body: String) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    /// Says nothing that would help to guess.
    static let unauthenticated = HTTPAnswer(401, "the request's credentials are not valid\n")
    static let busy = HTTPAnswer(503, "the request's credentials cannot be verified now\n")
    static let tooLarge = HTTPAnswer(413, "the request's body is too large\n")
    static let forbidden = HTTPAnswer(403, "only administrators are answered here\n")
}
