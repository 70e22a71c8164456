/// The page that had a browser send a request, which any page may do to any server that the browser reaches. Its reader's
/// place, or the certificate that the browser shows by itself, are nothing that the page has shown.
package struct PageOrigin: Sendable, Hashable {
    private let host: Substring
    /// By what the request calls the server.
    private let server: Substring

    /// - Parameters:
    ///   - origin: the field `origin` (RFC 6454), as in `https://app.example:3000`.
    ///   - host: the field `host` of the same request.
    package init(_ origin: String, host: String) {
        let scheme = origin.utf8.firstIndex(of: UInt8(ascii: ":")) ?? origin.startIndex
        let rest = origin[scheme...]
        self.host = rest.hasPrefix("://") ? Self.withoutPort(rest.dropFirst(3)) : ""
        self.server = Self.withoutPort(host[...])
    }

    /// Of a request with these fields; nil: no page has a browser send it, or its reader asked for it.
    ///
    /// Without `origin` pages have scripts and pictures fetched; browsers then say by other fields (Fetch Metadata) whether
    /// they have the server's site, and there is no page here that could have its origin.
    package init?(host: String, field: (_ name: String) -> String?) {
        if let origin = field("origin") {
            self.init(origin, host: host)
        } else if let site = field("sec-fetch-site"), site != "none", field("sec-fetch-mode") != "navigate",
            site != "same-site" || !Self.isAtHome(Self.withoutPort(host[...]))
        {
            self.init("null", host: host)
        } else {
            return nil
        }
    }

    /// Neither of the browser's own machine nor of the server's, by its number: a name is whatever its owner says that it is.
    package var isForeign: Bool {
        !Self.isLoopback(self.host) && !(Self.isNumber(self.host) && self.host == self.server)
    }

    private static func withoutPort(_ text: Substring) -> Substring {
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") { return text[...end] }
        return text.prefix { $0 != ":" }
    }

    private static func isAtHome(_ host: Substring) -> Bool { Self.isLoopback(host) || Self.isNumber(host) }

    private static func isLoopback(_ host: Substring) -> Bool {
        let name = host.lowercased()
        return name == "localhost" || name.hasSuffix(".localhost") || name == "[::1]"
            || name.hasPrefix("127.") && Self.isNumber(host)
    }

    private static func isNumber(_ host: Substring) -> Bool {
        if host.hasPrefix("["), host.hasSuffix("]") { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && !$0.hasPrefix("+") }
    }
}
