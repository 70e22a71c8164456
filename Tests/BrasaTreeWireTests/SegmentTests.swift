import BrasaTreeWire
import Testing

/// What clients of long polling send, as frames.
struct SegmentTests {
    private func segment(_ number: Int, of count: Int, _ text: String) -> SegmentJoiner.Segment {
        SegmentJoiner.Segment(number: number, segmentCount: count, text: Array(text.utf8))
    }

    /// Three messages: `{"a":1}` in three segments, `{}`, and one with the characters that only URLs have.
    private var segments: [SegmentJoiner.Segment] {
        [
            self.segment(0, of: 3, "eyJ"), self.segment(1, of: 3, "hIj"), self.segment(2, of: 3, "oxfQ.."),
            self.segment(3, of: 1, "e30."), self.segment(4, of: 1, "Pj8_7Lu-"),
        ]
    }

    private func messages(_ segments: [SegmentJoiner.Segment]) throws -> [[UInt8]] {
        var segmentJoiner = SegmentJoiner()
        var frameJoiner = FrameJoiner(messageBytesMax: 100)
        var messages: [[UInt8]] = []
        for segment in segments {
            for frame in try segmentJoiner.add(segment) {
                if let message = try frameJoiner.join(frame) { messages.append(message) }
            }
        }
        #expect(segmentJoiner.aheadBytes == 0)
        return messages
    }

    private static let whole = [Array(#"{"a":1}"#.utf8), Array("{}".utf8), [0x3E, 0x3F, 0x3F, 0xEC, 0xBB, 0xBE]]

    @Test func `Segments make messages in every order`() throws {
        for order in Self.permutations([0, 1, 2, 3, 4]) {
            #expect(try self.messages(order.map { self.segments[$0] }) == Self.whole)
        }
    }

    @Test(arguments: [[0, 0, 1, 2, 3, 4], [4, 0, 4, 1, 2, 2, 3], [2, 1, 0, 1, 2, 3, 0, 4, 4, 3]])
    func `A segment that comes again changes nothing`(_ order: [Int]) throws {
        #expect(try self.messages(order.map { self.segments[$0] }) == Self.whole)
    }

    @Test func `What came before those in front of it is kept, counted and bounded`() throws {
        var joiner = SegmentJoiner()
        for number in 1...SegmentJoiner.aheadMax {
            #expect(try joiner.add(self.segment(number, of: 1, "e30.")).isEmpty)
            #expect(joiner.aheadBytes == number * 4)
        }
        let fault = WireFault.tooManySegments(segmentsMax: SegmentJoiner.aheadMax)
        #expect(throws: fault) { try joiner.add(self.segment(SegmentJoiner.aheadMax + 1, of: 1, "e30.")) }
        #expect(throws: fault) { try joiner.add(self.segment(.max, of: 1, "e30.")) }
        #expect(try joiner.add(self.segment(0, of: 1, "e30.")).count == 2 * (SegmentJoiner.aheadMax + 1))
        #expect(joiner.aheadBytes == 0)
    }

    @Test func `A message has one number of segments, and as many as a message of a WebSocket at most`() throws {
        for count in [-1, 0, 10_000, .max] {
            #expect(throws: WireFault.invalidFrameCount) { try self.messages([self.segment(0, of: count, "e30.")]) }
        }
        #expect(throws: WireFault.invalidFrameCount) {
            try self.messages([self.segment(0, of: 3, "eyJ"), self.segment(1, of: 2, "hIj")])
        }
    }

    @Test(arguments: ["e3*", "e", "e30=", ".e30", "e30.e30.", "e30.\u{e9}"])
    func `What is no Base64 of URLs is no message`(_ text: String) {
        #expect(throws: WireFault.malformedMessage) { try self.messages([self.segment(0, of: 1, text)]) }
    }

    private static func permutations(_ numbers: [Int]) -> [[Int]] {
        guard !numbers.isEmpty else { return [[]] }
        return numbers.flatMap { first in self.permutations(numbers.filter { $0 != first }).map { [first] + $0 } }
    }
}
