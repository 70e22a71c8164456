import BrasaTreeWire
import Testing

struct FrameTests {
    private func join(_ frames: [String], bytesMax: Int = 100) throws -> [String] {
        var joiner = FrameJoiner(messageBytesMax: bytesMax)
        return try frames.compactMap { try joiner.join(Array($0.utf8)) }.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ([#"{"a":1}"#], [#"{"a":1}"#]), (["2", #"{"a""#, ":1}", "x"], [#"{"a":1}"#, "x"]), (["1", "{}"], ["{}"]),
        (["0", "0", "{}", "0"], ["{}"]), (["2", "1", "0", "{}"], ["10", "{}"]), (["3", "", "a", "b"], ["ab"]),
        (["1234567"], ["1234567"]), (["", "x"], ["", "x"]), (["00", "{}"], ["{}"]), (["-1", "1.5"], ["-1", "1.5"]),
    ])
    func `Frames make messages`(_ frames: [String], _ messages: [String]) throws {
        #expect(try self.join(frames) == messages)
    }

    @Test func `Messages and their frames are bounded`() throws {
        #expect(throws: WireFault.invalidFrameCount) { try self.join(["10000"]) }
        #expect(try self.join(["9999"]).isEmpty)
        let long = String(repeating: "x", count: 60)
        #expect(throws: WireFault.messageTooLong(bytesMax: 100)) { try self.join([long + long]) }
        #expect(throws: WireFault.messageTooLong(bytesMax: 100)) { try self.join(["9", long, long]) }
        #expect(try self.join(["1", long, long]) == [long, long])
    }

    @Test(arguments: [0, 1, 16_383, 16_384, 16_385, 32_768, 32_769, 100_000])
    func `Long messages are cut, and joined again`(_ count: Int) throws {
        for character in ["x", "é", "✔", "🐵"] {
            let message = "{" + String(repeating: character, count: count)
            let frames = FrameSplitter.split(Array(message.utf8)).map { String(decoding: $0, as: UTF8.self) }
            #expect((frames.count == 1) == (message.utf16.count <= 16_384))
            #expect(frames.allSatisfy { $0.utf16.count <= 16_384 && !$0.unicodeScalars.contains("\u{FFFD}") })
            if frames.count > 1 { #expect(frames[0] == "\(frames.count - 1)") }
            #expect(try self.join(frames, bytesMax: 1_000_000) == [message])
        }
    }
}
