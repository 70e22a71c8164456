import BrasaIdentity
import NIOCore
import NIOEmbedded
import Testing

@testable import BrasaTreeSocket

/// What one caller's connections may have, and what a page may ask that shows nothing.
@Suite struct SocketBoundTests {
    private func admission(_ values: CallerBounds.Values) -> Admission {
        Admission(.administrator, share: CallerShare(CallerBounds(values)))
    }

    private func isOpen(_ line: Line) throws -> Bool { try !line.ask(9, "g", #"{"p":"/","q":{}}"#).isEmpty }

    @Test func `Who asks too often is answered later, in the order of asking, and nothing more is read until then`()
        throws
    {
        let line = try Line(admission: self.admission(.init(callsPerSecond: 1)))
        defer { line.stop() }
        #expect(try line.ask(1, "p", #"{"p":"/a","d":1}"#) == [#"{"r":1,"b":{"s":"ok","d":""}}"#])
        for number in [2, 3] { #expect(try line.ask(number, "p", "{\"p\":\"/a\",\"d\":\(number)}").isEmpty) }
        #expect(!line.isReading)
        for number in [2, 3] {
            line.channel.embeddedEventLoop.advanceTime(by: .milliseconds(1_001))
            #expect(try line.taken() == ["{\"r\":\(number),\"b\":{\"s\":\"ok\",\"d\":\"\"}}"])
        }
        #expect(line.isReading)
    }

    @Test func `A connection is a stream of its caller, until it ends`() throws {
        let admission = self.admission(.init(streams: 1))
        let first = try Line(admission: admission)
        let second = try Line(admission: admission)
        defer { second.stop() }
        let areOpen = [try self.isOpen(first), try self.isOpen(second)]
        #expect(areOpen == [true, false])
        first.stop()
        let third = try Line(admission: admission)
        defer { third.stop() }
        #expect(try self.isOpen(third))
    }

    @Test func `Who becomes another caller takes of that one's share, and gives back the first one's`() throws {
        let (address, user) = (self.admission(.init(streams: 1)), self.admission(.init(streams: 1)))
        let reception = Reception.credentials { _, _ in .admitted(user) }
        let first = try Line(admission: address, reception: reception)
        defer { first.stop() }
        let known = #"{"r":1,"b":{"s":"ok","d":""}}"#
        // The same again is one stream, too.
        for _ in 0..<2 { #expect(try first.ask(1, "auth", #"{"cred":"t"}"#) == [known]) }
        let second = try Line(admission: address, reception: reception)
        defer { second.stop() }
        #expect(try self.isOpen(second))
        #expect(try second.ask(1, "auth", #"{"cred":"t"}"#) == ["WebSocketOpcode.connectionClose"])
        #expect(try self.isOpen(first))
    }

    @Test func `Listens count for their caller, and make place when they end`() throws {
        let admission = self.admission(.init(listeners: 1))
        let (line, other) = (try Line(admission: admission), try Line(admission: admission))
        defer { for line in [line, other] { line.stop() } }
        func listen(_ line: Line, _ path: String) throws -> Bool {
            try line.ask(1, "q", "{\"p\":\"\(path)\",\"h\":\"\"}").last == #"{"r":1,"b":{"s":"ok","d":{}}}"#
        }
        let first = [try listen(line, "/a"), try listen(line, "/a"), try listen(line, "/b"), try listen(other, "/a")]
        #expect(first == [true, true, false, false])
        _ = try line.ask(2, "n", #"{"p":"/a"}"#)
        let second = [try listen(other, "/a"), try listen(line, "/b")]
        #expect(second == [true, false])
        other.stop()
        #expect(try listen(line, "/b"))
    }

    @Test func `What there is of a message counts for its caller`() throws {
        let admission = self.admission(.init(bytes: 50_000))
        let (line, other) = (try Line(admission: admission), try Line(admission: admission))
        defer { for line in [line, other] { line.stop() } }
        let part = String(repeating: "1", count: 30_000)
        for line in [line, other] {
            try line.send("3")
            try line.send(part)
        }
        #expect(try line.taken().isEmpty)
        #expect(try other.taken() == ["WebSocketOpcode.connectionClose"])
    }

    @Test(arguments: [
        (nil, true, true), ("http://localhost:3000", true, true), ("https://a.example", true, false),
        ("https://a.example", false, true), ("null", true, false),
    ])
    func `A page from elsewhere becomes nobody by what anybody could show`(
        _ origin: String?,
        _ isAmbient: Bool,
        _ isTaken: Bool
    ) throws {
        let reception = Reception.credentials { _, _ in .admitted(Admission(.administrator, isAmbient: isAmbient)) }
        let page = origin.map { PageOrigin($0, host: "127.0.0.1:8080") }
        let line = try Line(.nobody, page: page, reception: reception)
        defer { line.stop() }
        for (action, body) in [("auth", #"{"cred":"owner"}"#), ("unauth", "{}")] {
            _ = try line.ask(1, action, body)
            let isDenied = try line.ask(2, "g", #"{"p":"/","q":{}}"#).last?.contains("permission_denied")
            #expect(isDenied == !isTaken)
        }
    }
}
