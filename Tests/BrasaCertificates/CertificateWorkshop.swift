import Foundation

/// A folder of its own with what `openssl` makes of it, removed at the end.
package final class CertificateWorkshop: Sendable {
    package struct Failure: Error {
        let command: String
    }

    package let folder: String

    package init() throws {
        self.folder = NSTemporaryDirectory() + "brasa-tls-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.folder) }

    package func path(_ name: String) -> String { "\(self.folder)/\(name)" }

    package func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: self.path(name)))
    }

    /// Puts a file where another is, as whoever renews certificates does.
    package func replace(_ name: String, by other: String) throws {
        try Data(contentsOf: URL(fileURLWithPath: self.path(other))).write(
            to: URL(fileURLWithPath: self.path(name)),
            options: .atomic
        )
    }

    /// `NAME.pem` and `NAME.key`, an authority.
    package func makeAuthority(_ name: String) throws {
        try self.makeKey(name)
        try self.openssl(
            "req",
            "-x509",
            "-key",
            "\(name).key",
            "-days",
            "2",
            "-subj",
            "/CN=\(name)",
            "-out",
            "\(name).pem"
        )
    }

    /// `NAME.pem` and `NAME.key`, for localhost, signed by an authority.
    package func makeCertificate(_ name: String, signedBy authority: String, days: Int = 2) throws {
        try self.makeKey(name)
        try self.openssl("req", "-new", "-key", "\(name).key", "-subj", "/CN=\(name)", "-out", "\(name).csr")
        try self.write("subjectAltName=DNS:localhost\n", to: "\(name).ext")
        try self.openssl(
            "x509",
            "-req",
            "-in",
            "\(name).csr",
            "-CA",
            "\(authority).pem",
            "-CAkey",
            "\(authority).key",
            "-CAcreateserial",
            "-days",
            "\(days)",
            "-extfile",
            "\(name).ext",
            "-out",
            "\(name).pem"
        )
    }

    private func makeKey(_ name: String) throws {
        try self.openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "\(name).key")
    }

    package func openssl(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: self.folder)
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(command: arguments.joined(separator: " ")) }
    }
}
