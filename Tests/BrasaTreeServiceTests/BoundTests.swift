import BrasaIdentity
import BrasaPlatform
import BrasaSimulation
import BrasaTree
import BrasaTreeJudging
import Synchronization
import Testing

@testable import BrasaTreeService

/// How large what is read and written may be, with bounds that a test reaches.
@Suite struct BoundTests {
    private static let tooMuchToWrite =
        #"{"error":"Data to write exceeds the maximum size that can be modified with a single request."}"#
    private static let tooMuchToRead =
        #"{"error":"Data requested exceeds the maximum size that can be accessed with a single request."}"#

    private func bench(nodesPerSecond: Int = 1_000_000, readBytes: Int = 1 << 20, readNodes: Int = 1_000) throws
        -> ServiceBench
    {
        var bounds = TreeServiceBounds()
        bounds.writeSizes = TreeWriteSizes(nodesPerSecond: nodesPerSecond)
        bounds.readBytesMax = readBytes
        bounds.readNodesMax = readNodes
        return try ServiceBench(bounds: bounds)
    }

    private func numbers(_ count: Int) -> String {
        "{" + (0..<count).map { "\"k\($0)\":0" }.joined(separator: ",") + "}"
    }

    /// A node of so many counts for one more. What is there counts, too.
    @Test(
        arguments: [
            ("tiny", 9, true), ("tiny", 10, false), ("small", 99, true), ("small", 100, false), ("medium", 299, true),
            ("medium", 300, false), ("large", 599, true), ("large", 600, false), ("unlimited", 900, true),
        ]
    )
    func `A write is refused that is estimated to take longer than it says`(
        _ size: String,
        _ children: Int,
        _ isAllowed: Bool
    ) throws {
        let bench = try self.bench(nodesPerSecond: 10)
        let body = self.numbers(children)
        let answer = try bench.ask(.put, "/a", [("writeSizeLimit", size)], body)
        #expect(answer.status == (isAllowed ? 200 : 400))
        #expect(isAllowed || answer.body == Self.tooMuchToWrite)
        #expect(try bench.ask(.put, "/b", [("writeSizeLimit", "unlimited"), ("print", "silent")], body).status == 204)
        for (method, text) in [(TreeCall.Method.delete, ""), (.patch, "null")] {
            let removal = try bench.ask(method, "/b", [("writeSizeLimit", size)], text)
            #expect(removal.status == (isAllowed ? 200 : 400))
            if isAllowed { _ = try bench.ask(.put, "/b", [("writeSizeLimit", "unlimited")], body) }
        }
        // Of an update what it names counts.
        #expect(try bench.ask(.patch, "/", [("writeSizeLimit", "tiny")], #"{"b/k1":1,"c":2}"#).status == 200)
    }

    @Test func `Where a write says nothing, what is set for its database holds`() throws {
        let bench = try self.bench(nodesPerSecond: 10)
        let body = self.numbers(200)
        #expect(try bench.ask(.put, "/a", [], body).status == 200)
        func set(_ value: String) throws {
            var call = TreeCall(.put, bench.name, try TreeLocation("/"), by: .administrator)
            call.body = Array(value.utf8)
            let box = AnswerBox()
            bench.service.answer(settingNamed: "defaultWriteSizeLimit", call) { box.add($0) }
            bench.server.settle()
            #expect(box.only?.status == 200)
        }
        try set("\"small\"")
        #expect(try bench.ask(.put, "/a", [], body).body == Self.tooMuchToWrite)
        #expect(try bench.ask(.put, "/a", [("writeSizeLimit", "unlimited")], "1").status == 200)
        try set("\"unlimited\"")
        #expect(try bench.ask(.put, "/a", [], self.numbers(900)).status == 200)
    }

    @Test func `Who may not write is not told how large what is there is`() throws {
        let bench = try self.bench(nodesPerSecond: 10)
        try bench.judge(by: #"{"mine":{".write":true}}"#)
        for path in ["/mine", "/other"] { #expect(try bench.ask(.put, path, [], self.numbers(50)).status == 200) }
        let tiny = [("writeSizeLimit", "tiny")]
        #expect(try bench.ask(.delete, "/other", tiny, by: .nobody).status == 401)
        #expect(try bench.ask(.delete, "/mine", tiny, by: .nobody).body == Self.tooMuchToWrite)
    }

    @Test func `A read of more than one may show is refused`() throws {
        let bench = try self.bench(readBytes: 2_000, readNodes: 1_000)
        _ = try bench.ask(.put, "/long", [], #"{"a":"\#(String(repeating: "x", count: 1_900))","b":1}"#)
        #expect(try bench.ask(.get, "/long").status == 200)
        _ = try bench.ask(.put, "/long/b", [], "\"\(String(repeating: "x", count: 200))\"")
        #expect(try bench.ask(.get, "/long").body == Self.tooMuchToRead)
        // What is shown counts.
        let last = [("orderBy", "\"$key\""), ("limitToLast", "1")]
        #expect(try bench.ask(.get, "/long", last).status == 200)
        #expect(try bench.ask(.get, "/long", [("shallow", "true")]).body == #"{"a":true,"b":true}"#)
        // And all nodes that are there.
        _ = try bench.ask(.put, "/many", [], self.numbers(1_000))
        #expect(try bench.ask(.get, "/many", last).body == Self.tooMuchToRead)
        _ = try bench.ask(.delete, "/many/k0")
        #expect(try bench.ask(.get, "/many", last).status == 200)
    }

    @Test func `A read that takes longer than its timeout is refused`() throws {
        let bench = try self.bench()
        #expect(try bench.ask(.get, "/a", [("timeout", "10s")]).status == 200)
        let looks = Atomic<Int>(0)
        let slow = TreeService(
            store: bench.server.store,
            transactions: bench.server.transactions,
            rules: bench.rules,
            mailbox: bench.server.scheduler.mailbox(),
            pushIDs: PushIDSource(clock: .system, entropy: .system),
            clock: Clock(
                wall: { Clock.system.wall() },
                // Each look at it takes six seconds.
                monotonic: {
                    let looks = looks.add(1, ordering: .relaxed).newValue
                    return MonotonicTime(sinceStart: .seconds(6 * looks))
                }
            )
        )
        for (timeout, status) in [("5s", 400), ("5999ms", 400), ("6s", 200), ("0.1min", 200)] {
            var call = TreeCall(.get, bench.name, try TreeLocation("/a"), by: .administrator)
            call.parameters = [TreeQuery.Parameter("timeout", timeout)]
            let box = AnswerBox()
            slow.answer(call) { box.add($0) }
            #expect(box.only?.status == status)
        }
    }
}
