import BrasaTree
import BrasaTreeSync
import BrasaTreeWire
import Foundation
import Testing

@testable import BrasaTreeLink

@Suite("The link")
struct LinkTests {
    @Test("A connection begins with the server's hello, then the client says what it is and asks for its listens")
    func beginning() throws {
        var script = ScriptedClient()
        _ = try script.listen("a")
        try script.step { $0.goOnline($1) }
        #expect(script.connects == [LinkAddress(host: "first.example", lastSession: nil, token: nil)])
        #expect(script.requests.isEmpty)
        try script.hello()
        #expect(try script.takeRequests() == ["s", "q /a"])
    }

    @Test(
        "Who asks is settled before anything else is asked, by users' tokens and by administrators'",
        arguments: [
            ("owner", "gauth owner"), ("a.b.c", "auth a.b.c"),
        ]
    )
    func authentication(_ token: String, _ request: String) throws {
        var script = ScriptedClient { $0.token = token }
        _ = try script.listen("a")
        try script.step { $0.goOnline($1) }
        try script.hello()
        let authentication = try #require(script.requests.last)
        #expect(try script.takeRequests() == ["s", request])
        try script.respond(authentication)
        #expect(try script.takeRequests() == ["q /a"])
    }

    @Test("A listen that is not to be sent waits for no answer; a later one of the same target does")
    func unsentListen() throws {
        let target = TreeTarget(try TreePath("a"))
        var queue = RequestQueue()
        for _ in 0..<2 { queue.append(.listen(target, tag: nil, hash: "", compound: nil)) }
        queue.takeNext(bytes: nil)
        #expect(queue.listens == [target: 2])
        queue.takeNext(bytes: nil)
        #expect(queue.listens.isEmpty)
    }

    @Test("A token that is not taken is fetched again; after three in a row the client waits for half a minute")
    func refusedTokens() throws {
        var script = ScriptedClient { $0.hasTokenProvider = true }
        try script.step { $0.goOnline($1) }
        #expect(script.fetches == [false])
        for attempt in 1...4 {
            try script.step { [fetch = script.fetch] in $0.tokenFetched(.success("t\(attempt)"), fetch: fetch, $1) }
            #expect(script.connects.last?.token == "t\(attempt)")
            try script.hello()
            let authentication = try #require(script.requests.last)
            try script.respond(authentication, .expiredToken)
            #expect(script.disconnects == attempt)
            let before = script.time
            try script.waitForDeadline()
            #expect(script.fetches.last == true)
            #expect((script.time - before >= 30_000) == (attempt == 4))
        }
    }

    @Test("A server that lets nobody in without a token is asked with another")
    func unauthorized() throws {
        var script = ScriptedClient { $0.hasTokenProvider = true }
        try script.step { $0.goOnline($1) }
        try script.step { $0.tokenFetched(.success("old"), fetch: 1, $1) }
        try script.step { $0.closed(socket: 1, isUnauthorized: true, reason: "401", $1) }
        try script.waitForDeadline()
        #expect(script.fetches == [false, true])
    }

    @Test("When the server says that the token has ended, the client comes back with another")
    func revokedToken() throws {
        var script = ScriptedClient { $0.hasTokenProvider = true }
        try script.step { $0.goOnline($1) }
        try script.step { $0.tokenFetched(.success(nil), fetch: 1, $1) }
        try script.hello()
        try script.say(.push(.authRevoked(.expiredToken, reason: "")))
        #expect(script.disconnects == 1)
        try script.waitForDeadline()
        #expect(script.fetches == [false, true])
    }

    /// What a user's token looks like that ends at a time. Nobody has signed it.
    private func token(_ name: String, ending milliseconds: Int64) -> String {
        let claims = Data(#"{"sub":"\#(name)é>>>???","exp":\#(milliseconds / 1_000)}"#.utf8).base64EncodedString()
        let text = claims.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        return "e30.\(text).\(name)"
    }

    /// Until the provider is asked, or for hours. The server answers pings.
    private func waitForFetch(_ script: inout ScriptedClient) throws {
        let (fetch, end) = (script.fetch, script.time + 20_000_000)
        while script.fetch == fetch, script.time < end {
            try script.waitForDeadline()
            try script.say(.pong)
        }
    }

    @Test(
        "Before a token ends by the server's clock another one is shown on the open connection",
        arguments: [0, 600_000] as [Int64]
    )
    func renewal(_ ahead: Int64) throws {
        var script = ScriptedClient { $0.hasTokenProvider = true }
        try script.step { $0.goOnline($1) }
        let first = script.time + 3_600_000
        try script.step { [token = self.token("a", ending: first)] in $0.tokenFetched(.success(token), fetch: 1, $1) }
        try script.hello(ahead: ahead)
        try script.respond(#require(script.requests.last))
        script.requests.removeAll()
        try self.waitForFetch(&script)
        // To the millisecond, about.
        #expect((0...1).contains(script.time - (first - ahead - 300_000)))
        #expect(script.fetches == [false, true])
        // Nobody has one; it is asked for again before the end, and then a good one is there.
        try script.step { $0.tokenFetched(.failure(LinkTokenError("none")), fetch: 2, $1) }
        try self.waitForFetch(&script)
        #expect((0...1).contains(script.time - (first - ahead - 150_000)))
        let next = self.token("b", ending: first + 3_600_000)
        try script.step { $0.tokenFetched(.success(next), fetch: 3, $1) }
        let renewal = try #require(script.requests.last)
        #expect(try script.takeRequests() == ["auth \(next)"])
        try script.respond(renewal)
        try self.waitForFetch(&script)
        #expect((0...1).contains(script.time - (first + 3_600_000 - ahead - 300_000)))
        #expect(script.disconnects == 0 && script.connects.count == 1)
    }

    /// A connection that is open by a token that ends in so long.
    private func connected(tokenFor milliseconds: Int64) throws -> ScriptedClient {
        try .connected(token: self.token("a", ending: ScriptedClient().time + milliseconds))
    }

    @Test("A server that cannot tell now whether another token is good is shown one again, on the same connection")
    func unavailableRenewal() throws {
        var script = try self.connected(tokenFor: 3_600_000)
        let end = script.time + 3_600_000
        for left in [300_000, 150_000, 75_000] as [Int64] {
            try self.waitForFetch(&script)
            #expect((0...1).contains(script.time - (end - left)))
            let next = self.token("b", ending: end + 3_600_000)
            try script.step { [fetch = script.fetch] in $0.tokenFetched(.success(next), fetch: fetch, $1) }
            let renewal = try #require(script.requests.last)
            #expect(try script.takeRequests() == ["auth \(next)"])
            try script.respond(renewal, left == 75_000 ? .ok : .unavailable)
        }
        try self.waitForFetch(&script)
        #expect((0...1).contains(script.time - (end + 3_600_000 - 300_000)))
        #expect(script.disconnects == 0 && script.connects.count == 1)
    }

    @Test("A provider that does not answer is asked again, with pauses, until the token has ended")
    func hungProvider() throws {
        var script = try self.connected(tokenFor: 3_600_000)
        let end = script.time + 3_600_000
        for left in [300_000, 150_000, 75_000] as [Int64] {
            try self.waitForFetch(&script)
            #expect((0...1).contains(script.time - (end - left)))
        }
        while script.time < end {
            try script.waitForDeadline()
            try script.say(.pong)
        }
        #expect((8...12).contains(script.fetches.count))
        #expect(script.disconnects == 0)
    }

    @Test(
        "Of a token whose end cannot be read the server says that it has ended",
        arguments: ["a.b.c", "owner", "a.e30.c", "a.!.c", "a.eyJleHAiOiJ4In0.c", "a.eyJleHAiOjFlMzAwfQ.c"]
    )
    func unreadableToken(_ token: String) throws {
        var script = ScriptedClient { $0.hasTokenProvider = true }
        try script.step { $0.goOnline($1) }
        try script.step { $0.tokenFetched(.success(token), fetch: 1, $1) }
        try script.hello()
        try script.respond(#require(script.requests.last))
        try self.waitForFetch(&script)
        #expect(script.fetches == [false] && script.disconnects == 0)
    }

    @Test("Waits between attempts grow from one second to thirty, and begin anew after a connection that lived")
    func backoff() throws {
        var script = ScriptedClient()
        try script.step { $0.goOnline($1) }
        var waits: [Int64] = []
        for _ in 0..<20 {
            let before = script.time
            try script.close()
            try script.waitForDeadline()
            waits.append(script.time - before)
        }
        #expect(zip(waits, [1_000, 1_300, 1_690]).allSatisfy { abs($0 - $1) <= 1 })
        #expect((30_000...30_001).contains(waits.last ?? 0))
        try script.hello()
        script.time += 40_000
        let before = script.time
        try script.close()
        try script.waitForDeadline()
        #expect((1_000...1_001).contains(script.time - before))
    }

    @Test("The server may send the client elsewhere, before its hello and later; the host that it names is kept")
    func redirection() throws {
        var script = ScriptedClient()
        try script.step { $0.goOnline($1) }
        try script.say(.reset(host: "second.example"))
        #expect(script.connects.last?.host == "second.example")
        try script.hello(host: "third.example", session: "s7")
        try script.close()
        try script.waitForDeadline()
        #expect(script.connects.last == LinkAddress(host: "third.example", lastSession: "s7", token: nil))
        // Where nobody is found, the client begins again.
        try script.close()
        try script.waitForDeadline()
        #expect(script.connects.last?.host == "first.example")
    }

    @Test("An emulator is where it is, whatever it says")
    func fixedHost() throws {
        var script = ScriptedClient { $0.isHostFixed = true }
        try script.step { $0.goOnline($1) }
        try script.hello(host: "elsewhere")
        try script.close()
        try script.waitForDeadline()
        #expect(script.connects.last?.host == "first.example")
    }

    @Test("After a shutdown the client does not come back until it is told to")
    func shutdown() throws {
        var script = ScriptedClient()
        try script.open()
        try script.say(.shutdown(reason: "no"))
        #expect(script.client.deadline == nil)
        try script.step { $0.goOnline($1) }
        #expect(script.connects.count == 2)
    }

    @Test("A silent connection is asked for a sign of life, and given up when none comes")
    func keepalive() throws {
        var script = ScriptedClient()
        try script.open()
        try script.waitForDeadline()
        #expect(script.time == 1_000 + 45_000)
        #expect(script.frames == [#"{"t":"c","d":{"t":"p","d":{}}}"#])
        try script.say(.pong)
        try script.waitForDeadline()
        try script.waitForDeadline()
        #expect(script.disconnects == 1)
        #expect(script.time == 46_000 + 45_000 + 30_000)
    }

    @Test("What comes from a socket before the newest does not matter, nor what is no message, but for the connection")
    func strangeFrames() throws {
        var script = ScriptedClient()
        try script.open()
        let hello = ServerMessage.hello(milliseconds: 0, host: "x", session: "x").text
        try script.step { $0.receive(hello, socket: 0, $1) }
        #expect(script.disconnects == 0)
        try script.step { $0.receive(Array("{".utf8), socket: 1, $1) }
        #expect(script.disconnects == 1)
    }

    @Test("So many requests wait for their answer at a time; the others wait to be sent, in order")
    func bound() throws {
        var script = ScriptedClient { $0.requestsMax = 2 }
        try script.open()
        for key in ["a", "b", "c"] { _ = try script.set(key, 1) }
        #expect(script.requests.count == 2)
        try script.respond(script.requests[0])
        #expect(try script.takeRequests() == ["p /a", "p /b", "p /c"])
    }

    @Test("A write that no server takes for its size is refused at once")
    func tooLarge() throws {
        var script = ScriptedClient()
        try script.open()
        let text = String(repeating: "x", count: 9 << 20)
        let call = try script.set("a", ["b": .string(TreeText(text)), "c": .string(TreeText(text))])
        guard case .refused("too_big", _)? = script.answers[call] else {
            Issue.record("not refused")
            return
        }
        #expect(script.requests.isEmpty)
    }
}
