import BrasaTree
import BrasaTreeWire
import Testing

@testable import BrasaTreeLink
@testable import BrasaTreeSync

@Suite("The client")
struct ClientTests {
    @Test("What the server pushes and answers becomes events")
    func events() throws {
        var script = ScriptedClient()
        _ = try script.listen("a")
        try script.open()
        // The listen's number comes after the statistics'.
        try script.say(data("a", ["x": 1]))
        try script.say(.response(number: 2, .ok, .value([:])))
        #expect(script.takeEvents() == ["/a added x", #"/a = {"x":1}"#])
        let parts = [
            (location: try TreeLocation("x"), node: TreeNode.absent),
            (location: try TreeLocation("y/z"), node: .leaf(.boolean(true))),
        ]
        try script.say(.push(.merge(try TreePath("a"), parts, tag: nil)))
        #expect(script.takeEvents() == ["/a removed x", "/a added y", #"/a = {"y":{"z":true}}"#])
    }

    @Test("A place where nothing is shows that once the server has answered")
    func absent() throws {
        var script = ScriptedClient()
        try script.open()
        _ = try script.listen("a")
        #expect(script.takeEvents() == [])
        try script.respond(script.requests[0], .ok, .value([:]))
        #expect(script.takeEvents() == ["/a = null"])
    }

    @Test("A listen that is refused, or is not allowed any more, tells its listener, and nothing follows")
    func refused() throws {
        var script = ScriptedClient()
        try script.open()
        _ = try script.listen("a")
        try script.respond(script.requests[0], .permissionDenied)
        #expect(script.takeEvents() == ["/a permission_denied"])
        _ = try script.listen("b")
        try script.say(.push(.revoked(TreeTarget(TreePath("b")))))
        #expect(script.takeEvents() == ["/b permission_denied"])
    }

    @Test("Nothing is left of listeners that come and go without a connection, nor of listens that are refused")
    func goneListens() throws {
        var script = ScriptedClient()
        for number in 0..<100 {
            let listener = try script.listen("a\(number % 2)")
            try script.step { $0.unlisten(listener, $1) }
        }
        #expect(script.client.engine.tree.listens.closing.isEmpty)
        try script.open()
        for number in 0..<100 {
            _ = try script.listen("b\(number)")
            try script.respond(try #require(script.requests.last), .permissionDenied)
        }
        #expect(script.client.link.requests.listens.isEmpty)
    }

    @Test(
        "After a connection listens are asked for with their tags and hashes, then the writes without an answer, in order"
    )
    func reconnection() throws {
        var script = ScriptedClient()
        try script.open()
        let query = try TreeQuery(order: .key, limit: TreeQuery.Limit(2, .first))
        _ = try script.listen("a")
        _ = try script.listen("b", query)
        try script.say(data("a", 4))
        try script.say(data("b", ["x": 1], tag: 1))
        for request in script.requests { try script.respond(request, .ok, .value([:])) }
        let answered = try script.set("c", 1)
        try script.respond(#require(script.requests.last))
        let first = try script.set("d", 1)
        let second = try script.set("e", 2)
        _ = try script.takeRequests()
        try script.close()
        let third = try script.set("f", 3)
        try script.waitForDeadline()
        try script.hello(session: "s2")
        let hash = try TreeTemplate(["x": 1]).node.hash
        let requests = script.requests
        #expect(zip(requests, requests.dropFirst()).allSatisfy { $0.number < $1.number })
        #expect(
            try script.takeRequests()
                == ["s", "q /a #eVih19a6ZDz3NL32uVBtg9KSgQY=", "q /b t1 #\(hash)", "p /d", "p /e", "p /f"]
        )
        for request in requests.suffix(3) { try script.respond(request) }
        for call in [answered, first, second, third] {
            guard case .done? = script.answers[call] else {
                Issue.record("\(call)")
                continue
            }
        }
    }

    @Test("A large listen is asked for with hashes by range")
    func compoundHash() throws {
        var script = ScriptedClient()
        try script.open()
        _ = try script.listen("a")
        try script.say(data("a", ["x": .string(TreeText(String(repeating: "x", count: 2_000)))]))
        try script.respond(script.requests[0], .ok, .value([:]))
        try script.close()
        try script.waitForDeadline()
        try script.hello()
        #expect(try script.takeRequests().last?.hasSuffix(" ch") == true)
    }

    @Test("A write shows at once; when the server refuses it, it goes, and whoever wrote it is told why")
    func refusedWrite() throws {
        var script = ScriptedClient()
        try script.open()
        _ = try script.listen("a")
        let call = try script.set("a", 1)
        #expect(script.takeEvents() == ["/a = 1"])
        try script.respond(script.requests[1], .permissionDenied, .text("Permission denied"))
        guard case .refused("permission_denied", "Permission denied")? = script.answers[call] else {
            Issue.record("not refused")
            return
        }
    }

    @Test("A transaction is sent with the hash of what it was run on, and again when that was not what is there")
    func transaction() throws {
        var script = ScriptedClient()
        try script.open()
        let path = try TreePath("n")
        try script.step { $0.transact(at: path, isShown: true, $1, Self.increment) }
        #expect(try script.takeRequests() == ["q /n", "p /n #"])
        try script.say(data("n", 4))
        try script.say(.response(number: 3, .dataStale, .empty))
        #expect(try script.takeRequests() == ["p /n #eVih19a6ZDz3NL32uVBtg9KSgQY="])
        try script.say(.response(number: 4, .ok, .empty))
        #expect(script.ended.map(\.outcome) == [.committed(.leaf(.integer(5)))])
    }

    private static let increment: TransactionUpdate = { node in
        guard case .integer(let number)? = node.scalar else { return TreeTemplate(.leaf(.integer(1))) }
        return TreeTemplate(.leaf(.integer(number + 1)))
    }

    @Test("When the connection goes, a transaction that was sent fails; one that was not is sent on the next one")
    func lostTransaction() throws {
        var script = ScriptedClient { $0.requestsMax = 3 }
        try script.open()
        for name in ["n", "m"] {
            let path = try TreePath(name)
            try script.step { $0.transact(at: path, isShown: true, $1, Self.increment) }
        }
        #expect(try script.takeRequests() == ["q /n", "p /n #", "q /m"])
        try script.close()
        #expect(script.ended.map(\.outcome) == [.failed(status: "disconnect")])
        try script.waitForDeadline()
        try script.hello()
        #expect(try script.takeRequests() == ["s", "q /m", "p /m #"])
    }

    @Test("`.info` says whether there is a connection, and how far the server's clock is ahead")
    func info() throws {
        var script = ScriptedClient()
        _ = try script.listen("connected", of: .info)
        _ = try script.listen("serverTimeOffset", of: .info)
        #expect(script.takeEvents() == [".info/connected = false", ".info/serverTimeOffset = 0"])
        try script.step { $0.goOnline($1) }
        try script.hello(ahead: 250)
        #expect(script.takeEvents() == [".info/serverTimeOffset = 250", ".info/connected = true"])
        try script.step { $0.goOffline($1) }
        #expect(script.takeEvents() == [".info/connected = false"])
    }

    @Test("What the server was to write when the connection ends shows when it has ended")
    func onDisconnect() throws {
        var script = ScriptedClient()
        try script.open()
        _ = try script.listen("online")
        try script.say(data("online", true))
        try script.respond(script.requests[0], .ok, .value([:]))
        let write = try TreeWrite.set(TreeTemplate(false), at: TreeLocation("online"))
        let call = try script.step { $0.onDisconnect(.write(write), $1) }
        try script.respond(script.requests[1])
        guard case .done? = script.answers[call] else {
            Issue.record("not registered")
            return
        }
        _ = script.takeEvents()
        try script.close()
        #expect(script.takeEvents() == ["/online = false"])
        // It is done, and not asked for again.
        script.requests.removeAll()
        try script.waitForDeadline()
        try script.hello()
        #expect(try script.takeRequests().contains { $0.hasPrefix("o") } == false)
    }

    @Test(
        "A get is answered by what is listened to, by the server, or after three seconds without a connection not at all"
    )
    func get() throws {
        var script = ScriptedClient()
        try script.open()
        _ = try script.listen("a")
        try script.say(data("a", ["x": 1]))
        try script.respond(script.requests[0], .ok, .value([:]))
        let path = try TreePath("a/x")
        let known = try script.step { $0.get(.all, at: path, $1) }
        guard case .node(.leaf(.integer(1)))? = script.answers[known] else {
            Issue.record("not known")
            return
        }
        let other = try TreePath("b")
        let asked = try script.step { $0.get(.all, at: other, $1) }
        try script.respond(script.requests[1], .ok, .value([".value": 2, ".priority": 1]))
        guard case .node(let node)? = script.answers[asked] else {
            Issue.record("no node")
            return
        }
        #expect(node == TreeNode(.integer(2), priority: .number(1)))
        try script.step { $0.goOffline($1) }
        let lost = try script.step { $0.get(.all, at: other, $1) }
        #expect(script.client.deadline == .milliseconds(script.time + 3_000))
        try script.waitForDeadline()
        guard case .offline? = script.answers[lost] else {
            Issue.record("not offline")
            return
        }
    }

    @Test("What waits behind the writes that are purged is sent then")
    func roomAfterPurge() throws {
        var script = ScriptedClient { $0.requestsMax = 2 }
        try script.open()
        for path in ["a", "b", "c"] { _ = try script.set(path, 1) }
        let place = try TreePath("d")
        _ = try script.step { $0.get(.all, at: place, $1) }
        #expect(try script.takeRequests() == ["p /a", "p /b"])
        try script.step { $0.purge($1) }
        #expect(try script.takeRequests() == ["g /d"])
    }

    @Test("Purging gives up all writes, transactions and requests for the connection's end")
    func purge() throws {
        var script = ScriptedClient()
        try script.open()
        _ = try script.listen("a")
        let write = try script.set("a", 1)
        let path = try TreePath("n")
        let below = try TreePath("n/below")
        // The second is sent with the first, the third waits for them, and would do without.
        for place in [path, path, below] {
            try script.step { $0.transact(at: place, isShown: true, $1, Self.increment) }
        }
        script.requests.removeAll()
        try script.step { $0.purge($1) }
        // Listens end, and writes none is.
        #expect(try !script.takeRequests().contains { $0.hasPrefix("p ") })
        guard case .refused("write_canceled", _)? = script.answers[write] else {
            Issue.record("not purged")
            return
        }
        #expect(script.ended.map(\.outcome) == Array(repeating: .failed(status: "write_canceled"), count: 3))
        try script.close()
        script.requests.removeAll()
        try script.waitForDeadline()
        try script.hello()
        #expect(try script.takeRequests() == ["s", "q /a"])
    }
}
