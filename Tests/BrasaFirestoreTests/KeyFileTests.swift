import BrasaCredentials
import Foundation
import Testing

@testable import BrasaFirestore

/// A key file that no token comes of says why. That its tokens are believed is shown with a server (Tests/Clients/test_key_file.py).
@Suite struct KeyFileTests {
    private func file(_ text: String) throws -> String {
        let url = FileManager.default.temporaryDirectory.appending(path: "brasa-key-\(UUID().uuidString).json")
        try Data(text.utf8).write(to: url)
        return url.path()
    }

    private func place(_ host: String, isEncrypted: Bool = true) -> ServerPlace {
        ServerPlace(host: host, isEncrypted: isEncrypted, isEmulator: false)
    }

    private func fault(_ path: String, _ place: ServerPlace) throws -> String {
        var settings = FirestoreSettings.Values()
        settings.keyFile = path
        guard case .keyFile(let file) = TokenChoice(settings, place) else { return "no key file" }
        do throws(KeyFileError) {
            return try file.token(at: 0)
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        "", "{", "[]", "{}",
        #"{"private_key_id":"k","client_email":"app@demo.brasa"}"#,
        #"{"private_key_id":"k","client_email":"app@demo.brasa","private_key":"-----BEGIN PRIVATE KEY-----"}"#,
    ])
    func `A file that is none is named`(_ text: String) throws {
        let path = try self.file(text)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let said = try self.fault(path, self.place("db.example"))
        #expect(said == "\(path) is no key file as `brasa keys create` prints it.")
    }

    @Test func `A file that cannot be read is named`() throws {
        let said = try self.fault("/nowhere/key.json", self.place("db.example"))
        #expect(said == "The key file /nowhere/key.json cannot be read.")
    }

    @Test(arguments: [
        ("db.example", false), ("10.0.0.1:8080", false), ("localhost.example", false), ("127.example", false),
        ("localhost", true), ("127.0.0.1:8080", true), ("[::1]:8080", true),
    ])
    func `A key's token is shown in plain text to this machine only`(_ host: String, _ isShown: Bool) throws {
        let said = try self.fault("/nowhere/key.json", self.place(host, isEncrypted: false))
        #expect((said == "The key file /nowhere/key.json cannot be read.") == isShown, "\(said)")
    }

    @Test func `Nobody's key is taken where none is named`() {
        let choice = TokenChoice(FirestoreSettings.Values(), self.place("localhost", isEncrypted: false))
        guard case .fixed("owner") = choice else {
            Issue.record("\(choice)")
            return
        }
    }
}
