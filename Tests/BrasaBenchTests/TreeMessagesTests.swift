import NIOCore
import Testing

@testable import BrasaBench

@Suite struct TreeMessagesTests {
    private static func text(_ message: [UInt8]) -> String { String(decoding: message, as: UTF8.self) }

    @Test func `requests are those of the protocol`() {
        let put = TreeMessages.put(7, "/a/b", Array("xyz".utf8))
        #expect(Self.text(put) == #"{"t":"d","d":{"r":7,"a":"p","b":{"p":"/a/b","d":"xyz"}}}"#)
        let first = TreeMessages.listen(1, "/a", query: 0)
        #expect(Self.text(first) == #"{"t":"d","d":{"r":1,"a":"q","b":{"p":"/a","h":""}}}"#)
        let second = TreeMessages.listen(2, "/a", query: 3)
        let query = #"{"p":"/a","q":{"i":".key","l":3,"vf":"r"},"t":3,"h":""}"#
        #expect(Self.text(second) == #"{"t":"d","d":{"r":2,"a":"q","b":\#(query)}}"#)
    }

    @Test(
        arguments: [
            (#"{"t":"d","d":{"r":12,"b":{"s":"ok","d":""}}}"#, .answer(number: 12, isOK: true)),
            (#"{"t":"d","d":{"r":3,"b":{"s":"too_big","d":""}}}"#, .answer(number: 3, isOK: false)),
            (#"{"t":"d","d":{"r":3"#, .answer(number: 3, isOK: false)),
            (#"{"t":"d","d":{"a":"d","b":{"p":"a","d":1}}}"#, .push),
            (#"{"t":"c","d":{"t":"o","d":null}}"#, .control),
            ("", .control),
        ] as [(String, TreeReply)]
    )
    func `what a server says is told apart`(message: String, reply: TreeReply) {
        #expect(TreeReply(ByteBuffer(string: message)) == reply)
    }

    @Test func `listeners are spread evenly, and none is lost`() {
        for (listeners, connections) in [(10_000, 100), (7, 10), (10, 3), (0, 1)] {
            let base = TreePlan(
                host: "127.0.0.1",
                port: 1,
                token: nil,
                connections: connections,
                valueBytes: 64,
                warmUp: .zero,
                duration: .zero
            )
            let plan = TreeListenPlan(base, listeners: listeners, pace: .closed, process: nil)
            let counts = (0..<connections).map { plan.listeners(onConnection: $0) }
            #expect(counts.reduce(0, +) == listeners)
            #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1)
        }
    }
}
