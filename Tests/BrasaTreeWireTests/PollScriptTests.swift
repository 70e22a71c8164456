import BrasaTreeWire
import Testing

/// What requests of long polling ask, and the scripts that answer them.
struct PollScriptTests {
    private func reply(_ messages: [String]) -> String {
        var machine = PollMachine(milliseconds: 0)
        for message in messages { machine.add(PollScript.escaped(Array(message.utf8))) }
        return machine.ask(0, milliseconds: 0).map { String(decoding: PollScript.reply($0), as: UTF8.self) }.joined()
    }

    private func request(_ query: [(String, String)]) -> PollRequest? {
        PollRequest(query.map { (name: $0.0, value: $0.1) })
    }

    @Test(arguments: [
        ([#"{"a":1}"#], #"{"a":1}"#), (["{}", "[]"], "{},[]"),
        ([#"{"a":"</script><!--"}"#], #"{"a":"\u003c/script>\u003c!--"}"#),
        (["{\"a\":\"x\u{2028}\u{2029}\u{2027}\u{202A}✔🐵\"}"], "{\"a\":\"x\\u2028\\u2029\u{2027}\u{202A}✔🐵\"}"),
        ([#"{"__proto__":{"b":1,"__proto__":2}}"#], #"{["__proto__"]:{"b":1,["__proto__"]:2}}"#),
        // Only keys, and only that one.
        ([#"{"a":"__proto__","__proto__x":1}"#], #"{"a":"__proto__","__proto__x":1}"#),
        ([#"{"{\"__proto__":1,",\"__proto__":"x"}"#], #"{"{\"__proto__":1,",\"__proto__":"x"}"#),
    ])
    func `Messages are data for a script, whatever is in them`(_ messages: [String], _ script: String) {
        #expect(self.reply(messages) == "pRTLPCB(0,[\(script)]);\n")
    }

    @Test func `A script calls what the page has by its number, and tells it the session's key`() throws {
        let callback = try #require(PollRequest.Callback("123"))
        let functions = PollScript.functions(callback)
        #expect(functions.contains(#"parent.window["pLPCommand123"]"#))
        #expect(functions.contains(#"parent.window["pRTLPCB123"]"#))
        let key = PollRequest.Key(id: "a1", password: "b2")
        #expect(PollScript.start(key) == "pLPCommand('start','a1','b2');\n")
    }

    @Test(arguments: ["", "1x", "-1", "+1", "1]", "\"", "１", String(repeating: "1", count: 17)])
    func `What is called has a number`(_ text: String) {
        #expect(PollRequest.Callback(text) == nil)
        #expect(self.request([("start", "t"), ("cb", text)]) == nil)
    }

    @Test func `Requests are told apart`() throws {
        let key = PollRequest.Key(id: "i", password: "p")
        let shown = [("id", "i"), ("pw", "p")]
        #expect(self.request([("start", "t"), ("cb", "5")]) == .start(try #require(PollRequest.Callback("5"))))
        #expect(self.request(shown + [("ser", "7")]) == .poll(key, []))
        #expect(self.request(shown + [("disconn", "t")]) == .leave(key))
        #expect(self.request(shown + [("dframe", "t")]) == .leavingPage)
        #expect(self.request(shown + [("dframe", "t"), ("disconn", "t")]) == .leave(key))
        #expect(self.request([("id", "i")]) == nil && self.request([]) == nil)
    }

    @Test func `A request has segments in a row, or none that count`() {
        let key = PollRequest.Key(id: "i", password: "p")
        func segments(_ more: [(String, String)]) -> [SegmentJoiner.Segment]? {
            guard case .poll(key, let segments) = self.request([("id", "i"), ("pw", "p")] + more) else { return [] }
            return segments
        }
        let first = [("seg0", "3"), ("ts0", "2"), ("d0", "ab")]
        let second = [("d1", "c."), ("ts1", "2"), ("seg1", "4")]
        let joined = [(3, "ab"), (4, "c.")].map {
            SegmentJoiner.Segment(number: $0, segmentCount: 2, text: Array($1.utf8))
        }
        #expect(segments(first) == [joined[0]])
        #expect(segments(second + first) == joined)
        for wrong in [
            [("seg0", "x"), ("ts0", "1"), ("d0", "")], [("seg0", "0"), ("d0", "")], [("seg0", "0"), ("ts0", "1")],
            [("seg0", "-1"), ("ts0", "1"), ("d0", "")], [("seg0", "1000000000000000"), ("ts0", "1"), ("d0", "")],
        ] {
            #expect(segments(wrong) == nil)
        }
        let many = (0..<65).flatMap { [("seg\($0)", "\($0)"), ("ts\($0)", "1"), ("d\($0)", "e30.")] }
        #expect(segments(many) == nil && segments(Array(many.prefix(64 * 3)))?.count == 64)
    }

    @Test(arguments: [("abc", true), ("abd", false), ("ab", false), ("abcd", false), ("", false)])
    func `A password is the same, or another one`(_ password: String, _ isSame: Bool) {
        #expect(PollRequest.Key(id: "", password: "abc").hasPassword(password) == isSame)
    }
}
