import BrasaCertificates
import BrasaPlatform
import BrasaTokens
import Foundation
import NIOCore
import Synchronization
import Testing

@testable import BrasaDatabase
@testable import BrasaServer

/// The client and a server over TLS, with certificates of an authority that nobody else trusts.
@Suite("Over TLS", .timeLimit(.minutes(1)))
struct TLSTests {
    private let workshop: CertificateWorkshop

    init() throws {
        self.workshop = try CertificateWorkshop()
        for name in ["ca", "other"] { try self.workshop.makeAuthority(name) }
        try self.workshop.makeCertificate("server", signedBy: "ca")
    }

    private func server() async throws -> TreeServerForTest {
        try await TreeServerForTest {
            $0.tlsCertificate = self.workshop.path("server.pem")
            $0.tlsKey = self.workshop.path("server.key")
        }
    }

    private func client(of server: TreeServerForTest, host: String = "localhost", roots: String?) -> Database {
        let database = Databases.at("https://\(host):\(server.port)?ns=demo")
        database.trustedRootsFile = roots.map { self.workshop.path($0) }
        return database
    }

    @Test("A server whose certificate a given authority has signed is believed")
    func believed() async throws {
        let server = try await self.server()
        let (writer, reader) = (self.client(of: server, roots: "ca.pem"), self.client(of: server, roots: "ca.pem"))
        let lines = Lines()
        _ = reader.reference(withPath: "a").say(to: lines)
        #expect(await lines.next() == ["null"])
        let text = String(repeating: "🦖", count: 50_000)
        try await writer.reference(withPath: "a").setValue(text)
        #expect(await lines.next() == ["\"\(text)\""])
        // Another connection, after the first one's end.
        reader.goOffline()
        reader.goOnline()
        try await writer.reference(withPath: "a").setValue(1)
        #expect(await lines.next() == ["1"])
        for database in [writer, reader] { database.goOffline() }
        try await server.stop()
    }

    @Test(
        "A server of another authority, of another name, or without TLS is told nothing",
        arguments: [
            ("localhost", "other.pem", true), ("localhost", nil, true), ("127.0.0.1", "ca.pem", true),
            ("localhost", "ca.pem", false), ("localhost", "nowhere.pem", true),
        ]
    )
    func refused(_ host: String, _ roots: String?, _ isServerEncrypted: Bool) async throws {
        let server = isServerEncrypted ? try await self.server() : try await TreeServerForTest()
        let stranger = self.client(of: server, host: host, roots: roots)
        let connected = Lines()
        _ = stranger.reference(withPath: ".info/connected").say(to: connected)
        #expect(await connected.next() == ["false"])
        stranger.reference(withPath: "a").setValue("secret", withCompletionBlock: nil)
        let error = await #expect(throws: NSError.self) { try await stranger.reference(withPath: "b").getData() }
        #expect(error?.localizedDescription.hasPrefix("Unable to get latest value") == true)
        connected.say("end")
        #expect(await connected.next() == ["end"])
        let friend = isServerEncrypted ? self.client(of: server, roots: "ca.pem") : try server.database()
        #expect(try await !friend.reference(withPath: "a").getData().exists())
        for database in [stranger, friend] { database.goOffline() }
        try await server.stop()
    }

    /// A server that knows two keys, whose files are `operator.json` and `other.json`.
    private func serverWithKeys() async throws -> (AdministratorKeyStore, TreeServerForTest) {
        let data = self.workshop.path("data")
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        let keys = AdministratorKeyStore(disk: RealDisk(), dataDirectory: data)
        // While one stays, the server is not open to everybody when the other has gone.
        for name in ["operator", "other"] {
            let key = try keys.create(
                name,
                role: .administrator,
                databases: [],
                project: "demo",
                server: "https://localhost",
                clock: .system,
                entropy: .system
            )
            try Data(key.utf8).write(to: URL(filePath: self.workshop.path("\(name).json")))
        }
        let server = try await TreeServerForTest(folder: data) {
            $0.tlsCertificate = self.workshop.path("server.pem")
            $0.tlsKey = self.workshop.path("server.key")
        }
        return (keys, server)
    }

    @Test("A key file that is replaced is taken up by the open connection")
    func renewal() async throws {
        let (keys, server) = try await self.serverWithKeys()
        let database = self.client(of: server, roots: "ca.pem")
        database.keyFile = self.workshop.path("operator.json")
        try await database.reference(withPath: "a").setValue(1)
        let connected = Lines()
        _ = database.reference(withPath: ".info/connected").say(to: connected)
        #expect(await connected.next() == ["true"])
        let seen = server.callersSeen
        let other = try Data(contentsOf: URL(filePath: self.workshop.path("other.json")))
        try other.write(to: URL(filePath: self.workshop.path("operator.json")), options: .atomic)
        database.refreshToken()
        while server.callersSeen == seen { try await Task.sleep(for: .milliseconds(50)) }
        try keys.delete("operator")
        await server.reloadKeys()
        // By then the server would have ended what the first key let in.
        try await Task.sleep(for: .seconds(7))
        #expect(try await database.reference(withPath: "a").getData().value as? Int == 1)
        connected.say("end")
        #expect(await connected.next() == ["end"])
        database.goOffline()
        try await server.stop()
    }

    @Test("A key file signs a client's tokens: it is the administrator whom the key names, until that goes")
    func keyFile() async throws {
        let (keys, server) = try await self.serverWithKeys()
        let (named, nobody) = (self.client(of: server, roots: "ca.pem"), self.client(of: server, roots: "ca.pem"))
        named.keyFile = self.workshop.path("operator.json")
        let ref = named.reference(withPath: "a")
        try await ref.setValue("secret")
        #expect(try await ref.getData().value as? String == "secret")
        await #expect(throws: NSError.self) { try await nobody.reference(withPath: "a").getData() }

        let connected = Lines()
        _ = named.reference(withPath: ".info/connected").say(to: connected)
        #expect(await connected.next() == ["true"])
        try keys.delete("operator")
        await server.reloadKeys()
        #expect(await connected.next() == ["false"])
        await #expect(throws: NSError.self) { try await named.reference(withPath: "b").getData() }
        for database in [named, nobody] { database.goOffline() }
        try await server.stop()
    }
}
