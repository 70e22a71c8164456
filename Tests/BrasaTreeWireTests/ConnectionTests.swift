import BrasaTree
import BrasaTreeWire
import Testing

struct ConnectionTests {
    private func receive(_ content: String, _ connection: inout TreeConnection) throws -> (
        ticket: TreeRequest.Ticket, action: TreeAction
    ) {
        let actions = connection.receive(envelope(content), milliseconds: 0)
        #expect(actions.count == 1)
        return try #require(actions.first?.performed)
    }

    private func sent(_ actions: [TreeConnection.Action]) -> [String] { actions.compactMap(\.sent) }

    /// The reference's short session, frame by frame.
    @Test func `A session goes as the reference has it`() throws {
        var connection = TreeConnection(milliseconds: 0)
        #expect(
            self.sent(connection.open(milliseconds: 1_700_000_000_000, host: "127.0.0.1:9000", session: "Kp3")) == [
                #"{"t":"c","d":{"t":"h","d":{"ts":1700000000000,"v":"5","h":"127.0.0.1:9000","s":"Kp3"}}}"#
            ]
        )
        let stats = try self.receive(#"{"r":1,"a":"s","b":{"c":{"sdk.js.11-0-0":1}}}"#, &connection)
        #expect(self.sent(connection.respond(stats.ticket, .ok)) == [#"{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}"#])

        let listen = try self.receive(#"{"r":2,"a":"q","b":{"p":"/posts","h":""}}"#, &connection)
        #expect(connection.listens[TreeTarget(try path("posts"))]?.tag == nil)
        #expect(
            self.sent(connection.push(.data(TreeLocation(try path("posts")), try node(#"{"k1":{"n":1}}"#), tag: nil)))
                == [
                    #"{"t":"d","d":{"a":"d","b":{"p":"posts","d":{"k1":{"n":1}}}}}"#
                ]
        )
        #expect(
            self.sent(connection.respond(listen.ticket, .ok, .value([:]))) == [
                #"{"t":"d","d":{"r":2,"b":{"s":"ok","d":{}}}}"#
            ]
        )

        let window = try self.receive(
            #"{"r":3,"a":"q","b":{"p":"/s","q":{"i":".key","l":2,"vf":"r"},"t":1,"h":""}}"#,
            &connection
        )
        let target = TreeTarget(try path("s"), try query(#"{"i":".key","l":2,"vf":"r"}"#))
        #expect(connection.listens[target]?.tag == 1)
        #expect(
            self.sent(connection.push(.data(TreeLocation(try path("s")), try node(#"{"b":2,"c":3}"#), tag: 1))) == [
                #"{"t":"d","d":{"a":"d","b":{"p":"s","d":{"b":2,"c":3},"t":1}}}"#
            ]
        )
        _ = connection.respond(window.ticket, .ok, .value([:]))

        let put = try self.receive(#"{"r":4,"a":"p","b":{"p":"/s/d","d":4}}"#, &connection)
        #expect(
            self.sent(
                connection.push(
                    .merge(
                        try path("s"),
                        [(TreeLocation(try path("b")), .absent), (TreeLocation(try path("d")), try node("4"))],
                        tag: 1
                    )
                )
            ) == [#"{"t":"d","d":{"a":"m","b":{"p":"s","d":{"b":null,"d":4},"t":1}}}"#]
        )
        #expect(self.sent(connection.respond(put.ticket, .ok)) == [#"{"t":"d","d":{"r":4,"b":{"s":"ok","d":""}}}"#])

        let transaction = try self.receive(
            #"{"r":5,"a":"p","b":{"p":"/posts/k1/n","d":2,"h":"YPVfR2bXt/lcDjiQZ8pOkAd3qkQ="}}"#,
            &connection
        )
        guard case .put(_, let hash?) = transaction.action else { throw Unexpected() }
        #expect(try node("1").agrees(with: hash))
        #expect(
            self.sent(connection.respond(transaction.ticket, .dataStale, .text("Transaction hash does not match"))) == [
                #"{"t":"d","d":{"r":5,"b":{"s":"datastale","d":"Transaction hash does not match"}}}"#
            ]
        )
    }

    @Test func `Answers go out in the order of the requests`() throws {
        var connection = TreeConnection(milliseconds: 0)
        let tickets = try (1...3).map { try self.receive(#"{"r":\#($0),"a":"unauth","b":{}}"#, &connection).ticket }
        #expect(connection.respond(tickets[2], .ok).isEmpty)
        #expect(connection.respond(tickets[1], .ok).isEmpty)
        // Refused at once, but not before the others.
        #expect(connection.receive(envelope(#"{"r":4,"a":"zz","b":{}}"#), milliseconds: 0).isEmpty)
        let texts = self.sent(connection.respond(tickets[0], .ok))
        #expect(texts.map { $0.dropFirst(14).prefix(5) } == [#""r":1"#, #""r":2"#, #""r":3"#, #""r":4"#])
        // An answer counts once.
        #expect(connection.respond(tickets[0], .ok).isEmpty)
        #expect(connection.respond(tickets[2], .ok).isEmpty)
    }

    @Test func `A ping is answered, what keeps the connection alive is not`() throws {
        var connection = TreeConnection(milliseconds: 0)
        #expect(
            self.sent(connection.receive(Array(#"{"t":"c","d":{"t":"p","d":{}}}"#.utf8), milliseconds: 0)) == [
                #"{"t":"c","d":{"t":"o","d":null}}"#
            ]
        )
        #expect(connection.receive(Array("0".utf8), milliseconds: 100_000).isEmpty)
        #expect(connection.tick(milliseconds: 250_000).isEmpty)
        #expect(connection.tick(milliseconds: 250_001).first?.fault == .silent)
    }

    @Test func `A request in pieces is one`() throws {
        var connection = TreeConnection(milliseconds: 0)
        let long = String(repeating: "x", count: 40_000)
        let message = envelope(#"{"r":1,"a":"p","b":{"p":"/a","d":"\#(long)"}}"#)
        let frames = FrameSplitter.split(message)
        #expect(frames.count == 4)
        let actions = frames.flatMap { connection.receive($0, milliseconds: 0) }
        guard case .put(let write, nil)? = actions.first?.performed?.action else { throw Unexpected() }
        #expect(write.assignments.first?.template.node.scalar == .string(TreeText(long)))
    }

    @Test func `A value that is too deep is refused in an answer`() throws {
        for levels in [33, 61, 62, 100, 1_000] {
            var connection = TreeConnection(milliseconds: 0)
            let deep = String(repeating: #"{"a":"#, count: levels) + "1" + String(repeating: "}", count: levels)
            let refused = connection.receive(envelope(#"{"r":1,"a":"p","b":{"p":"/","d":\#(deep)}}"#), milliseconds: 0)
            #expect(self.sent(refused).first?.contains(#""r":1,"b":{"s":"invalid_data""#) ?? false, "\(levels)")
            let other = connection.receive(envelope(#"{"b":{"d":\#(deep),"p":"/"},"a":"p","r":2}"#), milliseconds: 0)
            #expect(self.sent(other).first?.contains(#""r":2,"b":{"s":"invalid_data""#) ?? false, "\(levels)")
        }
        // Beside the data nothing is so deep.
        var connection = TreeConnection(milliseconds: 0)
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        let actions = connection.receive(envelope(#"{"r":1,"a":"s","b":{"c":\#(deep)}}"#), milliseconds: 0)
        #expect(actions.first?.fault == .malformedMessage)
    }

    @Test func `Of a long message no more is kept than may be, and its request is refused`() throws {
        let message = envelope(#"{"r":7,"a":"p","b":{"p":"/a","d":"\#(String(repeating: "x", count: 40_000))"}}"#)
        for frames in [[message], FrameSplitter.split(message)] {
            var connection = TreeConnection(milliseconds: 0)
            connection.keptBytesMax = 100
            var actions: [TreeConnection.Action] = []
            for frame in frames {
                actions += connection.receive(frame, milliseconds: 0)
                #expect(connection.heldBytes <= 100)
            }
            #expect(self.sent(actions).count == 1)
            #expect(self.sent(actions).first?.contains(#""r":7,"b":{"s":"too_big""#) ?? false)
            #expect(try self.receive(#"{"r":8,"a":"unauth","b":{}}"#, &connection).action.isUnauthenticate)
        }
        // Where its number comes later there is nothing to answer.
        var connection = TreeConnection(milliseconds: 0)
        connection.keptBytesMax = 100
        let other = envelope(#"{"b":{"p":"/a","d":"\#(String(repeating: "x", count: 200))"},"a":"p","r":7}"#)
        #expect(connection.receive(other, milliseconds: 0).first?.fault == .messageTooLong(bytesMax: 100))
    }

    @Test func `Who takes what is sent is there, though it says nothing`() {
        var connection = TreeConnection(milliseconds: 0)
        connection.progressed(milliseconds: 140_000)
        #expect(connection.tick(milliseconds: 290_000).isEmpty)
        #expect(connection.tick(milliseconds: 290_001).first?.fault == .silent)
    }

    @Test func `After a fault nothing goes in or out`() throws {
        var connection = TreeConnection(milliseconds: 0)
        let ticket = try self.receive(#"{"r":1,"a":"q","b":{"p":"/a","h":""}}"#, &connection).ticket
        #expect(connection.receive(Array("{".utf8), milliseconds: 0).first?.fault == .malformedMessage)
        #expect(connection.listens.isEmpty)
        #expect(connection.respond(ticket, .ok).isEmpty)
        #expect(connection.push(.data(TreeLocation(.root), .absent, tag: nil)).isEmpty)
        #expect(connection.receive(envelope(#"{"r":2,"a":"s","b":{}}"#), milliseconds: 0).isEmpty)
        #expect(connection.tick(milliseconds: .max).isEmpty)
    }

    @Test func `Requests without answers and listens are bounded`() throws {
        var connection = TreeConnection(limits: WireLimits(requestsMax: 2, listensMax: 2), milliseconds: 0)
        for (number, isPerformed) in [(1, true), (2, true), (3, false)] {
            let content = #"{"r":\#(number),"a":"q","b":{"p":"/l\#(number)","h":""}}"#
            let actions = connection.receive(envelope(content), milliseconds: 0)
            if let performed = actions.first?.performed { _ = connection.respond(performed.ticket, .ok, .value([:])) }
            #expect((actions.first?.performed != nil) == isPerformed)
            if !isPerformed { #expect(self.sent(actions).first?.contains(#""s":"too_big""#) == true) }
        }
        // One that is there may be asked for again; one that ended makes room.
        #expect(
            connection.receive(envelope(#"{"r":4,"a":"q","b":{"p":"/l1","h":""}}"#), milliseconds: 0)[0].performed
                != nil
        )
        connection.end(TreeTarget(try path("l2")))
        #expect(
            connection.receive(envelope(#"{"r":5,"a":"q","b":{"p":"/l5","h":""}}"#), milliseconds: 0)[0].performed
                != nil
        )
        #expect(
            connection.receive(envelope(#"{"r":6,"a":"s","b":{}}"#), milliseconds: 0).first?.fault
                == .tooManyRequests(requestsMax: 2)
        )
    }
}
