import BrasaTree
import Testing

@testable import BrasaTreeSync

/// Transactions whose output, or what is written over them, the server works out.
struct TransactionIncrementTests {
    @Test func `What adds to a value adds to what stands beneath it when it runs again`() throws {
        var line = try Line(listeningTo: "/n")
        line.push("/n", "1")
        let increment = try template(#"{".sv":{"increment":1}}"#)
        let id = try line.transact(at: "/n") { _ in increment }
        let first = try line.sentTransaction()
        line.push("/n", "20")
        line.answer(first.put, "datastale")
        line.push("/n", "21")
        line.answer(try line.sentTransaction().put, "ok")
        #expect(line.ended == [id: .committed(try node("21"))])
        #expect(line.shown == ["/n =1", "/n =2", "/n =21"])
    }

    @Test func `Increments that go together add up`() throws {
        var line = try Line(listeningTo: "/n")
        line.push("/n", "0")
        let increment = try template(#"{".sv":{"increment":1}}"#)
        for _ in 0..<3 { try line.transact(at: "/n") { _ in increment } }
        let first = try line.sentTransaction()
        #expect(first.text == #"/n={".sv":{"increment":1}}"#)
        line.push("/n", "1")
        line.answer(first.put, "ok")
        let second = try line.sentTransaction()
        #expect(second.text == "/n=3")
        #expect(second.hash == (try node("1").hash))
        line.push("/n", "3")
        line.answer(second.put, "ok")
        #expect(line.ended.values.map(\.text).sorted() == ["committed 1", "committed 2", "committed 3"])
        #expect(line.shown.last == "/n =3")
    }

    @Test(
        arguments: [
            ("/a", #"{"n":5}"#, "/a/n", #"{".sv":{"increment":1}}"#, #"/a={"n":6}"#),
            (
                "/a/n", "5", "/a", #"{"n":{".sv":{"increment":1}},"t":{".sv":"timestamp"}}"#,
                #"/a={"n":6,"t":{".sv":"timestamp"}}"#
            ),
            ("/a/n", #"{".sv":"timestamp"}"#, "/a/n", #"{".sv":{"increment":1}}"#, "/a/n=1001"),
            ("/a/n/x", "true", "/a/n", #"{".sv":{"increment":2}}"#, "/a/n=2"),
            (
                "/a/n", #"{".value":4,".priority":1}"#, "/a/n",
                #"{".value":{".sv":{"increment":1}},".priority":{".sv":{"increment":2}}}"#,
                #"/a/n={".value":5,".priority":3}"#
            ),
            (
                "/a/n", "4", "/a/n", #"{".value":{".sv":"timestamp"},".priority":{".sv":{"increment":2}}}"#,
                #"/a/n={".value":{".sv":"timestamp"},".priority":2}"#
            ),
            // What is written below a value makes it children, as on the server.
            ("/a/n", #"{".sv":"timestamp"}"#, "/a/n/x", "true", #"/a/n={"x":true}"#),
            ("/a", #"{"n":{".sv":{"increment":1}}}"#, "/a/n/x/y", "2", #"/a={"n":{"x":{"y":2}}}"#),
            ("/a/n", #"{".sv":"timestamp"}"#, "/a/n/x", "null", #"/a/n={".sv":"timestamp"}"#),
            ("/a/n", "5", "/a/n/x", #"{".sv":"timestamp"}"#, #"/a/n={"x":{".sv":"timestamp"}}"#),
            (
                "/a", #"{".priority":3,"m":1}"#, "/a/m", #"{".sv":"timestamp"}"#,
                #"/a={"m":{".sv":"timestamp"},".priority":3}"#
            ),
            // What the server has counts where none of them has written.
            (
                "/a", #"{"n":{".sv":{"increment":1}}}"#, "/a/m", #"{".sv":{"increment":1}}"#,
                #"/a={"m":1,"n":{".sv":{"increment":1}}}"#
            ),
        ]
    )
    func `What the server works out stands on what an earlier one of the same put writes`(
        _ first: String,
        _ written: String,
        _ second: String,
        _ added: String,
        _ sent: String
    ) throws {
        #expect(try self.put(of: [(first, written), (second, added)]) == sent)
    }

    /// Of a leaf that a part was put under, nothing comes back with that part's removal.
    @Test(arguments: ["5", #"{"x":1}"#, #"{".value":5,".priority":2}"#, #"{".priority":2,"x":1}"#])
    func `What was the only part leaves nothing when it goes in the same put`(_ written: String) throws {
        let time = #"{".sv":"timestamp"}"#
        #expect(try self.put(of: [("/a/n", written), ("/a/n/x", time), ("/a/n/x", "null")]) == "/a/n=null")
    }

    /// What goes as one put, in order, over `{"a":{"n":1}}`.
    private func put(of steps: [(place: String, value: String)]) throws -> String {
        var line = try Line(listeningTo: "/")
        line.push("/", #"{"a":{"n":1}}"#)
        // Until it is answered, the others wait.
        let present = try template(#"{"n":1}"#)
        try line.transact(at: "/a") { _ in present }
        let put = try line.sentTransaction().put
        for step in steps {
            let change = try template(step.value)
            try line.transact(at: step.place) { _ in change }
        }
        line.answer(put, "ok")
        let sent = try line.sentTransaction().text
        #expect(line.sent.isEmpty)
        return sent
    }

    @Test(arguments: [false, true])
    func `An increment adds to what one without local events has written`(_ isTransaction: Bool) throws {
        var line = try Line(listeningTo: "/n")
        line.push("/n", "1")
        try line.addOne(to: "/n", isShown: false)
        let first = try line.sentTransaction()
        let increment = #"{".sv":{"increment":1}}"#
        if isTransaction {
            let change = try template(increment)
            let second = try line.transact(at: "/n") { _ in change }
            line.push("/n", "2")
            line.answer(first.put, "ok")
            line.push("/n", "3")
            line.answer(try line.sentTransaction().put, "ok")
            #expect(line.ended[second] == .committed(try node("3")))
        } else {
            line.write(try set("/n", increment))
            line.push("/n", "2")
            line.answer(first.put, "ok")
        }
        #expect(line.shown == ["/n =1", "/n =3"])
    }

    @Test func `An increment over one that it ends adds to what stands without that`() throws {
        var line = try Line(listeningTo: "/n")
        line.push("/n", "1")
        let sent = try line.addOne(to: "/n")
        let first = try line.sentTransaction()
        let waiting = try line.addOne(to: "/n")
        line.write(try set("/n", #"{".sv":{"increment":1}}"#))
        #expect(line.ended == [waiting: .failed(status: "set")])
        #expect(line.shown == ["/n =1", "/n =2", "/n =3"])
        line.push("/n", "2")
        line.answer(first.put, "ok")
        #expect(line.ended[sent] == .committed(try node("2")))
        #expect(line.shown == ["/n =1", "/n =2", "/n =3"])
    }

    @Test(arguments: [true, false])
    func `What is added when the connection ends adds to what the server has, not to transactions`(
        _ isShown: Bool
    ) throws {
        var line = try Line(listeningTo: "/n")
        line.push("/n", "1")
        line.engine.onDisconnect.add(try set("/n", #"{".sv":{"increment":1}}"#))
        let sent = try line.addOne(to: "/n", isShown: isShown)
        _ = try line.sentTransaction()
        let waiting = try line.addOne(to: "/n", isShown: isShown)
        line.disconnect()
        #expect(line.ended == [sent: .failed(status: "disconnect"), waiting: .failed(status: "set")])
        let known = line.engine.tree.known(TreeTarget(try path("/n")))
        #expect(known == (try node("2")))
        #expect(line.shown.last == "/n =2")
    }
}
