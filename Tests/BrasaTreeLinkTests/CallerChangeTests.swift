import BrasaTree
import BrasaTreeWire
import Testing

@testable import BrasaTreeLink

@Suite("Who asks changes")
struct CallerChangeTests {
    @Test("When who asks changes, the open connection is told")
    func tokenChange() throws {
        var script = try ScriptedClient.connected(token: "a.b.c")
        try script.step { $0.changeToken($1) }
        try script.step { $0.tokenFetched(.success(nil), fetch: 2, $1) }
        #expect(try script.takeRequests() == ["unauth"])
        try script.step { $0.changeToken($1) }
        try script.step { $0.tokenFetched(.success("d.e.f"), fetch: 3, $1) }
        #expect(try script.takeRequests() == ["auth d.e.f"])
    }

    /// Connected, with a write of whoever comes next.
    private func changed() throws -> ScriptedClient {
        var script = try ScriptedClient.connected(token: "a.b.c")
        try script.step { $0.changeToken($1) }
        _ = try script.set("a", 1)
        return script
    }

    @Test("What is asked for after a change of who asks waits until the server has taken their token")
    func requestsAfterChange() throws {
        var script = try self.changed()
        #expect(script.requests.isEmpty)
        try script.step { $0.tokenFetched(.success("d.e.f"), fetch: 2, $1) }
        let change = try #require(script.requests.last)
        #expect(try script.takeRequests() == ["auth d.e.f"])
        try script.respond(change)
        #expect(try script.takeRequests() == ["p /a"])
    }

    @Test(
        "Where the server does not take it, nothing is asked in the name of whom they were before",
        arguments: [TreeStatus.invalidToken, .expiredToken, .unavailable]
    )
    func refusedChange(_ status: TreeStatus) throws {
        var script = try self.changed()
        try script.step { $0.tokenFetched(.success("d.e.f"), fetch: 2, $1) }
        let change = try #require(script.requests.last)
        script.requests.removeAll()
        try script.respond(change, status)
        #expect(script.requests.isEmpty && script.disconnects == 1)
        try script.waitForDeadline()
        // One that may be good is shown again.
        #expect(script.fetches == [false, false] + (status == .unavailable ? [] : [true]))
    }

    @Test("Of two changes only the server's answer to the second counts, and both have the time of the first")
    func twoChanges() throws {
        var script = try self.changed()
        try script.step { $0.tokenFetched(.success("d.e.f"), fetch: 2, $1) }
        let first = try #require(script.requests.last)
        script.time += 10_000
        try script.step { $0.changeToken($1) }
        script.requests.removeAll()
        try script.respond(first)
        try script.step { $0.tokenFetched(.success("g.h.i"), fetch: 3, $1) }
        let second = try #require(script.requests.last)
        #expect(try script.takeRequests() == ["auth g.h.i"])
        #expect(script.client.deadline == .milliseconds(script.time + 20_000))
        try script.respond(second)
        #expect(try script.takeRequests() == ["p /a"] && script.disconnects == 0)
    }

    @Test("The end of the token before does not count for the one that comes")
    func revokedWhileChanging() throws {
        var script = try self.changed()
        try script.step { $0.tokenFetched(.success("d.e.f"), fetch: 2, $1) }
        try script.say(.push(.authRevoked(.expiredToken, reason: "")))
        try script.waitForDeadline()
        #expect(script.fetches == [false, false] && script.connects.map(\.token).last == "d.e.f")
    }

    enum Loss: CaseIterable {
        case providerFails, providerHangs, serverHangs, socketCloses, userGoesOffline
    }

    @Test("A change of who asks that does not come through is made by the next connection", arguments: Loss.allCases)
    func lostChange(_ loss: Loss) throws {
        var script = try self.changed()
        let began = script.time
        switch loss {
        case .providerFails: try script.step { $0.tokenFetched(.failure(LinkTokenError("none")), fetch: 2, $1) }
        case .providerHangs: try script.waitForDeadline()
        case .serverHangs:
            try script.step { $0.tokenFetched(.success("d.e.f"), fetch: 2, $1) }
            script.requests.removeAll()
            try script.waitForDeadline()
        case .socketCloses: try script.close()
        case .userGoesOffline: try script.step { $0.goOffline($1) }
        }
        #expect(script.time == began + (loss == .providerHangs || loss == .serverHangs ? 30_000 : 0))
        #expect(script.requests.isEmpty && script.connects.count == 1)
        if loss == .userGoesOffline {
            try script.step { $0.goOnline($1) }
        } else {
            try script.waitForDeadline()
        }
        if loss != .serverHangs {
            // Nobody waits for the one before any more.
            try script.step { $0.tokenFetched(.success("old"), fetch: 2, $1) }
            #expect(script.fetches == [false, false, false] && script.connects.count == 1)
            try script.step { $0.tokenFetched(.success("d.e.f"), fetch: 3, $1) }
        }
        #expect(script.connects.map(\.token).last == "d.e.f")
        try script.hello()
        try script.respond(#require(script.requests.last))
        #expect(try script.takeRequests() == ["s", "auth d.e.f", "p /a"])
    }

    @Test("A token that was being fetched when who asks changed is not theirs")
    func changeWhileFetching() throws {
        var script = ScriptedClient { $0.hasTokenProvider = true }
        try script.step { $0.goOnline($1) }
        try script.step { $0.changeToken($1) }
        try script.step { $0.tokenFetched(.success("a.b.c"), fetch: 1, $1) }
        #expect(script.fetches == [false, false] && script.connects.isEmpty)
        try script.step { $0.tokenFetched(.success("d.e.f"), fetch: 2, $1) }
        #expect(script.connects.map(\.token) == ["d.e.f"])
    }
}
