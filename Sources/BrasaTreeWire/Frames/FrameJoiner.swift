/// Makes messages of a client's text frames: a short message is one frame, a long one many after a frame that says how
/// many. Between messages a lone `0` keeps the connection alive and means nothing.
package struct FrameJoiner: Sendable {
    /// A frame of more characters is no count.
    static let countDigitsMax = 6
    /// A client cuts after 16,384 characters; more frames than this are of no message that may be read.
    static let framesMax = 9_999

    private let messageBytesMax: Int
    /// Of a longer message the beginning alone is kept.
    package var keptBytesMax = Int.max
    private var message: [UInt8] = []
    /// What came of it.
    private var messageBytes = 0
    /// Whether of the message that was completed last the beginning alone was kept.
    package private(set) var isCut = false
    /// Frames that are still to come.
    private var missing = 0

    package init(messageBytesMax: Int) {
        self.messageBytesMax = messageBytesMax
    }

    /// Of a message that is not complete.
    var heldBytes: Int { self.message.count }

    /// The message that a frame completes, if it completes one.
    package mutating func join(_ frame: [UInt8]) throws(WireFault) -> [UInt8]? {
        if self.missing == 0 {
            guard let count = Self.count(frame) else {
                guard frame.count <= self.messageBytesMax else { throw self.tooLong }
                self.isCut = frame.count > self.keptBytesMax
                return self.isCut ? Array(frame.prefix(self.keptBytesMax)) : frame
            }
            guard count <= Self.framesMax else { throw .invalidFrameCount }
            self.missing = count
            self.messageBytes = 0
            self.isCut = false
            return nil
        }
        guard frame.count <= self.messageBytesMax - self.messageBytes else { throw self.tooLong }
        self.messageBytes += frame.count
        let room = max(0, self.keptBytesMax - self.message.count)
        self.isCut = self.isCut || frame.count > room
        self.message += frame.prefix(room)
        self.missing -= 1
        guard self.missing == 0 else { return nil }
        defer { self.message = [] }
        return self.message
    }

    private var tooLong: WireFault { .messageTooLong(bytesMax: self.messageBytesMax) }

    /// Nil for what is no number.
    private static func count(_ frame: [UInt8]) -> Int? {
        guard (1...self.countDigitsMax).contains(frame.count) else { return nil }
        return frame.allSatisfy { (0x30...0x39).contains($0) } ? Int(String(decoding: frame, as: UTF8.self)) : nil
    }
}
