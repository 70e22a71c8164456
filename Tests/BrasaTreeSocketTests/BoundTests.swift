import BrasaHTTP2
import BrasaIdentity
import BrasaSimulation
import NIOCore
import Testing

@testable import BrasaTreeSocket

/// What a connection may make the server keep and work.
@Suite struct BoundTests {
    private let tooBig = #""b":{"s":"too_big","d":"\#(ReadBounds.tooBig)"}}"#

    private func update(_ count: Int) -> String {
        let paths = (0..<count).map { "\"k\($0)\":0" }.joined(separator: ",")
        return #"{"p":"/","d":{\#(paths)}}"#
    }

    @Test func `Of a long message of who may not write the beginning is kept, and the request is refused`() throws {
        let line = try Line(.nobody)
        defer { line.stop() }
        let put = #"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/","d":""#
        try line.send("20")
        try line.send(put)
        for _ in 1...18 {
            try line.send(String(repeating: "x", count: 16_384))
            #expect(line.budget.drawnBytes <= TreeConversation.strangerBytesMax)
        }
        try line.send(#""}}}"#)
        let answers = try line.taken()
        #expect(answers.count == 1 && answers.first?.hasPrefix(#"{"r":1,"b":{"s":"too_big""#) ?? false)
        #expect(line.budget.drawnBytes == 0)
        #expect(try line.ask(2, "s", #"{"c":{}}"#) == [#"{"r":2,"b":{"s":"ok","d":""}}"#])
    }

    @Test func `Who has become somebody may send long messages`() throws {
        let reception = Reception.credentials { _, _ in Identification.caller(.administrator) }
        let line = try Line(.nobody, reception: reception)
        defer { line.stop() }
        #expect(try line.ask(1, "auth", #"{"cred":"good"}"#) == [#"{"r":1,"b":{"s":"ok","d":""}}"#])
        let long = String(repeating: "x", count: 100_000)
        #expect(try line.ask(2, "p", #"{"p":"/","d":"\#(long)"}"#) == [#"{"r":2,"b":{"s":"ok","d":""}}"#])
    }

    @Test func `An update of more paths than there may be is refused`() throws {
        let line = try Line()
        defer { line.stop() }
        let answers = try line.ask(1, "m", self.update(10_001))
        #expect(answers.count == 1 && answers.first?.hasPrefix(#"{"r":1,"b":{"s":"too_big""#) ?? false)
        #expect(try line.ask(2, "m", self.update(100)) == [#"{"r":2,"b":{"s":"ok","d":""}}"#])
    }

    @Test func `A write counts until it is answered`() throws {
        let line = try Line()
        defer { line.stop() }
        let long = String(repeating: "x", count: 10_000)
        try line.send(#"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/","d":"\#(long)"}}}"#)
        #expect(line.budget.drawnBytes > 10_000)
        #expect(try line.taken() == [#"{"r":1,"b":{"s":"ok","d":""}}"#])
        #expect(line.budget.drawnBytes == 0)
    }

    @Test func `What waits behind a write counts until its turn, and stops the reading`() throws {
        let line = try Line(budgetBytes: 16 << 20)
        defer { line.stop() }
        try line.send(#"{"t":"d","d":{"r":1,"a":"p","b":{"p":"/","d":1}}}"#)
        let long = String(repeating: "x", count: 60_000)
        for number in 2...20 {
            try line.send(#"{"t":"d","d":{"r":\#(number),"a":"s","b":{"c":{"\#(long)":1}}}}"#)
        }
        #expect(line.budget.drawnBytes > 19 * 60_000 && !line.isReading)
        #expect(try line.taken().count == 20)
        #expect(line.budget.drawnBytes == 0 && line.isReading)
    }

    @Test func `Listens and what is left for the end count as long as they are there`() throws {
        let line = try Line()
        defer { line.stop() }
        for (number, begin, end) in [
            (1, ("q", #"{"p":"/a/b","h":""}"#), ("n", #"{"p":"/a/b"}"#)),
            (
                3, ("q", #"{"p":"/a","q":{"i":".value","sp":"x"},"t":1,"h":""}"#),
                ("n", #"{"p":"/a","q":{"i":".value","sp":"x"},"t":1}"#)
            ),
            (5, ("o", #"{"p":"/a","d":"left"}"#), ("oc", #"{"p":"/a","d":null}"#)),
        ] {
            _ = try line.ask(number, begin.0, begin.1)
            #expect(line.budget.drawnBytes > 0, "\(begin)")
            _ = try line.ask(number + 1, end.0, end.1)
            #expect(line.budget.drawnBytes == 0, "\(begin)")
        }
        _ = try line.ask(7, "q", #"{"p":"/a/b","h":""}"#)
        line.stop()
        #expect(line.budget.drawnBytes == 0)
    }

    @Test func `What is left for the end counts as what it takes in memory`() throws {
        let line = try Line()
        defer { line.stop() }
        let deep = String(repeating: #"{"k":"#, count: 28) + "1" + String(repeating: "}", count: 28)
        for number in 1...10 { _ = try line.ask(number, "o", #"{"p":"/\#(number)","d":\#(deep)}"#) }
        // A page for each level.
        #expect(line.budget.drawnBytes > 10 * 28 * 200)
        _ = try line.ask(11, "oc", #"{"p":"/","d":null}"#)
        #expect(line.budget.drawnBytes == 0)
    }

    // Each place counts as sixteen children.
    @Test(arguments: [300, 3_200])
    func `Many requests about what is left let others have a turn`(_ turnChildrenMax: Int) throws {
        var bounds = ReadBounds()
        bounds.turnChildrenMax = turnChildrenMax
        let line = try Line(bounds: bounds)
        defer { line.stop() }
        #expect(try line.ask(1, "om", self.update(100)) == [#"{"r":1,"b":{"s":"ok","d":""}}"#])
        for number in 2...30 { try line.send(#"{"t":"d","d":{"r":\#(number),"a":"oc","b":{"p":"/none","d":null}}}"#) }
        line.server.settle()
        // What waits for its turn counts beside what is left.
        let waiting = line.budget.drawnBytes
        #expect(try line.taken() == (2...30).map { #"{"r":\#($0),"b":{"s":"ok","d":""}}"# })
        #expect(waiting > line.budget.drawnBytes)
    }

    @Test func `Of a priority that is taken back the write of its node stays`() throws {
        let line = try Line()
        _ = try line.ask(1, "o", #"{"p":"/a","d":{"x":1,".priority":5}}"#)
        #expect(try line.ask(2, "oc", #"{"p":"/a/.priority","d":null}"#) == [#"{"r":2,"b":{"s":"ok","d":""}}"#])
        let other = try Writer(line.watcher)
        try other.put("1", at: "/b")
        line.stop()
        line.server.settle()
        #expect(try other.read("/") == #"{"a":{"x":1},"b":1}"#)
    }

    @Test(
        arguments: [
            (#"{"p":"/n","q":{"i":"x"}}"#, true), (#"{"p":"/n","q":{"i":".value","l":1,"vf":"l"}}"#, false),
            (#"{"p":"/n","q":{"i":".value","l":1,"vf":"l","sp":1}}"#, false),
            (#"{"p":"/n","q":{"i":".key","l":2,"vf":"l"}}"#, true), (#"{"p":"/few","q":{"i":".key","sp":"a"}}"#, true),
            (#"{"p":"/long"}"#, false), (#"{"p":"/n"}"#, true),
        ] as [(String, Bool)]
    )
    func `A read or a listen that would be too much is refused`(_ body: String, _ isAnswered: Bool) throws {
        var bounds = ReadBounds()
        bounds.queryChildrenMax = 3
        bounds.shownBytesMax = 200
        let line = try Line(bounds: bounds)
        defer { line.stop() }
        let long = String(repeating: "x", count: 300)
        _ = try line.ask(1, "p", #"{"p":"/","d":{"n":{"a":1,"b":2,"c":3,"d":4},"few":{"a":1},"long":"\#(long)"}}"#)
        let hasQuery = body.contains("\"q\"")
        // A query of everything is none.
        let isComplete = body.contains(#""i":"x"}"#)
        let get = try line.ask(2, "g", hasQuery ? body : String(body.dropLast()) + #","q":{}}"#)
        #expect((get.last?.contains(#""s":"ok""#) ?? false) == isAnswered)
        if !isAnswered { #expect(get == [#"{"r":2,"# + self.tooBig]) }
        let tag = hasQuery ? #","t":1"# : ""
        let listen = try line.ask(3, "q", String(body.dropLast()) + tag + #","h":""}"#)
        #expect((listen.last?.contains(#""s":"ok""#) ?? false) == isAnswered || isComplete)
        if !isAnswered { #expect(listen == [#"{"r":3,"# + self.tooBig] && line.budget.drawnBytes == 0) }
    }

    @Test func `Listens keep a bounded number of orders, and of children in them, and give room when they end`() throws
    {
        var bounds = ReadBounds()
        bounds.ordersMax = 2
        bounds.indexEntriesMax = 9
        let line = try Line(bounds: bounds)
        defer { line.stop() }
        _ = try line.ask(1, "p", #"{"p":"/","d":{"n":{"a":1,"b":2,"c":3,"d":4},"m":{"a":1}}}"#)
        func listen(_ path: String, _ order: String, _ tag: Int) throws -> Bool {
            let query = #""q":{"i":"\#(order)","l":1,"vf":"l"},"t":\#(tag)"#
            let answers = try line.ask(tag, "q", #"{"p":"\#(path)",\#(query),"h":""}"#)
            return answers.last?.contains(#""s":"ok""#) ?? false
        }
        #expect(try listen("/n", "x", 2) && listen("/n", "y", 3))
        // Keys need none, nor do priorities that are not there, nor what there is.
        #expect(try listen("/n", ".key", 4) && listen("/n", ".priority", 5) && listen("/n", "x", 2))
        #expect(try !listen("/n", "z", 6))
        #expect(try listen("/m", "x", 7) && !listen("/m", "y", 8))
        _ = try line.ask(9, "n", #"{"p":"/n","q":{"i":"y","l":1,"vf":"l"},"t":3}"#)
        #expect(try listen("/n", "z", 10))
        // What comes while somebody listens counts as well.
        _ = try line.ask(11, "p", #"{"p":"/n/e","d":5}"#)
        _ = try line.ask(12, "n", #"{"p":"/m","q":{"i":"x","l":1,"vf":"l"},"t":7}"#)
        #expect(try !listen("/m", "x", 13))
    }

    @Test func `What would take too long to compare is sent whole`() throws {
        var bounds = ReadBounds()
        bounds.hashNodesMax = 2
        let line = try Line(bounds: bounds)
        defer { line.stop() }
        _ = try line.ask(1, "p", #"{"p":"/","d":{"one":1,"two":{"a":1,"b":2}}}"#)
        let one = "YPVfR2bXt/lcDjiQZ8pOkAd3qkQ="
        #expect(try line.ask(2, "q", #"{"p":"/one","h":"\#(one)"}"#).count == 1)
        let ranges = #""ch":{"ps":["b"],"hs":["x","y"]}"#
        #expect(
            try line.ask(3, "q", #"{"p":"/two","h":"x",\#(ranges)}"#).first
                == #"{"a":"d","b":{"p":"two","d":{"a":1,"b":2}}}"#
        )
    }

    @Test func `Reads are worked out when the socket takes them`() throws {
        let line = try Line()
        defer { line.stop() }
        let other = try Writer(line.watcher)
        try other.put("1", at: "/n")
        line.server.settle()
        line.setWritable(false)
        #expect(try line.ask(1, "g", #"{"p":"/n","q":{}}"#).isEmpty)
        try other.put("2", at: "/n")
        line.server.settle()
        line.setWritable(true)
        #expect(try line.taken() == [#"{"r":1,"b":{"s":"ok","d":2}}"#])
    }

    @Test func `Many reads in a row let others have a turn, and keep their order`() throws {
        var bounds = ReadBounds()
        bounds.turnChildrenMax = 3
        let line = try Line(bounds: bounds)
        defer { line.stop() }
        _ = try line.ask(1, "p", #"{"p":"/n","d":{"a":1,"b":2}}"#)
        for number in 2...9 {
            try line.send(#"{"t":"d","d":{"r":\#(number),"a":"g","b":{"p":"/n","q":{}}}}"#)
        }
        #expect(line.budget.drawnBytes > 0)
        let answers = try line.taken()
        #expect(answers == (2...9).map { #"{"r":\#($0),"b":{"s":"ok","d":{"a":1,"b":2}}}"# })
        #expect(line.budget.drawnBytes == 0)
    }
}
