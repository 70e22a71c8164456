import Foundation
import Logging
import NIOConcurrencyHelpers
import Testing

@testable import BrasaServer

@Suite struct SettingsTests {
    private func read(_ arguments: [String], _ environment: [String: String] = [:]) throws -> ServerConfiguration {
        try SettingsReader(arguments: arguments, environment: environment).read().configuration
    }

    private func refusal(_ arguments: [String], _ environment: [String: String] = [:]) -> String? {
        do {
            _ = try self.read(arguments, environment)
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// What it says of every setting, to compare configurations by.
    private func texts(_ configuration: ServerConfiguration) -> [String] { Setting.all.map { $0.text(configuration) } }

    @Test func `The command line wins over the environment, and that over the default`() throws {
        let environment = ["BRASA_DATA_DIR": "two"]
        #expect(try self.read(["--data-dir", "one"], environment).dataDirectory == "one")
        #expect(try self.read([], environment).dataDirectory == "two")
        #expect(try self.read([]).dataDirectory == "./brasa-data")
    }

    @Test(arguments: [
        ("listen", "[::1]:9", "[::1]:9"), ("data-dir", "/a b", "/a b"), ("durability", "os", "os"),
        ("shards", "256", "256"), ("threads", "7", "7"), ("history", "90s", "90s"), ("index-memory", "2048M", "2G"),
        ("metrics-address", "[::1]:7", "[::1]:7"), ("max-memory", "2048M", "2G"), ("slow-call", "250ms", "250ms"),
        ("log-format", "json", "json"), ("index-idle", "48h", "2d"), ("connection-memory", "16384K", "16M"),
        ("connections", "5", "5"),
        ("connections-per-address", "6", "6"), ("calls-per-second", "9", "9"), ("streams-per-caller", "8", "8"),
        ("listeners-per-caller", "7", "7"), ("bytes-per-caller", "8192K", "8M"),
        ("receive-time", "1500ms", "1500ms"),
        ("emulator", "yes", "true"),
        ("tls-certificate", "/c.pem", "/c.pem"), ("tls-key", "/k.pem", "/k.pem"),
        ("tls-client-ca", "/a.pem", "/a.pem"), ("issuers", "/i.json", "/i.json"), ("firebase-project", "demo", "demo"),
        ("insecure", "1", "true"), ("rules", "/f.rules", "/f.rules"),
        ("tree-rules", "/f.json", "/f.json"),
        ("log-level", "trace", "trace"),
    ])
    func `Each sets its field and no other, whichever way it is said`(
        _ name: String,
        _ text: String,
        _ value: String
    ) throws {
        let setting = try #require(Setting.named(name))
        let index = try #require(Setting.all.firstIndex { $0.name == name })
        var expected = self.texts(ServerConfiguration())
        #expect(expected[index] != value)
        expected[index] = value
        #expect(try self.texts(self.read(["--\(name)=\(text)"])) == expected)
        #expect(try self.texts(self.read([], [setting.variable: text])) == expected)
        if !setting.isFlag { #expect(try self.texts(self.read(["--\(name)", text])) == expected) }
    }

    @Test func `Every setting has a case above, and a name of its own`() {
        #expect(Setting.all.count == 30)
        #expect(Set(Setting.all.map(\.name)).count == Setting.all.count)
        #expect(Setting.named("connection-memory")?.variable == "BRASA_CONNECTION_MEMORY")
    }

    @Test func `A bound of memory has to be more than what connections may take of it`() throws {
        try self.read([]).checkMemory()
        try self.read(["--max-memory=32M", "--connection-memory=16M"]).checkMemory()
        #expect(
            throws: StartError(
                "--max-memory 512M leaves nothing for documents: --connection-memory 512M is a part of it"
            )
        ) {
            try self.read(["--max-memory=512M"]).checkMemory()
        }
        #expect(self.refusal(["--max-memory=31M"])?.contains("a number of bytes from 32M") == true)
    }

    @Test func `Of an option that stands there twice the last one counts`() throws {
        #expect(try self.read(["--shards", "1", "--shards=2"]).shards == 2)
    }

    @Test(arguments: [
        (["--shards", "x"], "--shards takes a number from 1 to 256, not \"x\""),
        (["--shards=0"], "--shards takes a number from 1 to 256, not \"0\""),
        (["--threads=257"], "--threads takes a number from 1 to 256, not \"257\""),
        (["--listen", "here"], "--listen takes HOST:PORT, not \"here\""),
        (["--data-dir", ""], "--data-dir takes a folder, not \"\""),
        (["--durability", "disk"], "--durability takes fsync, os or memory, not \"disk\""),
        (
            ["--log-level=loud"],
            "--log-level takes trace, debug, info, notice, warning, error or critical, not \"loud\""
        ),
        (["--history", "1w"], "--history takes a duration, such as 500ms, 90s, 30m, 1h or 7d, not \"1w\""),
        (
            ["--receive-time", "0s"],
            "--receive-time takes a duration above zero, such as 500ms, 90s, 30m, 1h or 7d, not \"0s\""
        ),
        (["--index-memory", "1T"], "--index-memory takes a number of bytes, such as 256M or 2G, not \"1T\""),
        (
            ["--connection-memory", "15M"],
            "--connection-memory takes a number of bytes from 16M, such as 256M or 2G, not \"15M\""
        ),
        (["--connections", "0"], "--connections takes a number from 1, not \"0\""),
        (["--emulator=maybe"], "--emulator takes true or false, not \"maybe\""),
        (["--shards"], "--shards takes a number from 1 to 256, and there is nothing behind it"),
        (["data"], "serve takes options only, not \"data\""),
        (["-v"], "serve takes options only, not \"-v\""),
    ])
    func `What is refused is named as it was written, with what is accepted`(
        _ arguments: [String],
        _ message: String
    ) {
        #expect(self.refusal(arguments) == message)
    }

    @Test func `A variable that is refused is named as the variable`() {
        #expect(
            self.refusal([], ["BRASA_SHARDS": "many"]) == "BRASA_SHARDS takes a number from 1 to 256, not \"many\""
        )
        #expect(self.refusal([], ["BRASA_EMULATOR": "maybe"]) == "BRASA_EMULATOR takes true or false, not \"maybe\"")
    }

    @Test(arguments: ["--shard", "--shard=4", "--sahrds", "--Shards"])
    func `An option that there is not is refused with those that there are`(_ argument: String) throws {
        let message = try #require(self.refusal([argument, "4"]))
        #expect(message.contains("is no option of serve; the nearest is --shards"))
        for setting in Setting.all { #expect(message.contains(setting.option)) }
    }

    @Test(arguments: [("true", true), ("1", true), ("yes", true), ("false", false), ("0", false), ("", false)])
    func `A flag in the environment is true or false, and true where it stands alone`(
        _ text: String,
        _ expected: Bool
    ) throws {
        #expect(try self.read([], ["BRASA_EMULATOR": text]).emulator == expected)
        #expect(try self.read(["--emulator"], ["BRASA_EMULATOR": text]).emulator)
        #expect(try self.read(["--insecure", "--shards", "3"], ["BRASA_EMULATOR": text]).shards == 3)
    }

    @Test(arguments: [(16 << 20, 64 << 20), (256 << 20, 64 << 20), (512 << 20, 128 << 20), (4 << 30, 1 << 30)])
    func `The requests of one connection may take a quarter of what all have`(_ all: Int, _ one: Int) throws {
        let configuration = RunningServer.configuration { $0.connectionBytesMax = all }
        #expect(configuration.requestBytesMax == one)
    }

    @Test func `A default can be said`() throws {
        for setting in Setting.all where !setting.defaultText.contains(" ") && !setting.isFlag {
            let said = try self.read([setting.option, setting.defaultText])
            #expect(self.texts(said) == self.texts(ServerConfiguration()), "\(setting.name)")
        }
    }

    // MARK: A file

    private func read(
        file: String,
        _ arguments: [String] = ["--config", "b.yaml"],
        _ environment: [String: String] = [:]
    ) throws -> SaidSettings {
        try SettingsReader(arguments: arguments, environment: environment) { (path) throws(StartError) in
            guard path == "b.yaml" else { throw StartError("no such file") }
            return file
        }.read()
    }

    @Test func `A file says what neither the command line nor the environment does`() throws {
        let file = "shards: 1\nthreads: 1\nlog-level: debug\nemulator: true\n"
        let said = try self.read(
            file: file,
            ["--config=b.yaml", "--shards=3", "--emulator=false"],
            ["BRASA_THREADS": "2"]
        )
        #expect(said.configuration.shards == 3 && said.configuration.threads == 2)
        #expect(said.configuration.logLevel == .debug && !said.configuration.emulator)
        #expect(
            said.sources == [
                "shards": "--shards", "emulator": "--emulator", "threads": "BRASA_THREADS",
                "log-level": "b.yaml:3",
            ]
        )
        #expect(try self.read(file: file, [], ["BRASA_CONFIG": "b.yaml"]).configuration.shards == 1)
        #expect(try self.read(file: file, [], [:]).configuration.shards == 4)
    }

    @Test(arguments: [
        ("# one\nmax-memroy: 2G", "b.yaml:2: there is no setting max-memroy; the nearest is max-memory"),
        ("config: c.yaml", "b.yaml:1: there is no setting config; the nearest is listen"),
        ("shards: x", "b.yaml:1: shards takes a number from 1 to 256, not \"x\""),
        ("shards: 1\nshards: 1", "b.yaml:2: shards stands in line 1, too"),
        ("shards", "b.yaml:1: a line is as in `max-memory: 2G`"),
        ("listen:\n  host: a", "b.yaml:1: listen has no value"),
    ])
    func `What cannot be meant is refused with its line`(_ file: String, _ message: String) {
        #expect(throws: StartError(message)) { try self.read(file: file) }
    }

    /// What another place says, the file may not say wrongly either.
    @Test func `A file that is not there, is too long or no text is refused`() throws {
        #expect(self.refusal(["--config", "/nowhere/b.yaml"])?.hasPrefix("cannot read /nowhere/b.yaml: ") == true)
        #expect(self.refusal(["--config"]) == "--config takes a file, and there is nothing behind it")
        let folder = try TemporaryFolder()
        let path = folder.path + "/b.yaml"
        try Data(repeating: 0x23, count: (1 << 20) + 1).write(to: URL(filePath: path))
        #expect(self.refusal(["--config", path]) == "\(path) is longer than 1048576 bytes")
        try Data([0x23, 0xFF]).write(to: URL(filePath: path))
        #expect(self.refusal(["--config", path]) == "\(path) is not UTF-8")
        try Data("shards: 9".utf8).write(to: URL(filePath: path))
        #expect(try self.read(["--config", path]).shards == 9)
    }

    @Test func `What is printed is a file that says the same`() throws {
        let said = try self.read(
            file: "tls-key: 'a # b'\ndata-dir: \"[x]\"",
            ["--config=b.yaml", "--print-config", "--listen=[::1]:9", "--history", "90s"],
            ["BRASA_EMULATOR": "1"]
        )
        #expect(said.isToBePrinted)
        let again = try self.read(file: said.yaml)
        #expect(self.texts(again.configuration) == self.texts(said.configuration))
        let lines = said.yaml.split(separator: "\n")
        #expect(lines.count == Setting.all.count)
        for line in [
            "listen: \"[::1]:9\"  # --listen", "history: 90s  # --history", "emulator: true  # BRASA_EMULATOR",
            "tls-key: \"a # b\"  # b.yaml:1", "shards: 4  # default", "# max-memory: no bound",
        ] { #expect(lines.contains { $0 == line }, "\(line)") }
    }

    @Test func `Variables that are called like settings are told of`() throws {
        let environment = [
            "BRASA_MAX_MEMROY": "2G", "BRASA_SERVICE_HOST": "10.0.0.1", "BRASA_CONFIG": "b.yaml", "HOME": "/",
        ]
        #expect(
            try self.read(file: "", [], environment).warnings == [
                "the variable BRASA_MAX_MEMROY is no setting; the nearest is BRASA_MAX_MEMORY",
                "the variable BRASA_SERVICE_HOST is no setting; the nearest is BRASA_RECEIVE_TIME",
            ]
        )
    }

    // MARK: What is read again

    private final class File: Sendable {
        let text: NIOLockedValueBox<String>
        init(_ text: String) { self.text = NIOLockedValueBox(text) }
    }

    @Test func `Of settings that are read again, some hold at once and the others are named`() throws {
        let file = File("log-level: info\nconnections: 5\nshards: 2")
        let reader = SettingsReader(arguments: ["--config=b.yaml"], environment: [:]) { _ in
            file.text.withLockedValue { $0 }
        }
        let live = LiveSettings(try reader.read().configuration, from: reader)
        let lines = NIOLockedValueBox<[String]>([])
        let logger = Logger(
            label: "test",
            factory: { _ in ServerLogHandler(.text) { line in lines.withLockedValue { $0.append(line) } } }
        )
        func reread(_ text: String) -> ServerConfiguration {
            file.text.withLockedValue { $0 = text }
            lines.withLockedValue { $0 = [] }
            return live.reread(logger)
        }
        let read = reread("log-level: debug\nshards: 3")
        #expect(read.logLevel == .debug && read.connectionsMax == nil && read.shards == 2)
        let told = lines.withLockedValue { $0.joined() }
        #expect(told.contains("warning a setting has changed that takes a restart setting=shards"))
        #expect(told.contains("setting=log-level value=debug") && told.contains("setting=connections "))
        #expect(reread("log-level: loud").logLevel == .debug)
        #expect(lines.withLockedValue { $0.joined() }.contains("the settings of before go on"))
        // As a server that starts would refuse it.
        #expect(reread("max-memory: 512M").memoryBytesMax == nil)
        #expect(lines.withLockedValue { $0.joined() }.contains("leaves nothing for documents"))
        #expect(reread("log-level: debug\nmax-memory: 1G\nshards: 2").memoryBytesMax == 1 << 30)
        #expect(reread("log-level: debug\nshards: 2").memoryBytesMax == nil)
        // Compared with what holds.
        #expect(reread("log-level: debug\nshards: 2").logLevel == .debug)
        #expect(lines.withLockedValue { $0 } == [])
    }

    /// Else what is told to hold would not be what does, and the next SIGHUP would find nothing that differs.
    @Test func `Issuers that cannot be read are not taken up, nor is anything else that was said with them`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/issuers.json"
        try Data("{".utf8).write(to: URL(filePath: path))
        let file = File("log-level: info")
        let reader = SettingsReader(arguments: ["--config=b.yaml"], environment: [:]) { _ in
            file.text.withLockedValue { $0 }
        }
        let live = LiveSettings(try reader.read().configuration, from: reader)
        let lines = Recorded<String>()
        let logger = Logger(label: "test", factory: { _ in RecordingLogHandler(lines) })
        file.text.withLockedValue { $0 = "log-level: debug\nissuers: \(path)" }
        let read = live.reread(logger)
        #expect(read.issuersFile == nil && read.logLevel == .info)
        #expect(lines.list == ["error: the settings of before go on, since these cannot be"])
        let issuers = #"{"issuers":[{"issuer":"https://id.example","audiences":["app"]}]}"#
        try Data(issuers.utf8).write(to: URL(filePath: path))
        let again = live.reread(logger)
        #expect(again.issuersFile == path && again.logLevel == .debug)
    }

    @Test func `Help names those that hold at once`() {
        #expect(
            Setting.liveNames == [
                "issuers", "firebase-project", "max-memory", "connections", "connections-per-address",
                "calls-per-second",
                "streams-per-caller", "listeners-per-caller", "bytes-per-caller", "log-level",
            ]
        )
        #expect(Setting.helpText.replacing("\n      ", with: " ").contains(Setting.liveNames.joined(separator: ", ")))
    }

    // MARK: What is written elsewhere

    private static func document(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test func `Help has every setting, and fits a terminal`() {
        for setting in Setting.all {
            #expect(Setting.helpText.contains("\(setting.option)") && Setting.helpText.contains(setting.variable))
        }
        for line in Setting.helpText.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }

    @Test func `The README's table is this one`() throws {
        #expect(try Self.document("README.md").contains(Setting.markdown), "\n\(Setting.markdown)\n")
    }

    /// Its rows have more to say than this table, but may not contradict it: `| what | default | setting | past it |`.
    @Test func `The table of limits has the same defaults`() throws {
        var checked = 0
        for line in try Self.document("docs/limits.md").split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count >= 3, cells[2].hasPrefix("`--"),
                let name = cells[2].dropFirst(3).split(separator: "`").first
            else { continue }
            let setting = try #require(Setting.named(name), "\(line)")
            let figure = cells[1].replacing("iB", with: "").replacing(" ", with: "")
            let text = figure.replacing(",", with: "")
            var configuration = ServerConfiguration()
            // What depends on the machine is told in words.
            guard setting.read(text, &configuration) else {
                #expect(setting.defaultText.contains(" "), "\(line)")
                continue
            }
            #expect(setting.text(configuration) == setting.text(ServerConfiguration()), "\(line)")
            checked += 1
        }
        #expect(checked >= 5)
    }
}
