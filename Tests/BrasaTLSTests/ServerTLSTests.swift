import BrasaCertificates
import BrasaPlatform
import NIOCore
import NIOSSL
import Synchronization
import Testing

@testable import BrasaTLS

@Suite struct ServerTLSTests {
    /// `server.pem` and `server.key`, signed by `root`.
    private func workshop() throws -> CertificateWorkshop {
        let workshop = try CertificateWorkshop()
        try workshop.makeAuthority("root")
        try workshop.makeCertificate("server", signedBy: "root")
        return workshop
    }

    private func tls(_ workshop: CertificateWorkshop, clientAuthorities: String? = nil) throws -> ServerTLS {
        let files = TLSFiles(
            certificateChain: workshop.path("server.pem"),
            privateKey: workshop.path("server.key"),
            clientAuthorities: clientAuthorities.map(workshop.path)
        )
        return try ServerTLS(files, disk: RealDisk())
    }

    private func client(_ workshop: CertificateWorkshop, protocols: [String] = ["h2"]) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(workshop.path("root.pem")))
        configuration.applicationProtocols = protocols
        return configuration
    }

    @Test(
        arguments: [
            (["h2", "http/1.1"], "h2"), (["http/1.1", "h2"], "h2"), (["http/1.1"], "http/1.1"), ([], nil),
            (["spdy/3"], nil),
        ] as [([String], String?)]
    )
    func `A client is offered HTTP 2 and HTTP 1.1, and may name neither`(
        _ protocols: [String],
        _ negotiated: String?
    ) async throws {
        let workshop = try self.workshop()
        let server = try await EchoServer(self.tls(workshop))
        let client = try await EchoClient.connect(server.port, self.client(workshop, protocols: protocols))
        #expect(client.negotiated == negotiated)
        #expect(try await client.echo("a") == "a")
        try await client.channel.close()
        try await server.stop()
    }

    @Test func `Nothing older than TLS 1.2 is spoken`() async throws {
        let workshop = try self.workshop()
        let server = try await EchoServer(self.tls(workshop))
        for (version, isSpoken) in [
            (TLSVersion.tlsv1, false), (.tlsv11, false), (.tlsv12, true), (.tlsv13, true),
        ] {
            var configuration = try self.client(workshop)
            (configuration.minimumTLSVersion, configuration.maximumTLSVersion) = (version, version)
            let client = try? await EchoClient.connect(server.port, configuration)
            #expect((client != nil) == isSpoken, "\(version)")
            #expect(client?.version == (isSpoken ? version : nil))
            try await client?.channel.close()
        }
        try await server.stop()
    }

    @Test func `Renewed files are for new connections; those that are open go on`() async throws {
        let workshop = try self.workshop()
        let tls = try self.tls(workshop)
        let server = try await EchoServer(tls)
        let configuration = try self.client(workshop)
        let early = try await EchoClient.connect(server.port, configuration)
        #expect(tls.reload() == .unchanged)

        try workshop.makeCertificate("renewed", signedBy: "root", days: 5)
        try workshop.replace("server.pem", by: "renewed.pem")
        // Met half done: the certificate is the new one, the key still the old one's.
        #expect(
            tls.reload()
                == .failed(
                    .unfit(certificateChain: workshop.path("server.pem"), privateKey: workshop.path("server.key"))
                )
        )
        #expect(tls.reload() == .unchanged, "it is said once")
        let between = try await EchoClient.connect(server.port, configuration)
        #expect(between.serial == early.serial)

        try workshop.replace("server.key", by: "renewed.key")
        let expires = tls.certificate.expiresSeconds
        guard case .changed(let certificate) = tls.reload() else {
            Issue.record("not changed")
            return
        }
        #expect(certificate.expiresSeconds > expires)
        #expect(tls.certificate == certificate)
        let late = try await EchoClient.connect(server.port, configuration)
        #expect(late.serial != early.serial)
        for client in [early, between, late] {
            #expect(try await client.echo("a") == "a")
            try await client.channel.close()
        }
        try await server.stop()
    }

    @Test func `Of two readings at once the one that began later has the last word`() throws {
        let workshop = try self.workshop()
        try workshop.makeCertificate("renewed", signedBy: "root", days: 5)
        let disk = HookedDisk(path: workshop.path("root.pem"))
        let tls = try ServerTLS(
            TLSFiles(
                certificateChain: workshop.path("server.pem"),
                privateKey: workshop.path("server.key"),
                clientAuthorities: workshop.path("root.pem")
            ),
            disk: disk
        )
        let before = tls.certificate
        // By now the early reading has the old certificate and its key.
        disk.hook.withLock {
            $0 = {
                try? workshop.replace("server.pem", by: "renewed.pem")
                try? workshop.replace("server.key", by: "renewed.key")
                _ = tls.reload()
            }
        }
        #expect(tls.reload() == .unchanged)
        #expect(tls.certificate != before)
        #expect(tls.reload() == .unchanged)
    }

    @Test func `A client may show a certificate of the authorities that are named, and no other`() async throws {
        let workshop = try self.workshop()
        try workshop.makeAuthority("staff")
        try workshop.makeAuthority("strangers")
        try workshop.makeCertificate("admin", signedBy: "staff")
        try workshop.makeCertificate("eve", signedBy: "strangers")
        let server = try await EchoServer(self.tls(workshop, clientAuthorities: "staff.pem"))
        for (name, isTaken) in [(nil, true), ("admin", true), ("eve", false)] as [(String?, Bool)] {
            for version in [TLSVersion.tlsv12, .tlsv13] {
                var configuration = try self.client(workshop)
                (configuration.minimumTLSVersion, configuration.maximumTLSVersion) = (version, version)
                if let name {
                    let chain = try NIOSSLCertificate.fromPEMFile(workshop.path("\(name).pem"))
                    configuration.certificateChain = chain.map { .certificate($0) }
                    configuration.privateKey = .privateKey(
                        try NIOSSLPrivateKey(file: workshop.path("\(name).key"), format: .pem)
                    )
                }
                let client = try? await EchoClient.connect(server.port, configuration)
                #expect((client != nil) == isTaken, "\(name ?? "none"), \(version)")
                try await client?.channel.close()
            }
        }
        try await server.stop()
    }

    @Test func `What is wrong with a file is told with its name`() throws {
        let workshop = try self.workshop()
        try workshop.makeCertificate("other", signedBy: "root")
        try workshop.write("", to: "empty")
        try workshop.write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", to: "torn.pem")
        try workshop.write(String(repeating: "x", count: (1 << 20) + 1), to: "long")
        try workshop.openssl(
            "pkcs8",
            "-topk8",
            "-v2",
            "aes128",
            "-passout",
            "pass:secret",
            "-in",
            "server.key",
            "-out",
            "locked.key"
        )
        let (chain, key) = ("server.pem", "server.key")
        func error(_ chain: String, _ key: String, _ authorities: String? = nil) -> TLSFileError? {
            do throws(TLSFileError) {
                _ = try ServerTLS(
                    TLSFiles(
                        certificateChain: workshop.path(chain),
                        privateKey: workshop.path(key),
                        clientAuthorities: authorities.map(workshop.path)
                    ),
                    disk: RealDisk()
                )
                return nil
            } catch {
                return error
            }
        }
        #expect(error(chain, key) == nil)
        #expect(error("none", key) == .unreadable(DiskError(operation: .open, path: workshop.path("none"), errno: 2)))
        #expect(error(chain, "none") == .unreadable(DiskError(operation: .open, path: workshop.path("none"), errno: 2)))
        #expect(error("long", key) == .tooLong(path: workshop.path("long")))
        for path in ["empty", "torn.pem", "server.key"] {
            #expect(error(path, key) == .noCertificate(path: workshop.path(path)))
            #expect(error(chain, key, path) == .noCertificate(path: workshop.path(path)))
        }
        for path in ["empty", "torn.pem", "server.pem", "locked.key"] {
            #expect(error(chain, path) == .noPrivateKey(path: workshop.path(path)))
        }
        #expect(
            error(chain, "other.key")
                == .unfit(certificateChain: workshop.path(chain), privateKey: workshop.path("other.key"))
        )
        for wrong in [error("none", key), error("empty", key), error(chain, "locked.key"), error(chain, "other.key")] {
            #expect(wrong?.description.contains(workshop.folder) == true)
        }
    }
}

/// Calls a hook before it opens a file, once.
private final class HookedDisk: Disk {
    let hook = Mutex<(@Sendable () -> Void)?>(nil)
    private let disk = RealDisk()
    private let path: String

    init(path: String) { self.path = path }

    func open(_ path: String, _ mode: DiskOpenMode) throws(DiskError) -> any DiskFile {
        if path == self.path {
            let hook = self.hook.withLock { hook in
                defer { hook = nil }
                return hook
            }
            hook?()
        }
        return try self.disk.open(path, mode)
    }

    func createDirectory(_ path: String) throws(DiskError) { try self.disk.createDirectory(path) }
    func list(_ directory: String) throws(DiskError) -> [String] { try self.disk.list(directory) }
    func exists(_ path: String) -> Bool { self.disk.exists(path) }
    func rename(_ path: String, to newPath: String) throws(DiskError) { try self.disk.rename(path, to: newPath) }
    func remove(_ path: String) throws(DiskError) { try self.disk.remove(path) }
    func syncDirectory(_ path: String) throws(DiskError) { try self.disk.syncDirectory(path) }
    func lock(_ path: String) throws(DiskLockError) -> any DiskLock { try self.disk.lock(path) }
}
