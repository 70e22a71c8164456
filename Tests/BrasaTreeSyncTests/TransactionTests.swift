import BrasaTree
import Testing

@testable import BrasaTreeSync

struct TransactionTests {
    @Test func `A transaction runs at once on what is known, and is sent with the hash of that`() throws {
        var line = try Line(listeningTo: "/")
        line.push("/", #"{"stars":1}"#)
        let id = try line.addOne(to: "/stars")
        #expect(line.shown.dropFirst(2) == ["/ ~stars=2", #"/ ={"stars":2}"#])
        let sent = try line.sentTransaction()
        #expect(sent.text == "/stars=2")
        #expect(sent.hash == (try node("1").hash))
        line.push("/stars", "2")
        line.answer(sent.put, "ok")
        #expect(line.ended == [id: .committed(try node("2"))])
        #expect(line.shown.count == 4)
        #expect(line.engine.tree.pendingWrites.isEmpty)
    }

    @Test func `It runs on nothing where nothing is known, and again when the server's value comes`() throws {
        var line = try Line()
        try line.addOne(to: "/n")
        let first = try line.sentTransaction()
        #expect(first.text == "/n=1")
        #expect(first.hash == "")
        line.push("/n", "41")
        line.answer(first.put, "datastale")
        let second = try line.sentTransaction()
        #expect(second.text == "/n=42")
        #expect(second.hash == (try node("41").hash))
        line.answer(second.put, "ok")
        #expect(Array(line.ended.values) == [.committed(try node("42"))])
    }

    @Test func `It listens to its place for as long as it lasts`() throws {
        var line = try Line()
        try line.addOne(to: "/n")
        #expect(line.listens == [.open(TreeTarget(try path("/n")), tag: nil)])
        line.answer(try line.sentTransaction().put, "ok")
        #expect(line.listens.last == .close(TreeTarget(try path("/n")), tag: nil))
        #expect(line.shown == [])
    }

    @Test func `It is sent at most 25 times`() throws {
        var line = try Line()
        let id = try line.addOne(to: "/n")
        for value in 0..<25 {
            line.push("/n", "\(value * 10)")
            line.answer(try line.sentTransaction().put, "datastale")
        }
        #expect(line.sent.isEmpty)
        #expect(line.ended == [id: .failed(status: "maxretry")])
        #expect(line.engine.tree.pendingWrites.isEmpty)
    }

    @Test func `An update that wants nothing ends it with what it was run on`() throws {
        var line = try Line(listeningTo: "/n")
        line.push("/n", "5")
        let id = try line.transact(at: "/n") { _ in nil }
        #expect(line.ended == [id: .aborted(try node("5"))])
        #expect(line.sent.isEmpty)
    }

    @Test func `Without local events its listeners see what the server makes of it alone`() throws {
        var line = try Line(listeningTo: "/n")
        line.push("/n", "1")
        try line.addOne(to: "/n", isShown: false)
        #expect(line.shown == ["/n =1"])
        let sent = try line.sentTransaction()
        #expect(sent.text == "/n=2")
        line.push("/n", "2")
        line.answer(sent.put, "ok")
        #expect(line.shown == ["/n =1", "/n =2"])
    }

    @Test func `What it showed is taken back when the server refuses it`() throws {
        var line = try Line(listeningTo: "/n")
        line.push("/n", "1")
        let id = try line.addOne(to: "/n")
        line.answer(try line.sentTransaction().put, "permission_denied")
        #expect(line.ended == [id: .failed(status: "permission_denied")])
        #expect(line.shown == ["/n =1", "/n =2", "/n =1"])
    }

    @Test func `Those that wait are sent together, each run on what those before it leave`() throws {
        var line = try Line(listeningTo: "/")
        line.push("/", #"{"a":{"n":1,"m":1}}"#)
        try line.addOne(to: "/a/n")
        let first = try line.sentTransaction()
        try line.addOne(to: "/a/n")
        try line.addOne(to: "/a/n")
        #expect(line.sent.isEmpty)
        line.push("/a/n", "2")
        line.answer(first.put, "ok")
        let second = try line.sentTransaction()
        #expect(second.text == "/a/n=4")
        #expect(second.hash == (try node("2").hash))
        line.answer(second.put, "ok")
        #expect(line.ended.values.map(\.text).sorted() == ["committed 2", "committed 3", "committed 4"])
    }

    @Test func `One that waited behind another above is sent when that ends, also by a push elsewhere below`() throws {
        var line = try Line(listeningTo: "/")
        line.push("/", #"{"a":{"b":1,"c":1}}"#)
        try line.addOne(to: "/a/b")
        _ = try line.sentTransaction()
        let (sibling, change) = (try path("/x"), try template(#"{"b":7}"#))
        let above = try line.transact(at: "/a") { $0[sibling].isAbsent ? change : nil }
        try line.addOne(to: "/a/c")
        #expect(line.sent.isEmpty)
        line.push("/a/x", "1")
        #expect(Array(line.ended.keys) == [above])
        #expect(try line.sentTransaction().text == "/a/c=2")
    }

    @Test func `Those above and below one another go as one put at the uppermost place`() throws {
        var line = try Line(listeningTo: "/")
        line.push("/", #"{"a":{"n":1,"m":1}}"#)
        // Until it is answered, the others wait.
        try line.addOne(to: "/a/n")
        let first = try line.sentTransaction()
        let change = try template(#"{"n":10,"m":10}"#)
        try line.transact(at: "/a") { _ in change }
        let time = try template(#"{".sv":"timestamp"}"#)
        try line.transact(at: "/a/m") { _ in time }
        line.push("/a/n", "2")
        line.answer(first.put, "ok")
        let second = try line.sentTransaction()
        #expect(second.text == #"/a={"n":10,"m":{".sv":"timestamp"}}"#)
        line.answer(second.put, "ok")
        #expect(line.ended.count == 3)
    }

    @Test func `What those below have made of one above stays over it when that runs again`() throws {
        var line = try Line(listeningTo: "/a")
        line.listen(to: try path("/a/n"))
        line.push("/a", #"{"n":10,"t":"x"}"#)
        let (star, starred) = (try key("star"), TreeNode(.boolean(true)))
        try line.transact(at: "/a") { TreeTemplate($0.setting(starred, for: star)) }
        let first = try line.sentTransaction()
        try line.addOne(to: "/a/n")
        let last = try line.addOne(to: "/a/n")
        let told = line.shown.count
        line.push("/a/t", #""y""#)
        line.answer(first.put, "datastale")
        let second = try line.sentTransaction()
        #expect(second.text == #"/a={"n":12,"star":true,"t":"y"}"#)
        #expect(second.hash == (try node(#"{"n":10,"t":"y"}"#).hash))
        line.push("/a", #"{"n":12,"star":true,"t":"y"}"#)
        line.answer(second.put, "ok")
        #expect(line.ended[last] == .committed(try node("12")))
        #expect(line.ended.values.map(\.text).contains("committed 11"))
        #expect(line.shown.dropFirst(told).filter { $0.hasPrefix("/a/n") } == [], "the counter does not fall back")
        #expect(line.shown.last == #"/a ={"n":12,"star":true,"t":"y"}"#)
    }

    @Test(arguments: ["/a/n", "/a", "/a/n/x", "/"]) func `A set over its place ends it`(_ text: String) throws {
        var line = try Line(listeningTo: "/")
        line.push("/", #"{"a":{"n":1},"b":1}"#)
        try line.addOne(to: "/a/n")
        let sent = try line.sentTransaction()
        let waiting = try line.addOne(to: "/a/n")
        line.write(try set(text, "7"))
        #expect(line.ended == [waiting: .failed(status: "set")])
        // What was sent is not run again, but what the server says of it counts.
        line.answer(sent.put, "datastale")
        #expect(line.ended.count == 2)
        #expect(line.sent.count == 1)
        #expect(line.ended.values.allSatisfy { $0 == .failed(status: "set") })
    }

    @Test func `A set beside its place does not concern it`() throws {
        var line = try Line(listeningTo: "/")
        line.push("/", #"{"a":{"n":1},"b":1}"#)
        let id = try line.addOne(to: "/a/n")
        line.write(try set("/a/m", "7"))
        line.answer(try line.sentTransaction().put, "ok")
        #expect(line.ended == [id: .committed(try node("2"))])
    }

    @Test func `It fails with the connection once it was sent, and waits where it was not`() throws {
        var line = try Line(listeningTo: "/")
        line.push("/", #"{"n":1}"#)
        let sent = try line.addOne(to: "/n")
        _ = try line.sentTransaction()
        let waiting = try line.addOne(to: "/n")
        line.disconnect()
        #expect(line.ended == [sent: .failed(status: "disconnect")])
        let second = try line.sentTransaction()
        #expect(second.text == "/n=2")
        line.answer(second.put, "ok")
        #expect(line.ended[waiting] == .committed(try node("2")))
    }

    @Test func `What the server writes when the connection ends is shown then`() throws {
        var line = try Line(listeningTo: "/")
        line.push("/", #"{"online":true,"n":1}"#)
        line.engine.onDisconnect.add(try set("/online", "false"))
        line.engine.onDisconnect.add(try set("/seen", #"{".sv":"timestamp"}"#))
        line.disconnect()
        #expect(line.shown.last == #"/ ={"n":1,"online":false,"seen":1000}"#)
        #expect(line.engine.onDisconnect.writes.isEmpty)
    }
}
