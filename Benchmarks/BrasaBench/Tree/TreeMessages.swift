import NIOCore

/// What is said to a server of the Realtime Database, as text.
enum TreeMessages {
    private static func request(_ number: Int, _ action: String, _ body: String) -> String {
        #"{"t":"d","d":{"r":\#(number),"a":"\#(action)","b":\#(body)}}"#
    }

    /// A string is put at a path. Neither has anything that would have to be escaped.
    static func put(_ number: Int, _ path: String, _ value: [UInt8]) -> [UInt8] {
        Array(self.request(number, "p", #"{"p":"\#(path)","d":""#).utf8.dropLast(2)) + value + Array(#""}}}"#.utf8)
    }

    /// A connection has one listen to a node and further ones to queries of it, each with a tag of its own. All of them see
    /// the one child that changes.
    static func listen(_ number: Int, _ path: String, query: Int) -> [UInt8] {
        guard query > 0 else { return Array(self.request(number, "q", #"{"p":"\#(path)","h":""}"#).utf8) }
        let body = #"{"p":"\#(path)","q":{"i":".key","l":\#(query),"vf":"r"},"t":\#(query),"h":""}"#
        return Array(self.request(number, "q", body).utf8)
    }
}

/// What a server says: told apart by where its parts stand, as Brasa and the official server write them.
enum TreeReply: Equatable {
    case answer(number: Int, isOK: Bool)
    case push
    /// About the connection.
    case control

    private static let answered = Array(#"{"t":"d","d":{"r":"#.utf8)
    private static let pushed = Array(#"{"t":"d","d":{"a":"#.utf8)
    private static let succeeded = Array(#","b":{"s":"ok""#.utf8)

    init(_ message: ByteBuffer) {
        let bytes = message.readableBytesView
        if bytes.starts(with: Self.pushed) {
            self = .push
        } else if bytes.starts(with: Self.answered) {
            var place = bytes.startIndex + Self.answered.count
            var number = 0
            while place < bytes.endIndex, case let digit = bytes[place] &- UInt8(ascii: "0"), digit < 10,
                number < 1 << 40
            {
                number = 10 * number + Int(digit)
                place += 1
            }
            self = .answer(number: number, isOK: bytes[place...].starts(with: Self.succeeded))
        } else {
            self = .control
        }
    }
}
