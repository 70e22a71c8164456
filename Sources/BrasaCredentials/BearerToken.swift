/// Where bearer tokens come from. Asked when there is none, and again, with true, when the server did not take the last.
package typealias TokenProvider = @Sendable (_ isRefresh: Bool) async throws -> String?

/// What a header can carry.
package enum BearerToken {
    /// Why no header can carry that token, nil when one can. A line end that came along from a file would otherwise
    /// be a broken stream, of which nobody thinks of the token.
    package static func fault(in text: String) -> String? {
        guard !text.isEmpty else { return "the token is empty" }
        guard text.utf8.last != 0x20 else { return "the token ends with a space, which no header can carry" }
        guard let position = text.utf8.enumerated().first(where: { !(0x20...0x7E).contains($0.element) }) else {
            return nil
        }
        return "the token's byte \(position.offset) is \(position.element), which no header can carry"
    }

    /// Asks the provider. Throws what it throws, and ``UnusableToken``.
    package static func fetch(from provider: TokenProvider, isRefresh: Bool) async throws -> String? {
        let text = try await provider(isRefresh)
        if let fault = text.flatMap(self.fault) { throw UnusableToken(description: fault) }
        return text
    }
}

/// No header can carry what a provider gave.
package struct UnusableToken: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
}
