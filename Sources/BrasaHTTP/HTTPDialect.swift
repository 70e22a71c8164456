/// How a route speaks HTTP: what of a request's head it looks at, and what it says where it is not asked itself.
package struct HTTPDialect: Sendable {
    /// In lower case. The host of HTTP/2's `:authority` is `host`.
    package var fieldNames: [String] = []
    /// Parameters of the target that stand for a bearer's token, where there is no field `authorization`.
    package var tokenParameters: [String] = []
    package var refused = HTTPAnswer.unauthenticated
    package var busy = HTTPAnswer.busy
    package var tooLarge = HTTPAnswer.tooLarge
    /// When the next call is taken is added.
    package var tooMany = HTTPAnswer.tooManyCalls

    package init() {}
}

/// A field of an answer's head.
package struct HTTPField: Hashable, Sendable {
    /// In lower case.
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
