/// Makes frames of what a client of long polling sends. Its messages are written in Base64 and cut into segments; these are
/// numbered through all messages, and come in any order, by any request, perhaps more than once.
package struct SegmentJoiner: Sendable {
    package struct Segment: Hashable, Sendable {
        let number: Int
        /// Of the message that it is a part of.
        let segmentCount: Int
        let text: [UInt8]

        package init(number: Int, segmentCount: Int, text: [UInt8]) {
            self.number = number
            self.segmentCount = segmentCount
            self.text = text
        }
    }

    /// Of segments that came before those in front of them. A client has two requests open, of a segment or a few each.
    package static let aheadMax = 64

    /// The number of the next one.
    private var next = 0
    private var ahead: [Int: Segment] = [:]
    /// What is kept of them.
    package private(set) var aheadBytes = 0
    /// Of the message that is not complete: how many it has, and how many are missing.
    private var segmentCount = 0
    private var missing = 0
    private var decoder = SegmentDecoder()

    package init() {}

    /// The frames that are known by now: for each message one that says how many follow, and one for each segment.
    package mutating func add(_ segment: Segment) throws(WireFault) -> [[UInt8]] {
        guard segment.number >= self.next, self.ahead[segment.number] == nil else { return [] }
        guard segment.number - self.next <= Self.aheadMax else { throw .tooManySegments(segmentsMax: Self.aheadMax) }
        self.ahead[segment.number] = segment
        self.aheadBytes += segment.text.count
        var frames: [[UInt8]] = []
        while let segment = self.ahead.removeValue(forKey: self.next) {
            self.next += 1
            self.aheadBytes -= segment.text.count
            try self.take(segment, into: &frames)
        }
        return frames
    }

    private mutating func take(_ segment: Segment, into frames: inout [[UInt8]]) throws(WireFault) {
        if self.missing == 0 {
            guard (1...FrameJoiner.framesMax).contains(segment.segmentCount) else { throw .invalidFrameCount }
            self.segmentCount = segment.segmentCount
            self.missing = segment.segmentCount
            self.decoder = SegmentDecoder()
            frames.append(Array("\(segment.segmentCount)".utf8))
        }
        guard segment.segmentCount == self.segmentCount else { throw .invalidFrameCount }
        frames.append(try self.decoder.decode(segment.text))
        self.missing -= 1
        guard self.missing > 0 || self.decoder.isComplete else { throw .malformedMessage }
    }
}

/// Base64 for URLs (RFC 4648, section 5) with dots for padding, part by part: a message is cut after it was encoded, at any
/// place.
private struct SegmentDecoder {
    private var bits: UInt32 = 0
    private var bitCount = 0
    private var isPadded = false

    mutating func decode(_ text: [UInt8]) throws(WireFault) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 3)
        for character in text {
            if character == UInt8(ascii: ".") {
                self.isPadded = true
                continue
            }
            guard !self.isPadded, let value = Base64Digit.value(of: character) else { throw .malformedMessage }
            self.bits = (self.bits << 6 | value) & 0x3FFF
            self.bitCount += 6
            guard self.bitCount >= 8 else { continue }
            self.bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: self.bits >> UInt32(self.bitCount)))
        }
        return bytes
    }

    /// No byte is cut.
    var isComplete: Bool { self.bitCount < 6 }
}
