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
import Testing

/// What sessions leave over the end of the process: once, whenever that is.
@Suite struct PresenceTests {
    private let rules = Array(
        #"{"rules":{"online":{"$u":{".write":"auth.uid===$u&&root.child('frozen').val()!==true"}}}}"#.utf8
    )

    @Test func `What is left is answered when it is durable, and is written when the process was killed`() throws {
        let life = try Life(on: SimulatedDisk(seed: 1))
        let session = try life.open()
        let answers = Answers()
        try life.leave("false", at: "/online", by: session, answers)
        #expect(answers.results.isEmpty)
        life.server.settle()
        #expect(answers.results == [.kept])
        try life.leave(increment(1), at: "/ends", by: session, answers)
        try life.leave(#"{".sv":"timestamp"}"#, at: "/last", by: session, answers)
        session.cancelOnDisconnect(at: try TreeLocation("/last")) { answers.results.append($0) }
        life.server.settle()
        #expect(answers.results == [.kept, .kept, .kept, .kept])
        #expect(try life.stored == "null")

        let next = try life.crash()
        #expect(try next.stored == "null")
        let ended = next.endSessionsOfBefore()
        #expect(!ended.isDone)
        next.server.settle()
        #expect(try ended.isDone && next.stored == #"{"ends":1,"online":false}"#)
        // Once.
        let third = try next.crash()
        third.endSessionsOfBefore()
        third.server.settle()
        #expect(try third.stored == #"{"ends":1,"online":false}"#)
    }

    /// One session ends while the process runs, one leaves more, one is new; all count.
    @Test(arguments: 0..<40 as Range<Int>, [true, false])
    func
        `Wherever the process ends, each session's end is written once or, if nothing was answered, perhaps not at all`(
            moves: Int,
            hasCheckpoint: Bool
        ) throws
    {
        let disk = SimulatedDisk(seed: UInt64(moves))
        let life = try Life(on: disk, seed: UInt64(moves))
        let (first, second, third) = (try life.open(), try life.open(), try life.open())
        let answers = (0..<3).map { _ in Answers() }
        try life.leave(increment(1), at: "/n", by: first, answers[0])
        try life.leave(increment(10), at: "/n", by: second)
        life.server.settle()
        if hasCheckpoint { try life.server.store.checkpoint() }
        first.end()
        try life.leave(increment(100), at: "/m", by: second, answers[1])
        try life.leave(increment(1_000), at: "/n", by: third, answers[2])
        life.move(moves / 4)
        second.end()
        life.move(moves)
        let isNoted = answers.map { !$0.results.isEmpty }

        var next = try life.crash(next: 2)
        for again in [moves % 5, moves % 3] {
            next.endSessionsOfBefore()
            next.move(again)
            if hasCheckpoint, again == 2 { try next.server.store.checkpoint() }
            next = try next.crash(next: UInt64(3 + again))
        }
        next.endSessionsOfBefore()
        next.server.settle()
        let (n, m) = (try next.number(at: "/n"), try next.number(at: "/m"))
        #expect(n == 11 || n == 1_011, "\(n)")
        #expect(m == 0 || m == 100, "\(m)")
        #expect(!isNoted[1] || m == 100)
        #expect(!isNoted[2] || n == 1_011)
        #expect(next.server.store.treeWills.isEmpty && next.server.store.treeWillCount == 0)
    }

    @Test func `What was taken back is not written`() throws {
        let life = try Life(on: SimulatedDisk(seed: 1))
        let (one, two) = (try life.open(), try life.open())
        try life.leave("1", at: "/a", by: one)
        try life.leave(#"{"b":1,"c":2}"#, at: "/x", by: two)
        life.server.settle()
        let answers = Answers()
        one.cancelOnDisconnect(at: TreeLocation(.root)) { answers.results.append($0) }
        // There is nothing to take back any more, and still it is answered only when that is durable.
        one.cancelOnDisconnect(at: TreeLocation(.root)) { answers.results.append($0) }
        two.cancelOnDisconnect(at: try TreeLocation("/x/b")) { answers.results.append($0) }
        #expect(answers.results.isEmpty)
        life.server.settle()
        #expect(answers.results == [.kept, .kept, .kept])
        let next = try life.crash()
        #expect(next.server.store.treeWillCount == 1)
        next.endSessionsOfBefore()
        next.server.settle()
        #expect(try next.stored == #"{"x":{"c":2}}"#)
    }

    @Test func `After a kill it is judged as whose it was, by the rules of then, and what is denied is left out`()
        throws
    {
        let life = try Life(on: SimulatedDisk(seed: 1))
        life.rules.install(try TreeRules(parsing: self.rules))
        let (ada, bob, eve) = (try life.open(as: "ada"), try life.open(as: "bob"), try life.open(as: "eve"))
        for (session, name) in [(ada, "ada"), (bob, "bob"), (eve, "eve")] {
            try life.leave("\"left\"", at: "/online/\(name)", by: session)
        }
        life.server.settle()
        // Asks as somebody else, and what it left is not hers.
        eve.identify(as: Life.identity("mallory"))
        // The end of a token takes back nothing.
        bob.identify(as: TreeIdentity(.nobody), leavesAsBefore: true)
        life.server.settle()

        let next = try life.crash()
        next.rules.install(try TreeRules(parsing: self.rules))
        next.endSessionsOfBefore()
        next.server.settle()
        #expect(try next.stored == #"{"online":{"ada":"left","bob":"left"}}"#)
        #expect(next.server.store.treeWillCount == 0)
    }

    @Test func `What cannot be written any more is left out, also after a kill`() throws {
        let life = try Life(on: SimulatedDisk(seed: 1))
        let session = try life.open()
        try life.leave("5", at: "/gone/.priority", by: session)
        try life.leave("true", at: "/left", by: session)
        life.server.settle()
        let next = try life.crash()
        next.endSessionsOfBefore()
        next.server.settle()
        #expect(try next.stored == #"{"left":true}"#)
    }

    @Test func `What there is no room for is tried again, and a start does not wait for it`() throws {
        let life = try Life(on: SimulatedDisk(seed: 1))
        try life.leave("1", at: "/a", by: try life.open())
        life.server.settle()
        let next = try life.crash()
        // The log's queue is full.
        let large = try set("\"\(String(repeating: "x", count: 40_000))\"", at: "/large")
        next.server.transactions.commitTree(
            TreeOrder([large], to: try next.tree),
            reply: Reply(mailbox: next.server.scheduler.mailbox()) { _ in }
        )
        let ended = next.endSessionsOfBefore()
        #expect(ended.isDone && next.server.store.treeWillCount == 1)
        next.server.settle()
        #expect(try next.number(at: "/a") == 0)
        next.watcher.tick()
        next.server.settle()
        #expect(try next.number(at: "/a") == 1 && next.server.store.treeWillCount == 0)
    }

    @Test func `Sessions that end at once are done in turns`() throws {
        let life = try Life(on: SimulatedDisk(seed: 1))
        let sessions = try (0..<5).map { _ in try life.open() }
        for (number, session) in sessions.enumerated() {
            let places = try (0..<1_000).map {
                (location: try TreeLocation("\($0)"), template: TreeTemplate(.leaf(.integer(1))))
            }
            session.writeOnDisconnect(try .update(places, at: TreePath("/s\(number)"))) { _ in }
            life.server.settle()
        }
        let table = TreeSessionTable()
        for (number, session) in sessions.enumerated() { table.add(session, as: "\(number)") }
        for session in sessions { session.end() }
        let tree = try life.tree
        let begun = life.server.store.newestRoot(of: tree).childCount
        #expect(begun > 0 && begun < 5)
        // Whoever was the last of them, and is there again, waits for its own turn.
        let answers = Answers()
        table.end("4", on: life.watcher.mailbox) { answers.isDone = true }
        #expect(!answers.isDone)
        life.server.settle()
        #expect(answers.isDone)
        // The log's queue is small, so that some are tried again.
        for _ in 0..<5 {
            life.watcher.tick()
            life.server.settle()
        }
        #expect(life.server.store.root(of: tree).root.childCount == 5)
    }

    @Test func `What a session leaves is bounded also where a part of it is taken back`() throws {
        let life = try Life(on: SimulatedDisk(seed: 1))
        let session = try life.open()
        let wide = "{" + (0..<12_000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
        let answers = Answers()
        life.server.settle()
        try life.leave(wide, at: "/wide", by: session, answers)
        life.server.settle()
        session.cancelOnDisconnect(at: try TreeLocation("/wide/k5")) { answers.results.append($0) }
        session.cancelOnDisconnect(at: try TreeLocation("/wide")) { answers.results.append($0) }
        life.server.settle()
        #expect(answers.results == [.kept, .tooMuch, .kept])
        // What is no write is kept by nobody.
        for _ in 0..<10 { session.writeOnDisconnect(try .update([], at: .root)) { answers.results.append($0) } }
        life.server.settle()
        #expect(answers.results.count == 13 && life.server.store.treeWillCount == 0)
    }

    @Test func `Of a set that has more children than a session may leave places no part is taken back`() throws {
        let life = try Life(on: SimulatedDisk(seed: 1))
        let session = try life.open()
        let answers = Answers()
        life.server.settle()
        for (count, place) in [(2_002, "/wide"), (1_000, "/narrow")] {
            let wide = "{" + (0..<count).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
            try life.leave(wide, at: place, by: session, answers)
            life.server.settle()
            session.cancelOnDisconnect(at: try TreeLocation("\(place)/k5")) { answers.results.append($0) }
            life.server.settle()
        }
        #expect(answers.results == [.kept, .tooMuch, .kept, .kept])
        #expect(session.disconnectPlaces == 1_000)
        session.end()
        life.server.settle()
        #expect(life.server.store.root(of: try life.tree).root.childCount == 2)
    }

    @Test func `What changes nothing is not noted, and is answered when what was noted before is durable`() throws {
        let life = try Life(on: SimulatedDisk(seed: 1))
        let session = try life.open()
        let answers = Answers()
        try life.leave(#"{"x":1}"#, at: "/a", by: session)
        let time = life.server.store.appliedTime
        for place in ["/b", "/a/.priority", "/c/.priority", "/ab"] {
            session.cancelOnDisconnect(at: try TreeLocation(place)) { answers.results.append($0) }
        }
        session.writeOnDisconnect(try .update([], at: .root)) { answers.results.append($0) }
        #expect(answers.results.isEmpty)
        life.server.settle()
        #expect(answers.results == Array(repeating: .kept, count: 5))
        #expect(life.server.store.appliedTime == time)
        let next = try life.crash()
        next.endSessionsOfBefore()
        next.server.settle()
        #expect(try next.stored == #"{"a":{"x":1}}"#)
    }

    @Test func `Of a priority that is taken back the rest is written, also after a kill`() throws {
        let life = try Life(on: SimulatedDisk(seed: 1))
        let session = try life.open()
        try life.leave(#"{"x":1,".priority":5}"#, at: "/a", by: session)
        try life.leave("6", at: "/b/.priority", by: session)
        life.server.settle()
        let answers = Answers()
        for place in ["/a/.priority", "/b/.priority"] {
            session.cancelOnDisconnect(at: try TreeLocation(place)) { answers.results.append($0) }
        }
        life.server.settle()
        #expect(answers.results == [.kept, .kept] && session.disconnectPlaces == 1)
        let next = try life.crash()
        next.endSessionsOfBefore()
        next.server.settle()
        #expect(try next.stored == #"{"a":{"x":1}}"#)
    }
}
