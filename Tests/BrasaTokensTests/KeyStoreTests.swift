import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import Testing

@testable import BrasaTokens

@Suite struct KeyStoreTests {
    private func create(_ store: AdministratorKeyStore, _ name: String, _ databases: [String] = []) throws {
        _ = try store.create(
            name,
            role: .administrator,
            databases: databases,
            project: "demo",
            server: "http://127.0.0.1:8080/",
            clock: SimulatedClock().clock,
            entropy: .system
        )
    }

    @Test func `A folder without keys has none, and reading makes no file`() throws {
        let disk = SimulatedDisk(seed: 1)
        #expect(try AdministratorKeyStore(disk: disk, dataDirectory: "data").read().keys.isEmpty)
        #expect(disk.paths.isEmpty)
    }

    @Test func `What was changed is there after a crash, the private half nowhere`() throws {
        let disk = SimulatedDisk(seed: 2)
        let store = AdministratorKeyStore(disk: disk, dataDirectory: "data")
        try self.create(store, "one")
        try self.create(store, "two", ["projects/p/databases/(default)", "projects/p/databases/d"])
        try store.setDisabled(true, "one")
        let keys = try store.read().keys
        disk.crash()
        #expect(try store.read().keys == keys)
        #expect(keys.map(\.name) == ["one", "two"])
        #expect(keys.map(\.isDisabled) == [true, false])
        #expect(keys[1].databases == ["projects/p/databases/(default)", "projects/p/databases/d"])
        #expect(keys[0].tokenURI == "http://127.0.0.1:8080/token")
        try store.delete("one")
        disk.crash()
        #expect(try store.read().keys.map(\.name) == ["two"])
        for path in disk.paths {
            #expect(!String(decoding: disk.bytes(path) ?? [], as: UTF8.self).contains("PRIVATE"))
        }
    }

    /// Power is lost at each of a change's steps, by disks that keep different things of what was not synced.
    @Test func `A change that a crash interrupts is there whole or not at all`() throws {
        let made = SimulatedDisk(seed: 0)
        let path = AdministratorKeyStore(disk: made, dataDirectory: "data").path
        try self.create(AdministratorKeyStore(disk: made, dataDirectory: "data"), "one")
        let list = try #require(made.bytes(path))
        for seed in 0..<40 as Range<UInt64> {
            let disk = SimulatedDisk(seed: seed)
            disk.place(list, at: path)
            let store = AdministratorKeyStore(disk: disk, dataDirectory: "data")
            let before = try store.read()
            for stepsMax in 0..<12 {
                let interrupted = InterruptedDisk(disk: disk, stepsMax: stepsMax)
                let other = AdministratorKeyStore(disk: interrupted, dataDirectory: "data")
                var isDone = true
                do throws(AdministratorKeyError) { try other.setDisabled(true, "one") } catch { isDone = false }
                disk.crash()
                let after = try store.read()
                #expect(after.keys.map(\.name) == ["one"], "seed \(seed), step \(stepsMax)")
                if isDone { #expect(after.keys[0].isDisabled) }
                if after != before { try store.setDisabled(false, "one") }
            }
        }
    }

    @Test func `Commands say what they cannot do`() throws {
        let disk = SimulatedDisk(seed: 3)
        let store = AdministratorKeyStore(disk: disk, dataDirectory: "data")
        try self.create(store, "one")
        #expect(throws: AdministratorKeyError.nameTaken("one")) { try self.create(store, "one") }
        for name in ["", "-a", "A", "a b", "ä", "a/b", "a@b", String(repeating: "a", count: 64)] {
            #expect(throws: AdministratorKeyError.wrongName(name)) { try self.create(store, name) }
        }
        for database in ["", "d", "projects/p/databases/", "projects//databases/d", "projects/p/databases/d/documents"]
        {
            #expect(throws: AdministratorKeyError.wrongDatabase(database)) { try self.create(store, "two", [database]) }
        }
        for server in ["", "db.example", "ftp://db.example", "https://", "https://a/b", "https://a b", "https://a@b"] {
            #expect(throws: AdministratorKeyError.wrongServer(server)) {
                _ = try store.create(
                    "two",
                    role: .administrator,
                    databases: [],
                    project: "demo",
                    server: server,
                    clock: SimulatedClock().clock,
                    entropy: .system
                )
            }
        }
        #expect(throws: AdministratorKeyError.notFound("two")) { try store.delete("two") }
        #expect(throws: AdministratorKeyError.notFound("two")) { try store.setDisabled(true, "two") }
        let lock = try disk.lock("data/identity/keys.lock")
        #expect(throws: AdministratorKeyError.busy(path: "data/identity/keys.lock")) { try store.delete("one") }
        lock.release()
        #expect(try store.read().keys.map(\.name) == ["one"])
    }

    @Test func `A user whose list the server could not read changes nothing`() throws {
        let disk = SimulatedDisk(seed: 6)
        try self.create(AdministratorKeyStore(disk: disk, dataDirectory: "data"), "one")
        disk.place([], at: "data/LOCK")
        let list = disk.bytes("data/identity/keys.json")
        func store(_ owners: [String: UInt32]) -> AdministratorKeyStore {
            AdministratorKeyStore(
                disk: InterruptedDisk(disk: disk, stepsMax: .max, otherOwners: owners),
                dataDirectory: "data"
            )
        }
        let foreign = store(["data/LOCK": 1_001])
        let refused = AdministratorKeyError.wrongUser(path: "data/LOCK", owner: 1_001)
        #expect(throws: refused) { try foreign.setDisabled(true, "one") }
        #expect(throws: refused) { try foreign.delete("one") }
        #expect(throws: refused) { try self.create(foreign, "two") }
        #expect(disk.bytes("data/identity/keys.json") == list)
        #expect(refused.description.contains("sudo -u '#1001'"))
        #expect(try foreign.read().keys.map(\.name) == ["one"], "reading harms nobody")
        // Whose folder it is does not matter once a server has made its files there, as where a group may write.
        try store(["data": 0]).setDisabled(true, "one")
        try disk.remove("data/LOCK")
        #expect(throws: AdministratorKeyError.wrongUser(path: "data", owner: 0)) {
            try store(["data": 0]).setDisabled(false, "one")
        }
    }

    @Test func `The folder of the keys is made for its owner only`() throws {
        let disk = InterruptedDisk(disk: SimulatedDisk(seed: 8), stepsMax: .max)
        try self.create(AdministratorKeyStore(disk: disk, dataDirectory: "data"), "one")
        #expect(disk.privateDirectories.all == ["data/identity"])
    }

    @Test func `Keys have an end`() throws {
        let store = AdministratorKeyStore(disk: SimulatedDisk(seed: 4), dataDirectory: "data")
        try self.create(store, "one")
        try store.change { list throws(AdministratorKeyError) in
            let key = list.keys[0]
            list.keys = (0..<AdministratorKeyList.keysMax).map {
                AdministratorKey(
                    id: "\($0)",
                    name: "\($0)",
                    email: "",
                    role: .administrator,
                    databases: [],
                    tokenURI: "",
                    publicKeyPEM: key.publicKeyPEM,
                    created: key.created
                )
            }
        }
        // What may be written can be read.
        #expect(try store.read().keys.count == AdministratorKeyList.keysMax)
        #expect(throws: AdministratorKeyError.tooMany) { try self.create(store, "one") }
    }

    @Test func `No list is written that could not be read again`() throws {
        let disk = SimulatedDisk(seed: 7)
        let store = AdministratorKeyStore(disk: disk, dataDirectory: "data")
        let databases = (0...32).map { "projects/p/databases/d\($0)" }
        try self.create(store, "one", Array(databases.dropLast()))
        #expect(try store.read().keys[0].databases.count == 32)
        #expect(throws: AdministratorKeyError.tooManyDatabases) { try self.create(store, "two", databases) }
        let list = disk.bytes(store.path)
        let key = try store.read().keys[0]
        func copy(_ id: String, _ text: String, _ databases: [String]) -> AdministratorKey {
            AdministratorKey(
                id: id,
                name: id,
                email: text,
                role: .readOnly,
                databases: databases,
                tokenURI: "",
                publicKeyPEM: key.publicKeyPEM,
                created: key.created
            )
        }
        let tooLong = String(repeating: "x", count: AdministratorKeyList.bytesMax)
        let tooManyValues = Array(repeating: key.databases[0], count: AdministratorKeyList.keysMax * 64)
        for wrong in [
            copy("a", tooLong, []), copy("a", "", tooManyValues), copy("a", "", ["d"]), copy(key.id, "", []),
        ] {
            #expect(throws: AdministratorKeyError.tooLong) {
                try store.change { list throws(AdministratorKeyError) in list.keys.append(wrong) }
            }
            #expect(disk.bytes(store.path) == list)
        }
    }

    @Test(arguments: ["", "{}", "nonsense", #"{"version":2,"secret":"","keys":[]}"#])
    func `A damaged list is named, and a server goes on with the one of before`(_ text: String) async throws {
        let gate = Gate()
        let file = try await gate.makeKey()
        gate.disk.place(Array(text.utf8), at: gate.store.path)
        #expect(throws: AdministratorKeyError.damaged(path: "data/identity/keys.json")) { try gate.store.read() }
        #expect(await gate.verifier.reload() == .failed(.damaged(path: "data/identity/keys.json")))
        #expect(await gate.verifier.reload() == .unchanged, "it is said once")
        #expect(gate.verdict(try file.callToken(at: gate.seconds)).administrator != nil)
    }

    @Test func `A list with a key for some databases does not become one for all`() throws {
        let disk = SimulatedDisk(seed: 5)
        let store = AdministratorKeyStore(disk: disk, dataDirectory: "data")
        try self.create(store, "one", ["projects/p/databases/d"])
        let text = String(decoding: try #require(disk.bytes(store.path)), as: UTF8.self)
        disk.place(Array(text.replacing(#""projects/p/databases/d""#, with: "1").utf8), at: store.path)
        #expect(throws: AdministratorKeyError.damaged(path: store.path)) { try store.read() }
    }

    @Test func `Of two readings at once the one that began later has the last word`() async throws {
        let gate = Gate()
        let file = try await gate.makeKey()
        let token = try file.callToken(at: gate.seconds)
        _ = try gate.store.create(
            "other",
            role: .readOnly,
            databases: [],
            project: "demo",
            server: "http://a",
            clock: gate.clock.clock,
            entropy: .system
        )
        let early = gate.verifier.read()
        try gate.store.setDisabled(true, "app")
        #expect(await gate.verifier.reload() == .changed(keys: 2))
        #expect(await gate.verifier.install(early) == .unchanged)
        #expect(gate.verdict(token).refusal == .disabledKey)
        #expect(await gate.verifier.reload() == .unchanged)
    }

    @Test func `The server sees a change when it looks, and nothing when there is none`() async throws {
        let gate = Gate()
        #expect(await gate.verifier.reload() == .unchanged)
        _ = try await gate.makeKey()
        #expect(await gate.verifier.reload() == .unchanged)
        try gate.store.setDisabled(true, "app")
        #expect(await gate.verifier.reload() == .changed(keys: 1))
        #expect(gate.verifier.hasKeyList)
        try gate.disk.remove(gate.store.path)
        #expect(await gate.verifier.reload() == .changed(keys: 0))
        #expect(gate.verifier.hasKeyList, "what has gone lets nobody in")
    }
}

/// Fails for good after a number of steps that change something, as if power was lost then.
private final class InterruptedDisk: Disk {
    private let disk: SimulatedDisk
    private let steps: Steps
    private let otherOwners: [String: UInt32]
    let privateDirectories = Failures()

    init(disk: SimulatedDisk, stepsMax: Int, otherOwners: [String: UInt32] = [:]) {
        self.disk = disk
        self.steps = Steps(left: stepsMax)
        self.otherOwners = otherOwners
    }

    func otherOwner(of path: String) throws(DiskError) -> UInt32? { self.otherOwners[path] }

    func createDirectory(_ path: String) throws(DiskError) { try self.disk.createDirectory(path) }
    func createPrivateDirectory(_ path: String) throws(DiskError) {
        self.privateDirectories.add(path)
        try self.disk.createDirectory(path)
    }
    func list(_ directory: String) throws(DiskError) -> [String] { try self.disk.list(directory) }
    func exists(_ path: String) -> Bool { self.disk.exists(path) }
    func lock(_ path: String) throws(DiskLockError) -> any DiskLock { try self.disk.lock(path) }

    func open(_ path: String, _ mode: DiskOpenMode) throws(DiskError) -> any DiskFile {
        if mode != .readOnly { try self.steps.take(.open, path) }
        return InterruptedFile(file: try self.disk.open(path, mode), steps: self.steps, path: path)
    }

    func rename(_ path: String, to newPath: String) throws(DiskError) {
        try self.steps.take(.rename, path)
        try self.disk.rename(path, to: newPath)
    }

    func remove(_ path: String) throws(DiskError) {
        try self.steps.take(.remove, path)
        try self.disk.remove(path)
    }

    func syncDirectory(_ path: String) throws(DiskError) {
        try self.steps.take(.syncDirectory, path)
        try self.disk.syncDirectory(path)
    }
}
