package import BrasaIdentity

/// A request without its body, as whoever answers it sees it: of HTTP/1.1 and of HTTP/2 alike.
package struct HTTPRequest: Sendable {
    package let method: String
    /// With its query, percent-encoded as it came.
    package let target: String
    package let caller: Caller
    /// What stands in the path for the names of the route, decoded, in their order.
    package internal(set) var parameters: [String] = []

    package init(method: String, target: String, caller: Caller) {
        self.method = method
        self.target = target
        self.caller = caller
    }

    package var path: Substring { self.target.prefix { $0 != "?" } }
}

/// An answer that is small enough to be made in one piece.
package struct HTTPAnswer: Hashable, Sendable {
    package var status: Int
    package var contentType: String
    package var body: String

    package init(_ status: Int, contentType: String = "text/plain; charset=utf-8", _ body: String) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    /// Says nothing that would help to guess.
    static let unauthenticated = HTTPAnswer(401, "the request's credentials are not valid\n")
    static let forbidden = HTTPAnswer(403, "only administrators are answered here\n")
}
