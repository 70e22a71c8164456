import BrasaTreeWire
import Testing

struct HandshakeTests {
    private func handshake(_ host: String, _ query: String) throws -> TreeHandshake {
        let parameters = query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : "")
        }
        return try TreeHandshake(host: host, parameters: parameters)
    }

    @Test(arguments: [
        ("127.0.0.1:9000", "v=5&ns=demo", "demo"), ("chat.firebaseio.com", "v=5", "chat"),
        ("Chat.europe-west1.firebasedatabase.app:443", "v=5", "chat"), ("chat.firebaseio.com", "ns=other&v=5", "other"),
        ("chat.firebaseio.com", "v=5&ns=", "chat"),
    ])
    func `The database is the one that is named, or the host's first label`(
        _ host: String,
        _ query: String,
        _ database: String
    ) throws {
        #expect(try self.handshake(host, query).database == database)
    }

    @Test(arguments: ["127.0.0.1:9000", "localhost", "localhost:9000", "[::1]:9000", "a.b", "..", ""])
    func `Hosts that name no database`(_ host: String) {
        #expect(throws: TreeHandshake.Fault.noDatabase) { try self.handshake(host, "v=5") }
    }

    @Test(arguments: ["", "ns=x", "v=4&ns=x", "v=&ns=x", "v=50&ns=x"])
    func `Other versions are refused`(_ query: String) {
        guard
            case .unsupportedVersion? = #expect(
                throws: TreeHandshake.Fault.self,
                performing: { try self.handshake("h", query) }
            )
        else {
            Issue.record("taken for version 5")
            return
        }
    }

    @Test func `A client says which session it had`() throws {
        let again = try self.handshake("h", "v=5&ns=x&ls=Kp3&p=1:2:web:3")
        #expect(again.lastSession == "Kp3")
        #expect(again.application == "1:2:web:3")
        #expect(try self.handshake("h", "v=5&ns=x&ls=").lastSession == nil)
    }
}
