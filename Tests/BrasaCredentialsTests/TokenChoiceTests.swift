import BrasaCredentials
import Testing

@Suite("Whose token a server is shown")
struct TokenChoiceTests {
    private static let environment = ["GOOGLE_APPLICATION_CREDENTIALS": "/nowhere/environment.json"]
    private static let refused = "A key's token is not shown in plain text beyond loopback."

    /// What comes of asking for a token.
    private func shown(
        provider: String? = nil,
        keyFile: String? = nil,
        _ server: TokenChoice.Server,
        _ environment: [String: String]
    ) async throws -> String? {
        let choice = TokenChoice(
            provider: provider.map { token in { @Sendable _ in token } },
            keyFile: keyFile,
            server: server,
            environment: environment
        )
        switch choice {
        case .provider(let provider): return try await provider(false)
        case .fixed(let text): return text
        case .keyFile(let file):
            do throws(KeyFileError) {
                return try file.token(at: 0)
            } catch {
                return error.description
            }
        }
    }

    private func unreadable(_ path: String) -> String { "The key file \(path) cannot be read." }

    @Test("The provider goes before a key file, and that before the environment's, which is for encrypted ways")
    func order() async throws {
        for isEncrypted in [true, false] {
            let server = TokenChoice.Server(isEncrypted: isEncrypted, isEmulator: false, isOnLoopback: true)
            let environment = Self.environment
            let both = try await self.shown(provider: "own", keyFile: "/nowhere/key.json", server, environment)
            #expect(both == "own")
            let named = try await self.shown(keyFile: "/nowhere/key.json", server, environment)
            #expect(named == self.unreadable("/nowhere/key.json"))
            let found = try await self.shown(server, environment)
            #expect(found == (isEncrypted ? self.unreadable("/nowhere/environment.json") : "owner"))
            let none = try await self.shown(server, ["GOOGLE_APPLICATION_CREDENTIALS": ""])
            #expect(none == (isEncrypted ? nil : "owner"))
        }
    }

    @Test("A key's token is shown over TLS and to this machine, and to nobody else", arguments: [true, false])
    func plainText(_ isOnLoopback: Bool) async throws {
        for isEncrypted in [true, false] {
            let server = TokenChoice.Server(
                isEncrypted: isEncrypted,
                isEmulator: false,
                isOnLoopback: isOnLoopback
            )
            let said = try await self.shown(keyFile: "/nowhere/key.json", server, [:])
            let isShown = isEncrypted || isOnLoopback
            #expect(said == (isShown ? self.unreadable("/nowhere/key.json") : Self.refused))
        }
    }

    @Test("An emulator sees no token but the one that it knows by heart")
    func emulator() async throws {
        let server = TokenChoice.Server(isEncrypted: false, isEmulator: true, isOnLoopback: true)
        let said = try await self.shown(provider: "own", keyFile: "/nowhere/key.json", server, Self.environment)
        #expect(said == "owner")
    }

    @Test(
        "What no header can carry is not taken from a provider",
        arguments: [
            ("", "the token is empty"), ("a ", "the token ends with a space, which no header can carry"),
            ("a\n", "the token's byte 1 is 10, which no header can carry"),
        ]
    )
    func unusable(_ text: String, _ fault: String) async {
        let error = await #expect(throws: UnusableToken.self) {
            try await BearerToken.fetch(from: { _ in text }, isRefresh: false)
        }
        #expect(error?.description == fault)
    }

    @Test("A provider is told whether the last token was refused, and may give none")
    func provider() async throws {
        for isRefresh in [true, false] {
            let provider: TokenProvider = { $0 ? "new" : nil }
            #expect(try await BearerToken.fetch(from: provider, isRefresh: isRefresh) == (isRefresh ? "new" : nil))
        }
    }
}
