import BrasaClientNetwork
import BrasaGRPC
import BrasaMessages
import BrasaStatus
import BrasaWire
import NIOCore
import NIOSSL
import Testing

@testable import BrasaFirestore

@Suite struct TLSTests {
    /// A server that answers commits over TLS.
    private func server(
        _ certificate: [UInt8] = TestCertificates.server,
        asksForCertificates: Bool = false,
        protocols: [String] = ["h2"]
    ) async throws -> ScriptedServer {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: TestCertificates.serverKey, format: .pem))
        )
        configuration.applicationProtocols = protocols
        if asksForCertificates {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(TestCertificates.root))
        }
        return try await ScriptedServer(
            [.init(FirestoreMethods.commit, { call, _, _ in call.respond(ByteBuffer()) })],
            tls: configuration
        )
    }

    private func settings(_ roots: [UInt8]) -> TLSSettings {
        var settings = TLSSettings()
        settings.roots = .given(.bytes(roots))
        return settings
    }

    private func client(
        of server: ScriptedServer,
        _ settings: TLSSettings,
        host: String = "localhost",
        policies: CallPolicies = TransportClient.quickPolicies
    ) throws -> TransportClient {
        try TransportClient(
            port: server.port,
            security: .tls(settings),
            host: host,
            resolver: FixedResolver(addresses: [#require(server.channel.localAddress)]),
            policies: policies
        )
    }

    /// Fails at once instead of trying for long.
    private var impatient: CallPolicies {
        var policies = TransportClient.quickPolicies
        policies[.commit].retry.attemptsMax = 1
        return policies
    }

    @Test func `Nothing older than HTTP 2 allows is spoken`() throws {
        #expect(try TLSContext.configuration(self.settings(TestCertificates.root)).minimumTLSVersion == .tlsv12)
    }

    @Test(arguments: [("localhost", TestCertificates.server), ("127.0.0.1", TestCertificates.addressServer)])
    func `A server whose certificate a given root has signed is believed`(
        _ host: String,
        certificate: [UInt8]
    ) async throws {
        let server = try await self.server(certificate)
        let client = try self.client(of: server, self.settings(TestCertificates.root), host: host)
        for _ in 0..<3 { try await client.commitNothing() }
        #expect(server.connections.all.count == 1)
        await client.channel.close()
        try await server.stop()
    }

    @Test func `A server of another root, of another name, or without HTTP/2 is not`() async throws {
        let server = try await self.server()
        let plain = try await self.server(protocols: ["http/1.1"])
        var misnamed = self.settings(TestCertificates.root)
        misnamed.serverName = "elsewhere.example"
        let cases = [
            (server, self.settings(TestCertificates.otherRoot)), (server, TLSSettings()), (server, misnamed),
            (plain, self.settings(TestCertificates.root)),
        ]
        for (server, settings) in cases {
            let client = try self.client(of: server, settings, policies: self.impatient)
            do {
                try await client.commitNothing()
                Issue.record("\(settings) was believed")
            } catch let error as CallError {
                #expect(error.status.code == .unavailable)
            }
            await client.channel.close()
        }
        try await server.stop()
        try await plain.stop()
    }

    @Test func `A client shows its certificate to a server that wants one`() async throws {
        let server = try await self.server(asksForCertificates: true)
        var settings = self.settings(TestCertificates.root)
        let stranger = try self.client(of: server, settings, policies: self.impatient)
        await #expect(throws: CallError.self) { try await stranger.commitNothing() }
        settings.identity = TLSSettings.Identity(
            chain: .bytes(TestCertificates.client),
            key: .bytes(TestCertificates.clientKey)
        )
        let client = try self.client(of: server, settings)
        try await client.commitNothing()
        await stranger.channel.close()
        await client.channel.close()
        try await server.stop()
    }

    @Test func `Settings that cannot be used are refused before anything connects`() {
        #expect(throws: TLSSettingsError.self) {
            _ = try TransportClient(port: 1, security: .tls(self.settings(Array("nonsense".utf8))))
        }
        var settings = TLSSettings()
        settings.roots = .given(.file("/nowhere/at/all.pem"))
        #expect(throws: TLSSettingsError.self) {
            _ = try TransportClient(port: 1, security: .tls(settings))
        }
    }
}
