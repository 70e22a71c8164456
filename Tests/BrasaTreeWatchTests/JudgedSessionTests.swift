import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import BrasaTree
import BrasaTreeEngine
import BrasaTreeJudging
import BrasaTreeRules
import BrasaTreeWatch
import Synchronization
import Testing

/// What one listener was told.
private final class Ear: TreeListener {
    var entries: [String] = []

    func told(_ telling: TreeTelling) {
        guard case .value(let location, let node) = telling.notice.event else { return self.entries.append("merge") }
        self.entries.append("\(location) \(String(decoding: node.text(.export), as: UTF8.self))")
    }

    func revoked(_ target: TreeTarget) { self.entries.append("\(target.path) revoked") }
    func flush() {}
    func replaced() {}
}

private final class Outcomes: Sendable {
    private let state = Mutex<[String]>([])
    var all: [String] { self.state.withLock { $0 } }
    func add(_ result: TreeWriteResult) {
        let text =
            switch result {
            case .written: "written"
            case .stale: "stale"
            case .denied: "denied"
            case .refused, .failed: "refused"
            }
        self.state.withLock { $0.append(text) }
    }
}

/// What rules let the sessions of a loop do.
@Suite struct JudgedSessionTests {
    private let server: SimulatedServer
    private let rules = TreeRuleBook()
    private let watcher: TreeWatcher
    private let owner: TreeSession
    private let ownerEar = Ear()

    private static let text = #"""
        {"rules":{
          "notes":{"$u":{".read":"auth.uid===$u",".write":"auth.uid===$u",".validate":"newData.isNumber()"}},
          "room":{".read":"root.child('members').child(auth.uid).exists()",".write":"auth!=null",".indexOn":"n"},
          "online":{"$u":{".write":"auth.uid===$u&&root.child('frozen').val()!==true"}},
          "box":{".write":true}
        }}
        """#

    init() throws {
        self.server = try SimulatedServer()
        self.watcher = TreeWatcher(
            store: self.server.store,
            transactions: self.server.transactions,
            rules: self.rules,
            mailbox: self.server.scheduler.mailbox()
        )
        let owner = TreeIdentity(.administrator)
        self.owner = try #require(self.watcher.open("one", as: owner, for: self.ownerEar))
        self.rules.install(try TreeRules(parsing: Array(Self.text.utf8)))
    }

    private func open(_ user: String?, _ ear: Ear) throws -> TreeSession {
        try #require(self.watcher.open("one", as: Self.identity(user), for: ear))
    }

    private static func identity(_ user: String?) -> TreeIdentity {
        TreeIdentity(user.map { .user(User(id: $0)) } ?? .nobody)
    }

    private func set(_ value: String, at location: String) throws -> TreeWrite {
        let location = try TreeLocation(location)
        return try .set(TreeTemplate(parsing: Array(value.utf8), at: location.path), at: location)
    }

    private func write(_ value: String, at location: String, by session: TreeSession, if hash: String? = nil) throws
        -> String
    {
        let outcomes = Outcomes()
        session.write(try self.set(value, at: location), expecting: hash) { outcomes.add($0) }
        self.server.settle()
        self.watcher.wake()
        self.server.settle()
        return outcomes.all.joined()
    }

    private func leave(_ value: String, at location: String, by session: TreeSession) throws -> TreeLeaveResult? {
        let answer = Leaving()
        session.writeOnDisconnect(try self.set(value, at: location)) { answer.result = $0 }
        self.server.settle()
        return answer.result
    }

    private final class Leaving: @unchecked Sendable {
        // Sendable, because one thread runs everything.
        var result: TreeLeaveResult?
    }

    private func target(_ path: String) throws -> TreeTarget { TreeTarget(try TreePath(path)) }

    private var stored: String {
        guard case .node(let node) = self.owner.read(TreeTarget(.root)) else { return "denied" }
        return String(decoding: node.text(.export), as: UTF8.self)
    }

    @Test(
        arguments: [
            ("ada", "/notes/ada", "1", "written"), ("ada", "/notes/bob", "1", "denied"),
            ("ada", "/notes/ada", #""text""#, "denied"), (nil, "/notes/ada", "1", "denied"),
            ("ada", "/notes", #"{"ada":1}"#, "denied"), ("ada", "/room/x", "1", "written"),
            (nil, "/room/x", "1", "denied"),
            (nil, "/box", "1", "written"), ("ada", "/", "1", "denied"),
        ] as [(String?, String, String, String)]
    )
    func `A write is carried out if rules allow it`(
        _ user: String?,
        _ path: String,
        _ value: String,
        _ outcome: String
    ) throws {
        let session = try self.open(user, Ear())
        #expect(try self.write(value, at: path, by: session) == outcome)
        #expect((self.stored == "null") == (outcome == "denied"))
        #expect(try self.write(value, at: path, by: self.owner) == "written")
    }

    @Test func `Who may not write is not told why it would not be possible`() throws {
        let (ada, nobody) = (try self.open("ada", Ear()), try self.open(nil, Ear()))
        let path = "/notes/ada/.priority"
        #expect(try self.write("1", at: path, by: nobody) == "denied")
        #expect(try self.write("1", at: path, by: ada) == "refused")
        _ = try self.write("1", at: "/notes/ada", by: ada)
        #expect(try self.write("1", at: path, by: nobody) == "denied")
        #expect(try self.write("1", at: path, by: ada) == "written")
    }

    @Test func `Who may not read does not find out by a hash what is there`() throws {
        _ = try self.write("1", at: "/box", by: self.owner)
        let hash = TreeNode.leaf(.integer(1)).hash
        let session = try self.open("ada", Ear())
        for guess in [hash, "", TreeNode.leaf(.integer(2)).hash] {
            #expect(try self.write("5", at: "/box", by: session, if: guess) == "denied")
        }
        #expect(try self.write("5", at: "/box", by: session) == "written")
    }

    @Test func `Reads and listens are allowed or not, and those that are denied tell nothing`() throws {
        _ = try self.write(#"{"notes":{"ada":1,"bob":2}}"#, at: "/", by: self.owner)
        let ear = Ear()
        let session = try self.open("ada", ear)
        #expect(session.listen(to: try self.target("/notes/bob"), holding: "") == nil)
        #expect(session.listen(to: try self.target("/notes"), holding: "") == nil)
        #expect(session.listen(to: try self.target("/notes/ada"), holding: "") != nil)
        guard case .denied = session.read(try self.target("/notes/bob")) else {
            Issue.record("read")
            return
        }
        _ = try self.write("3", at: "/notes/bob", by: self.owner)
        _ = try self.write("4", at: "/notes/ada", by: self.owner)
        #expect(ear.entries == ["/notes/ada 4"])
    }

    @Test func `A question without an index is answered to who listens, and not to who asks once`() throws {
        _ = try self.write(#"{"members":{"ada":1},"room":{"x":{"n":1,"m":2}}}"#, at: "/", by: self.owner)
        let session = try self.open("ada", Ear())
        for (child, isIndexed) in [("n", true), ("m", false)] {
            let order = TreeQuery.Order.child(try TreePath(child))
            let query = try TreeQuery(order: order, limit: .init(1, .first))
            let target = TreeTarget(try TreePath("/room"), query)
            #expect(session.listen(to: target, holding: "")?.isIndexed == isIndexed)
            switch session.read(target) {
            case .node: #expect(isIndexed)
            case .notIndexed(let text):
                #expect(text == "Index not defined, add \".indexOn\": \"m\", for path \"/room\", to the rules")
            case .denied: Issue.record("denied")
            }
        }
    }

    @Test func `Other rules end the listens that they do not allow, before anything more is told`() throws {
        let (adaEar, bobEar) = (Ear(), Ear())
        let (ada, bob) = (try self.open("ada", adaEar), try self.open("bob", bobEar))
        #expect(ada.listen(to: try self.target("/notes/ada"), holding: "") != nil)
        #expect(bob.listen(to: try self.target("/notes/bob"), holding: "") != nil)
        self.rules.install(
            try TreeRules(parsing: Array(#"{"rules":{"notes":{"ada":{".read":true,".write":true}}}}"#.utf8))
        )
        // In one commit, so that both are told in one turn.
        _ = try self.write(#"{"ada":1,"bob":2}"#, at: "/notes", by: self.owner)
        #expect(adaEar.entries == ["/notes/ada 1"] && bobEar.entries == ["/notes/bob revoked"])
        self.watcher.tick()
        #expect(adaEar.entries.count == 1 && bobEar.entries.count == 1)
    }

    @Test func `Other rules end listens of which there is nothing to tell, too`() throws {
        let ear = Ear()
        #expect(try self.open("ada", ear).listen(to: try self.target("/notes/ada"), holding: "") != nil)
        self.watcher.tick()
        #expect(ear.entries.isEmpty)
        self.rules.install(.locked)
        self.watcher.tick()
        #expect(ear.entries == ["/notes/ada revoked"])
    }

    @Test func `A listen ends when what its rule looks at changes, and others go on`() throws {
        _ = try self.write(#"{"ada":1,"bob":1}"#, at: "/members", by: self.owner)
        let (adaEar, bobEar) = (Ear(), Ear())
        let (ada, bob) = (try self.open("ada", adaEar), try self.open("bob", bobEar))
        for session in [ada, bob] { #expect(session.listen(to: try self.target("/room"), holding: "") != nil) }
        self.watcher.tick()
        #expect(adaEar.entries.isEmpty && bobEar.entries.isEmpty)
        _ = try self.write("null", at: "/members/bob", by: self.owner)
        self.watcher.tick()
        #expect(adaEar.entries.isEmpty && bobEar.entries == ["/room revoked"])
        _ = try self.write("1", at: "/room", by: self.owner)
        #expect(adaEar.entries == ["/room 1"] && bobEar.entries.count == 1)
    }

    @Test func `Who asks as somebody else keeps what that one may listen to`() throws {
        let ear = Ear()
        let session = try self.open("ada", ear)
        _ = try self.write("1", at: "/members/bob", by: self.owner)
        _ = try self.write("1", at: "/members/ada", by: self.owner)
        for path in ["/notes/ada", "/room"] {
            #expect(session.listen(to: try self.target(path), holding: "") != nil)
        }
        session.identify(as: Self.identity("bob"))
        #expect(ear.entries == ["/notes/ada revoked"])
        session.identify(as: Self.identity(nil))
        #expect(ear.entries == ["/notes/ada revoked", "/room revoked"])
    }

    @Test func `What a session leaves is judged when it is kept, and again when it is written`() throws {
        let ear = Ear()
        let session = try self.open("ada", ear)
        #expect(try self.leave("1", at: "/online/bob", by: session) == .denied)
        #expect(try self.leave("1", at: "/online/ada", by: session) == .kept)
        #expect(try self.leave("1", at: "/box", by: session) == .kept)
        _ = try self.write("true", at: "/frozen", by: self.owner)
        // That its token has ended does not take back what it left.
        session.identify(as: Self.identity(nil), leavesAsBefore: true)
        session.end()
        self.server.settle()
        #expect(self.stored == #"{"box":1,"frozen":true}"#)
    }

    @Test func `What a session left as one user is not written as another`() throws {
        let session = try self.open("ada", Ear())
        #expect(try self.leave("1", at: "/online/ada", by: session) == .kept)
        session.identify(as: Self.identity("bob"))
        session.end()
        self.server.settle()
        #expect(self.stored == "null")
    }
}
