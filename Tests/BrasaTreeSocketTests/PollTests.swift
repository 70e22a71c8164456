import BrasaHTTP2
import BrasaIdentity
import BrasaTreeWatch
import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaTreeSocket

/// A session over requests that are held, under a simulated clock.
@Suite struct PollTests {
    private static let answered = #"{"t":"d","d":{"r":1,"b":{"s":"ok","d":""}}}"#

    @Test func `A request is answered when there is something to say, or after 25 seconds`() throws {
        let line = try PollLine()
        defer { line.stop() }
        #expect(try line.start().hasSuffix("]);"))
        #expect(try line.taken(try line.ask(1, "p", #"{"p":"/n","d":1}"#)) == "pRTLPCB(1,[\(Self.answered)]);")
        let held = try line.poll()
        line.advance(seconds: 24, milliseconds: 990)
        #expect(try line.taken(held).isEmpty)
        line.advance(seconds: 0, milliseconds: 11)
        #expect(try line.taken(held) == "pRTLPCB(2,[]);")
        #expect(line.table.count == 1)
    }

    @Test func `A session whose requests stop ends, and what it leaves is written`() throws {
        let line = try PollLine()
        defer { line.stop() }
        _ = try line.start()
        _ = try line.taken(try line.ask(1, "o", #"{"p":"/online","d":false}"#))
        let writer = try Writer(line.watcher)
        line.advance(seconds: 89)
        #expect(try line.table.count == 1 && writer.read("/online") == "null")
        line.advance(seconds: 2)
        #expect(try line.table.count == 0 && writer.read("/online") == "false")
        #expect(line.budget.drawnBytes == 0)
        #expect(try line.taken(try line.poll()) == "pLPCommand('close');")
    }

    @Test func `A client that gives up its request has five seconds for the next`() throws {
        let line = try PollLine()
        defer { line.stop() }
        _ = try line.start()
        line.close(try line.poll())
        line.advance(seconds: 4)
        let second = try line.poll()
        line.advance(seconds: 10)
        #expect(line.table.count == 1)
        line.close(second)
        line.advance(seconds: 6)
        #expect(line.table.count == 0)
    }

    @Test func `Who asks for nothing is shown the end when it asks, and not the steps`() throws {
        let line = try PollLine()
        defer { line.stop() }
        _ = try line.start()
        _ = try line.taken(try line.ask(1, "q", #"{"p":"/n","h":""}"#))
        let writer = try Writer(line.watcher)
        let long = String(repeating: "x", count: 30_000)
        for value in 1...50 {
            try writer.put("\"\(value) \(long)\"", at: "/n")
            line.run()
        }
        #expect(line.budget.drawnBytes < 200_000)
        var events = try line.taken(try line.poll())
        events += try line.taken(try line.poll())
        #expect(events.contains("\"1 x") && events.contains("\"50 x") && !events.contains("\"20 x"))
        try writer.put("1", at: "/n")
        let last = try line.taken(try line.poll())
        #expect(last.contains(#"{"t":"d","d":{"a":"d","b":{"p":"n","d":1}}}"#))
    }

    @Test func `Who says more than may be looked at is not heard, and not for ever`() throws {
        let line = try PollLine(
            admission: Admission(.nobody, share: CallerShare(CallerBounds(.init(callsPerSecond: 1))))
        )
        defer { line.stop() }
        _ = try line.start()
        let put = "{\"p\":\"/n\",\"d\":\"\(String(repeating: "x", count: 20_000))\"}"
        let first = try line.ask(1, "p", put)
        let second = try line.ask(2, "p", put)
        // A client waits for an answer, which says that it may say more.
        #expect(try line.taken(first).isEmpty && line.taken(second).isEmpty)
        for number in 3...60 where line.table.count == 1 { _ = try line.ask(number, "p", put) }
        #expect(line.table.count == 0 && line.budget.drawnBytes == 0)
    }

    @Test func `A session counts, and begins where there is room for it`() throws {
        let line = try PollLine(budgetBytes: 40 << 10)
        defer { line.stop() }
        #expect(try line.start().contains("pRTLPCB(0,[{"))
        #expect(line.budget.drawnBytes == PollSession.keptBytes)
        #expect(try line.start().contains("pRTLPCB(0,[{"))
        while line.table.count < 10, try line.start().contains("'start'") {}
        #expect(try line.start().hasSuffix("pLPCommand('close');"))
        #expect((2...5).contains(line.table.count))
        #expect(line.budget.drawnBytes == line.table.count * PollSession.keptBytes)
    }

    @Test func `A message for which there is no room ends the session, and is not sent`() throws {
        let line = try PollLine(budgetBytes: 64 << 10)
        defer { line.stop() }
        _ = try line.start()
        try Writer(line.watcher).put("\"\(String(repeating: "<", count: 100_000))\"", at: "/n")
        let held = try line.poll()
        _ = try line.ask(1, "q", #"{"p":"/n","h":""}"#)
        let answer = try line.taken(held)
        #expect(answer.hasSuffix("pLPCommand('close');") && answer.utf8.count < 1_000, "\(answer.utf8.count) bytes")
        #expect(line.table.count == 0 && line.budget.drawnBytes == 0)
    }

    @Test func `A server that stops sends its clients away, and lets no others in`() throws {
        let line = try PollLine()
        defer { line.stop() }
        _ = try line.start()
        let held = try line.poll()
        line.table.drain()
        // When it has had all replies up to that one.
        #expect(try line.taken(held) == "pRTLPCB(1,[]);pLPCommand('close',1);")
        #expect(line.table.count == 0)
        #expect(try line.start().isEmpty)
    }
}
