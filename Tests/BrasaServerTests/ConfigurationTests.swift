import Testing

@testable import BrasaServer

@Suite struct ConfigurationTests {
    @Test func `The command line wins over the environment, and that over the default`() throws {
        let reader = SettingsReader(environment: ["BRASA_DATA_DIR": "two"])
        let parse: (String) -> String? = { $0 }
        #expect(try reader.read("data-dir", "one", default: "three", takes: "a folder", parse: parse) == "one")
        #expect(try reader.read("data-dir", nil, default: "three", takes: "a folder", parse: parse) == "two")
        #expect(try reader.read("listen", nil, default: "three", takes: "a folder", parse: parse) == "three")
    }

    @Test func `A value that is refused is named as the user wrote it`() {
        let reader = SettingsReader(environment: ["BRASA_SHARDS": "many"])
        func message(_ argument: String?) -> String? {
            do {
                _ = try reader.read("shards", argument, default: 1, takes: "a number", parse: { Int($0) })
                return nil
            } catch {
                return "\(error)"
            }
        }
        #expect(message("x") == "--shards takes a number, not \"x\"")
        #expect(message(nil) == "BRASA_SHARDS takes a number, not \"many\"")
    }

    @Test(arguments: [("true", true), ("1", true), ("yes", true), ("false", false), ("0", false), ("", false)])
    func `A flag in the environment is true or false`(_ text: String, _ expected: Bool) throws {
        let reader = SettingsReader(environment: ["BRASA_EMULATOR": text])
        #expect(try reader.read(flag: "emulator", false) == expected)
        #expect(try reader.read(flag: "emulator", true))
    }

    @Test func `A flag that is neither is refused`() {
        let reader = SettingsReader(environment: ["BRASA_EMULATOR": "maybe"])
        #expect(throws: StartError.self) { try reader.read(flag: "emulator", false) }
    }

    @Test(arguments: [
        ("16M", 16 << 20), ("16777216", 16 << 20), ("2G", 2 << 30), ("16777215", nil), ("15M", nil), ("1", nil),
        ("0", nil), ("much", nil),
    ])
    func `Connections are given memory for a few documents at least`(_ text: String, _ expected: Int?) {
        #expect(ServerConfiguration.connectionBytes(parsing: text) == expected)
    }

    @Test(arguments: [(16 << 20, 64 << 20), (256 << 20, 64 << 20), (512 << 20, 128 << 20), (4 << 30, 1 << 30)])
    func `The requests of one connection may take a quarter of what all have`(_ all: Int, _ one: Int) throws {
        let configuration = RunningServer.configuration { $0.connectionBytesMax = all }
        #expect(configuration.requestBytesMax == one)
    }
}
