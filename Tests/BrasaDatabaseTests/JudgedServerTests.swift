import Foundation
import Synchronization
import Testing

@testable import BrasaDatabase
@testable import BrasaServer

/// The client of a user, on a server that asks rules: what is refused is told, and what is allowed goes on beside it.
@Suite("With a server that asks rules", .timeLimit(.minutes(1)))
struct JudgedServerTests {
    private static let rules = """
        {"rules": {
          "notes": {"$user": {
            ".read": "auth != null && auth.uid === $user && !root.child('closed').exists()",
            ".write": "auth != null && auth.uid === $user",
            "n": {".validate": "newData.isNumber() && newData.val() < 10"}
          }}
        }}
        """

    /// Which token is shown, until there is another.
    private final class Tokens: Sendable {
        private let shown: Mutex<String?>
        private let spare = Mutex<String?>(nil)
        private let refreshes = Mutex(0)

        init(_ token: String?, thenOnRefresh spare: String? = nil) {
            self.shown = Mutex(token)
            self.spare.withLock { $0 = spare }
        }

        func show(_ token: String?) { self.shown.withLock { $0 = token } }
        var refreshCount: Int { self.refreshes.withLock { $0 } }

        func take(_ isRefresh: Bool) -> String? {
            if isRefresh {
                self.refreshes.withLock { $0 += 1 }
                if let spare = self.spare.withLock({ $0 }) { self.show(spare) }
            }
            return self.shown.withLock { $0 }
        }

        /// As the emulator's users are named.
        static func user(_ name: String) -> String {
            let parts = [#"{"alg":"none","typ":"JWT"}"#, #"{"sub":"\#(name)"}"#].map { part in
                Data(part.utf8).base64EncodedString().replacing("=", with: "")
                    .replacing("+", with: "-").replacing("/", with: "_")
            }
            return "\(parts[0]).\(parts[1])."
        }
    }

    /// A server with rules, and what two users have in it.
    private final class House: Sendable {
        private let rulesFile = URL(filePath: NSTemporaryDirectory()).appending(path: "rules-\(UUID().uuidString).json")
        let server: TreeServerForTest

        init() async throws {
            let file = self.rulesFile
            try Data(JudgedServerTests.rules.utf8).write(to: file)
            self.server = try await TreeServerForTest {
                $0.treeRulesFile = file.path
                $0.emulator = true
            }
            let owner = self.owner()
            try await owner.reference(withPath: "notes").setValue(["ann": ["n": 1], "bob": ["n": 2]])
            owner.goOffline()
        }

        deinit { try? FileManager.default.removeItem(at: self.rulesFile) }

        func client(_ tokens: Tokens) -> Database {
            let database = Databases.at("http://127.0.0.1:\(self.server.port)?ns=demo")
            database.tokenProvider = { tokens.take($0) }
            return database
        }

        /// Without a provider a client nearby is the administrator's.
        func owner() -> Database { Databases.at("http://127.0.0.1:\(self.server.port)?ns=demo") }
    }

    /// How something was refused; nil: it was not.
    private func code(_ body: () async throws -> Void) async -> Int? {
        do {
            try await body()
            return nil
        } catch {
            let error = error as NSError
            return error.domain == "com.firebase" ? error.code : -1
        }
    }

    private static let permissionDenied = 1

    @Test("A user reads, writes and listens to what is theirs, and is refused the rest")
    func allowedAndDenied() async throws {
        let house = try await House()
        let ann = house.client(Tokens(Tokens.user("ann")))
        let (mine, others) = (ann.reference(withPath: "notes/ann"), ann.reference(withPath: "notes/bob"))
        #expect(try await mine.getData().json == #"{"n":1}"#)
        try await mine.child("n").setValue(3)
        try await mine.updateChildValues(["text": "t"])
        let (isCommitted, snapshot) = try await mine.child("n").runTransactionBlock { data in
            data.value = (data.value as? Int ?? 0) + 1
            return .success(withValue: data)
        }
        #expect(isCommitted && snapshot.value as? Int == 4)
        try await mine.child("seen").onDisconnectSetValue(true)

        let denied = Self.permissionDenied
        let attempts: [(name: String, body: () async throws -> Void)] = [
            ("get", { _ = try await others.getData() }),
            ("get above", { _ = try await ann.reference(withPath: "notes").getData() }),
            ("set", { try await others.child("n").setValue(5) }),
            ("remove", { try await others.removeValue() }),
            ("invalid", { try await mine.child("n").setValue(10) }),
            ("update", { try await ann.reference(withPath: "notes").updateChildValues(["ann/n": 5, "bob/n": 5]) }),
            ("at the end", { try await others.child("seen").onDisconnectSetValue(true) }),
            ("single event", { _ = try await others.observeSingleEventAndPreviousSiblingKey(of: .value) }),
            (
                "transaction",
                {
                    try await others.child("n").runTransactionBlock { data in
                        data.value = 5
                        return .success(withValue: data)
                    }
                }
            ),
        ]
        for (name, body) in attempts {
            let code = await self.code(body)
            #expect(code == denied, "\(name)")
        }
        #expect(try await mine.getData().json == #"{"n":4,"text":"t"}"#)
        let owner = house.owner()
        #expect(try await owner.reference(withPath: "notes/bob").getData().json == #"{"n":2}"#)
        let lines = Lines()
        _ = owner.reference(withPath: "notes/ann/seen").say(to: lines)
        #expect(await lines.next() == ["null"])
        ann.goOffline()
        #expect(await lines.next() == ["true"])
        #expect(try await owner.reference(withPath: "notes/bob").getData().json == #"{"n":2}"#)
        owner.goOffline()
        try await house.server.stop()
    }

    @Test("A write that is refused is shown, then taken back, and the observer goes on")
    func deniedWrite() async throws {
        let house = try await House()
        let ann = house.client(Tokens(Tokens.user("ann")))
        let lines = Lines()
        let number = ann.reference(withPath: "notes/ann/n")
        _ = number.say(to: lines)
        #expect(await lines.next() == ["1"])
        #expect(await self.code { try await number.setValue(10) } == Self.permissionDenied)
        #expect(await lines.next(2) == ["10", "1"])
        try await number.setValue(9)
        #expect(await lines.next() == ["9"])
        ann.goOffline()
        try await house.server.stop()
    }

    @Test("An observer that is refused is told so once, at once or when its data is closed, and no other is")
    func deniedObserver() async throws {
        let house = try await House()
        let (ann, owner) = (house.client(Tokens(Tokens.user("ann"))), house.owner())
        let (mine, others) = (Lines(), Lines())
        _ = ann.reference(withPath: "notes/bob").say(to: others)
        #expect(await others.next() == ["error 1"])
        _ = ann.reference(withPath: "notes/ann/n").say(to: mine)
        #expect(await mine.next() == ["1"])
        try await owner.reference(withPath: "notes").updateChildValues(["ann/n": 2, "bob/n": 3])
        #expect(await mine.next() == ["2"])

        // What the rules look at changes.
        try await owner.reference(withPath: "closed").setValue(true)
        #expect(await mine.next() == ["error 1"])
        // Writes are judged by themselves.
        try await ann.reference(withPath: "notes/ann/n").setValue(5)
        try await owner.reference(withPath: "closed").removeValue()
        _ = ann.reference(withPath: "notes/ann/n").say(to: mine)
        #expect(await mine.next() == ["5"])
        let error = await #expect(throws: NSError.self) {
            for try await _ in ann.reference(withPath: "notes/bob").snapshots() {}
        }
        #expect(error?.code == Self.permissionDenied)
        for lines in [mine, others] { lines.say("end") }
        #expect(await mine.next() == ["end"])
        #expect(await others.next() == ["end"])
        for database in [ann, owner] { database.goOffline() }
        try await house.server.stop()
    }

    @Test("A token that is refused is fetched again, and what waited goes on with the next")
    func refusedToken() async throws {
        let house = try await House()
        let tokens = Tokens("nobody's", thenOnRefresh: Tokens.user("ann"))
        let ann = house.client(tokens)
        let lines = Lines()
        _ = ann.reference(withPath: "notes/ann/n").say(to: lines)
        try await ann.reference(withPath: "notes/ann/n").setValue(7)
        #expect(await lines.next() == ["7"])
        #expect(tokens.refreshCount == 1)
        ann.goOffline()
        try await house.server.stop()
    }

    @Test("Who shows no token, or never one that is taken, gets nowhere")
    func noToken() async throws {
        let house = try await House()
        let nobody = house.client(Tokens(nil))
        #expect(
            await self.code { _ = try await nobody.reference(withPath: "notes/ann").getData() } == Self.permissionDenied
        )
        #expect(
            await self.code { try await nobody.reference(withPath: "notes/ann/n").setValue(5) } == Self.permissionDenied
        )
        let tokens = Tokens("nobody's")
        let stranger = house.client(tokens)
        let connected = Lines()
        _ = stranger.reference(withPath: ".info/connected").say(to: connected)
        #expect(await connected.next() == ["false"])
        stranger.reference(withPath: "notes/ann/n").setValue(5, withCompletionBlock: nil)
        await #expect(throws: NSError.self) { try await stranger.reference(withPath: "notes/ann").getData() }
        #expect(tokens.refreshCount > 0)
        connected.say("end")
        #expect(await connected.next() == ["end"])
        let owner = house.owner()
        #expect(try await owner.reference(withPath: "notes/ann/n").getData().value as? Int == 1)
        for database in [nobody, stranger, owner] { database.goOffline() }
        try await house.server.stop()
    }

    @Test("When the user is another, observers go on as whom the new token names")
    func tokenChange() async throws {
        let house = try await House()
        let tokens = Tokens(Tokens.user("ann"))
        let database = house.client(tokens)
        let (anns, bobs) = (Lines(), Lines())
        _ = database.reference(withPath: "notes/ann/n").say(to: anns)
        #expect(await anns.next() == ["1"])
        tokens.show(Tokens.user("bob"))
        database.refreshToken()
        #expect(await anns.next() == ["error 1"])
        _ = database.reference(withPath: "notes/bob/n").say(to: bobs)
        #expect(await bobs.next() == ["2"])
        try await database.reference(withPath: "notes/bob/n").setValue(4)
        #expect(await bobs.next() == ["4"])
        #expect(
            await self.code { try await database.reference(withPath: "notes/ann/n").setValue(5) }
                == Self.permissionDenied
        )
        database.goOffline()
        try await house.server.stop()
    }
}
