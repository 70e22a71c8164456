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
    /// Of the fields that the route looks at, those that came, by their names; several of one name with commas between.
    package internal(set) var fields: [String: String] = [:]
    /// By what the caller was let in.
    package internal(set) var admission: Admission?
    /// Of the connection, for who shows something later. On its event loop.
    package internal(set) var reception: Reception?

    package init(method: String, target: String, caller: Caller, peer: [UInt8] = []) {
        self.method = method
        self.target = target
        self.caller = caller
        self.peer = peer
    }

    package var path: Substring { self.target.prefix { $0 != "?" } }

    /// What follows the question mark.
    package var query: Substring { self.target.drop { $0 != "?" }.dropFirst() }
}

/// An answer: made in one piece where it is small.
package struct HTTPAnswer: Hashable, Sendable {
    package var status: Int
    package var contentType: String
    package var body: String
    /// Nobody on the way may keep it.
    package var isSecret = false
    /// When the same may succeed.
    package var retryAfterSeconds: UInt64?
    package var fields: [HTTPField] = []
    /// What comes in the place of `body`.
    package var pieces: HTTPPieces?

    package init(_ status: Int, contentType: String = "text/plain; charset=utf-8", _ body: String) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    /// Others have a head alone (RFC 9110, 6.4.1).
    var mayHaveBody: Bool { self.status != 204 && self.status != 304 }

    /// Says nothing that would help to guess.
    static let unauthenticated = HTTPAnswer(401, "the request's credentials are not valid\n")
    static let busy = HTTPAnswer(503, "the request's credentials cannot be verified now\n")
    static let tooLarge = HTTPAnswer(413, "the request's body is too large\n")
    /// - Parameter what: of one caller, as in "calls".
    package static func tooMany(_ what: String, retryAfter nanoseconds: UInt64) -> HTTPAnswer {
        var answer = HTTPAnswer(429, "there are too many \(what) of this caller\n")
        answer.retryAfterSeconds = self.seconds(nanoseconds)
        return answer
    }

    static let tooManyCalls = HTTPAnswer(429, "there are too many calls of this caller\n")

    static func seconds(_ nanoseconds: UInt64) -> UInt64 { nanoseconds / 1_000_000_000 + 1 }

    static let foreign = HTTPAnswer(403, "pages of other origins have to show a token\n")
    static let forbidden = HTTPAnswer(403, "only administrators are answered here\n")
}
