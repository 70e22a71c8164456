import BrasaCertificates
import BrasaHTTP2
import BrasaPlatform
import BrasaTLS
import BrasaWire
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import NIOSSL
import Testing

@testable import BrasaServer

@Suite struct TLSListenerTests {
    private let workshop: CertificateWorkshop

    init() throws {
        self.workshop = try CertificateWorkshop()
        try self.workshop.makeAuthority("ca")
        try self.workshop.makeCertificate("server", signedBy: "ca")
    }

    private var files: TLSFiles {
        TLSFiles(certificateChain: self.workshop.path("server.pem"), privateKey: self.workshop.path("server.key"))
    }

    private func server(_ change: (inout ServerConfiguration) -> Void = { _ in }) async throws -> RunningServer {
        try await RunningServer(
            RunningServer.configuration {
                $0.tlsCertificate = self.workshop.path("server.pem")
                $0.tlsKey = self.workshop.path("server.key")
                change(&$0)
            }
        )
    }

    private func trust(_ protocols: [String], _ change: (inout TLSConfiguration) -> Void = { _ in }) -> TLSConfiguration
    {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(self.workshop.path("ca.pem"))
        configuration.applicationProtocols = protocols
        change(&configuration)
        return configuration
    }

    private static let request = "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"

    @Test func `Both protocols are served behind one handshake`() async throws {
        let server = try await self.server()
        let client = try await server.connect(self.trust(["h2"]))
        let bytes = try await client.raw(HealthMethods.check, [])
        #expect(bytes == [8, 1])
        #expect(try await server.exchange(Self.request, self.trust(["http/1.1"])).contains("Ok\n"))
        #expect(try await server.exchange(Self.request, self.trust([])).contains("Ok\n"))
        try await server.stop()
    }

    @Test func `Health is asked over TLS, whatever certificate is shown, and of nobody in plain text`() async throws {
        let server = try await self.server()
        server.services.observation.become(.ready)
        let address = server.listener.address
        #expect(try await HealthProbe.ask(address, "/readyz", speaksTLS: true) == "ready")
        server.services.announceShutdown()
        await #expect(throws: StartError("draining: calls in flight are being finished")) {
            try await HealthProbe.ask(address, "/readyz", speaksTLS: true)
        }
        await #expect(throws: StartError("what listens on \(address) does not speak HTTP")) {
            try await HealthProbe.ask(address, "/livez")
        }
        try await server.stop()
    }

    @Test func `A new certificate is shown to new connections, and old ones go on`() async throws {
        let server = try await self.server()
        let door = try #require(server.tls)
        let client = try await server.connect(self.trust(["h2"]))
        let number = try #require(try await client.certificateNumber())
        try self.workshop.makeCertificate("renewed", signedBy: "ca")
        try self.workshop.replace("server.key", by: "renewed.key")
        try self.workshop.replace("server.pem", by: "renewed.pem")
        door.reload(.init(label: "test"))
        let renewed = try await server.connect(self.trust(["h2"])).certificateNumber()
        #expect(renewed != nil && renewed != number)
        #expect(try await client.certificateNumber() == number)
        try await server.stop()
    }

    @Test
    func `Plain text, old versions and those who believe another authority come to no handshake, which is counted`()
        async throws
    {
        let server = try await self.server()
        #expect(!(try await server.exchange(Self.request)).contains("Ok"))
        for change: (inout TLSConfiguration) -> Void in [
            {
                $0.minimumTLSVersion = .tlsv1
                $0.maximumTLSVersion = .tlsv11
            }, { $0.trustRoots = .certificates([]) },
        ] {
            #expect(try await server.exchange(Self.request, self.trust(["http/1.1"], change)) == "")
        }
        // The server may hear of the last after its client does.
        try await server.stop()
        #expect(server.services.refusals[.tls] == 3)
    }

    @Test func `A handshake that goes on slowly ends with the time for it, and gives its place back`() throws {
        let refusals = ConnectionRefusals { _ in }
        let places = HandshakePlaces(countMax: 4, countPerAddressMax: 1)
        let budget = ByteBudget(bytesMax: 1 << 20)
        let door = TLSDoor(
            try ServerTLS(self.files, disk: RealDisk()),
            handshakes: places,
            refusals: refusals
        )
        let channel = EmbeddedChannel()
        try door.configure(channel, budget: budget)
        try channel.pipeline.syncOperations.addHandler(
            ProtocolSniffer(timeLimit: Listener.sniffTimeLimit) { _, _ in Issue.record("nothing was said") }
        )
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        #expect(budget.drawnBytes == TLSDoor.keptBytes)
        let second = EmbeddedChannel()
        #expect(throws: TLSDoor.NoRoom.self) { try door.configure(second, budget: budget) }
        second.close(promise: nil)
        second.embeddedEventLoop.run()
        // The start of a ClientHello.
        try channel.writeInbound(ByteBuffer(bytes: [22, 3, 1]))
        channel.embeddedEventLoop.advanceTime(by: Listener.sniffTimeLimit - .nanoseconds(1))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .nanoseconds(1))
        channel.embeddedEventLoop.run()
        #expect(!channel.isActive)
        #expect(refusals[.tls] == 1 && refusals[.handshakes] == 1)
        #expect(budget.drawnBytes == 0)
        #expect(places.take(PeerAddress(nil)))
    }

    @Test func `Handshakes are bounded in all and from one address`() throws {
        let places = HandshakePlaces(connectionsMax: 12, connectionsPerAddressMax: 8)
        let addresses = try (1...3).map { PeerAddress(try SocketAddress(ipAddress: "10.0.0.\($0)", port: 1)) }
        #expect(places.take(addresses[0]) && places.take(addresses[0]) && !places.take(addresses[0]))
        #expect(places.take(addresses[1]) && !places.take(addresses[2]))
        places.giveBack(addresses[0])
        #expect(places.take(addresses[2]))
        // Three are under way.
        places.setBounds(connectionsMax: 16, connectionsPerAddressMax: 4)
        #expect(!places.take(addresses[0]) && !places.take(addresses[1]))
        places.setBounds(connectionsMax: 16, connectionsPerAddressMax: 8)
        #expect(places.take(addresses[0]) && !places.take(addresses[1]))
    }

    @Test(arguments: [
        (["--tls-certificate", "c"], "--tls-key FILE is missing: TLS is served with --tls-certificate and --tls-key"),
        (["--tls-key", "k"], "--tls-certificate FILE is missing: TLS is served with --tls-certificate and --tls-key"),
    ])
    func `A certificate wants its key`(_ arguments: [String], _ sentence: String) throws {
        let configuration = try SettingsReader(arguments: arguments, environment: [:]).read().configuration
        let error = #expect(throws: StartError.self) { try BrasaServer.tls(configuration) }
        #expect(error?.description == sentence)
    }

    @Test func `Files that TLS cannot be served with are named before the start`() throws {
        let configuration = RunningServer.configuration {
            $0.tlsCertificate = self.workshop.path("server.pem")
            $0.tlsKey = self.workshop.path("ca.key")
        }
        let error = #expect(throws: StartError.self) { try BrasaServer.tls(configuration) }
        #expect(error?.description.hasPrefix("cannot serve TLS: ") == true)
        #expect(error?.description.contains("ca.key") == true)
    }
}
