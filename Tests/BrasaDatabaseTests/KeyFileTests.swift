import BrasaTreeRemote
import Synchronization
import Testing

@testable import BrasaDatabase

/// Whose token a database's connection shows. That a key's tokens are believed is shown with a server (TLSTests).
@Suite("Whose token is shown")
struct KeyFileTests {
    private static let environment = ["GOOGLE_APPLICATION_CREDENTIALS": "/nowhere/environment.json"]

    private func configuration(
        _ url: String,
        environment: [String: String] = [:],
        _ change: (inout Database.State) -> Void
    ) throws -> TreeHost.Configuration {
        try Databases.at(url).state.withLock { state in
            change(&state)
            return try state.configuration(app: "app", environment: environment).get()
        }
    }

    /// What fetching a token says. Nothing is fetched where a token is known by heart.
    private func said(_ configuration: TreeHost.Configuration) async -> String? {
        guard let provider = configuration.tokenProvider else { return nil }
        do {
            return try await provider(false)
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "A key's token is shown over TLS and to this machine, and to nobody else in plain text",
        arguments: [
            ("https://db.example?ns=demo", true), ("http://localhost:9000?ns=demo", true),
            ("http://127.0.0.1:9000?ns=demo", true), ("http://[::1]:9000?ns=demo", true),
            ("http://db.example:9000?ns=demo", false), ("http://127.0.0.1.example?ns=demo", false),
        ]
    )
    func named(_ url: String, _ isShown: Bool) async throws {
        let configuration = try self.configuration(url) { $0.keyFile = "/nowhere/key.json" }
        let refusal = "A key's token is not shown in plain text beyond loopback."
        let attempt = "The key file /nowhere/key.json cannot be read."
        #expect(await self.said(configuration) == (isShown ? attempt : refusal))
        #expect(configuration.token == nil)
        // A server in plain text could send the client, and with it the token, elsewhere.
        #expect(configuration.isHostFixed == url.hasPrefix("http:"))
    }

    @Test("A provider of tokens counts more than a key file, and is asked when the server wants another")
    func provider() async throws {
        for url in ["https://db.example?ns=demo", "http://localhost:9000?ns=demo"] {
            let configuration = try self.configuration(url, environment: Self.environment) {
                $0.keyFile = "/nowhere/key.json"
                $0.tokenProvider = { _ in "token" }
            }
            #expect(await self.said(configuration) == "token")
        }
    }

    @Test("The environment's file counts where none is named, and over TLS only")
    func environment() async throws {
        let tls = try self.configuration("https://db.example?ns=demo", environment: Self.environment) { _ in }
        #expect(await self.said(tls) == "The key file /nowhere/environment.json cannot be read.")
        let named = try self.configuration("https://db.example?ns=demo", environment: Self.environment) {
            $0.keyFile = "/nowhere/key.json"
        }
        #expect(await self.said(named) == "The key file /nowhere/key.json cannot be read.")
        let plain = try self.configuration("http://localhost:9000?ns=demo", environment: Self.environment) { _ in }
        #expect(await self.said(plain) == nil)
        #expect(plain.token == "owner")
    }

    @Test("Emulators get no token but the one that they know by heart")
    func emulator() async throws {
        let database = Databases.at("https://db.example?ns=demo")
        database.useEmulator(withHost: "127.0.0.1", port: 9000)
        let configuration = try database.state.withLock { state in
            state.keyFile = "/nowhere/key.json"
            state.tokenProvider = { _ in "token" }
            return try state.configuration(app: "app", environment: Self.environment).get()
        }
        #expect(await self.said(configuration) == nil)
        #expect(configuration.token == "owner")
    }
}
