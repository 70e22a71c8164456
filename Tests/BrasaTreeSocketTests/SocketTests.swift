import BrasaHTTP2
import BrasaIdentity
import BrasaSimulation
import BrasaTreeWatch
import NIOCore
import Testing

@testable import BrasaTreeSocket

/// What a connection is told, and when, whatever its socket does.
@Suite struct SocketTests {
    @Test func `Data comes before the answer to a listen, and a write's push before the write's answer`() throws {
        let line = try Line()
        defer { line.stop() }
        #expect(try line.ask(1, "p", #"{"p":"/a","d":{"x":1}}"#) == [#"{"r":1,"b":{"s":"ok","d":""}}"#])
        #expect(
            try line.ask(2, "q", #"{"p":"/a","h":""}"#) == [
                #"{"a":"d","b":{"p":"a","d":{"x":1}}}"#, #"{"r":2,"b":{"s":"ok","d":{}}}"#,
            ]
        )
        #expect(
            try line.ask(3, "p", #"{"p":"/a/x","d":2}"#) == [
                #"{"a":"d","b":{"p":"a/x","d":2}}"#, #"{"r":3,"b":{"s":"ok","d":""}}"#,
            ]
        )
        #expect(try line.ask(4, "n", #"{"p":"/a"}"#) == [#"{"r":4,"b":{"s":"ok","d":""}}"#])
        #expect(try line.ask(5, "p", #"{"p":"/a/x","d":3}"#) == [#"{"r":5,"b":{"s":"ok","d":""}}"#])
    }

    @Test func `A socket that takes nothing is shown the end when it takes something, and not the steps`() throws {
        let line = try Line()
        defer { line.stop() }
        _ = try line.ask(1, "q", #"{"p":"/n","h":""}"#)
        let other = try Writer(line.watcher)
        line.setWritable(false)
        for value in 1...50 { try other.put("\(value)", at: "/n") }
        #expect(try line.ask(2, "p", #"{"p":"/m","d":1}"#).isEmpty)
        #expect(!line.isReading)
        line.setWritable(true)
        #expect(try line.taken() == [#"{"a":"d","b":{"p":"n","d":50}}"#, #"{"r":2,"b":{"s":"ok","d":""}}"#])
        #expect(line.isReading)
        try other.put("51", at: "/n")
        #expect(try line.taken() == [#"{"a":"d","b":{"p":"n","d":51}}"#])
    }

    @Test func `Who is nobody may nothing, and becomes somebody by a token`() throws {
        let reception = Reception.credentials { credentials, _ in
            let isKnown = credentials == Credentials(authorization: "Bearer good")
            return isKnown ? Identification.caller(.administrator) : Identification.refused
        }
        let line = try Line(.nobody, reception: reception)
        defer { line.stop() }
        let denied = #""b":{"s":"permission_denied","d":"Permission denied"}}"#
        for (number, action, body) in [
            (1, "q", #"{"p":"/","h":""}"#), (2, "p", #"{"p":"/","d":1}"#), (3, "g", #"{"p":"/","q":{}}"#),
            (4, "o", #"{"p":"/","d":1}"#),
        ] {
            #expect(try line.ask(number, action, body) == ["{\"r\":\(number)," + denied])
        }
        let wrong = try line.ask(5, "auth", #"{"cred":"bad"}"#)
        #expect(wrong.first?.hasPrefix(#"{"r":5,"b":{"s":"invalid_token""#) ?? false)
        #expect(try line.ask(6, "gauth", #"{"cred":"good"}"#) == [#"{"r":6,"b":{"s":"ok","d":""}}"#])
        #expect(try line.ask(7, "q", #"{"p":"/","h":""}"#) == [#"{"r":7,"b":{"s":"ok","d":{}}}"#])
        // Whoever is nobody again listens no more.
        #expect(
            try line.ask(8, "unauth", "{}") == [
                #"{"r":8,"b":{"s":"ok","d":"unauthenticated"}}"#, #"{"a":"c","b":{"p":""}}"#,
            ]
        )
    }

    @Test func `What there is of a long message counts, and ends the connection where there is no room`() throws {
        let line = try Line(budgetBytes: 64 << 10)
        defer { line.stop() }
        try line.send("9")
        try line.send(String(repeating: "x", count: 20 << 10))
        #expect(line.budget.drawnBytes == 20 << 10)
        try line.send(String(repeating: "x", count: 30 << 10))
        #expect(try line.taken().count == 1 && line.budget.drawnBytes == 0)
    }

    @Test func `A connection that ends writes what it left`() throws {
        let line = try Line()
        _ = try line.ask(1, "o", #"{"p":"/online","d":false}"#)
        line.stop()
        line.server.settle()
        #expect(try Writer(line.watcher).read("/online") == "false")
    }
}
