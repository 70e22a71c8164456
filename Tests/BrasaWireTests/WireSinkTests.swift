import BrasaBytes
import NIOCore
import Testing

@testable import BrasaWire

@Suite("Writing protobuf")
struct WireSinkTests {
    /// Bytes in nested messages, each of which says that it takes so much of its size.
    private struct Nest: WireMessage {
        let depth: Int
        let content: Int
        var said: Int = 0

        var byteCountLeast: Int { self.said }

        func encode(to sink: inout WireSink) {
            if self.depth > 0 {
                sink.keep(1, Nest(depth: self.depth - 1, content: self.content, said: self.said))
            }
            sink.keep(2, bytes: [UInt8](repeating: 7, count: self.content))
        }

        /// The same, put together from within.
        var expected: [UInt8] {
            var bytes: [UInt8] = []
            for level in 0...self.depth {
                var outer: [UInt8] = []
                if level > 0 {
                    outer.append(0x0A)
                    Varint.append(UInt64(bytes.count), to: &outer)
                    outer += bytes
                }
                outer.append(0x12)
                Varint.append(UInt64(self.content), to: &outer)
                outer += [UInt8](repeating: 7, count: self.content)
                bytes = outer
            }
            return bytes
        }
    }

    private func written(_ message: some WireMessage, room: Int, behind start: [UInt8] = []) -> [UInt8] {
        var buffer = ByteBufferAllocator().buffer(capacity: start.count + room)
        buffer.writeBytes(start)
        message.write(into: &buffer)
        return Array(buffer.readableBytesView.dropFirst(start.count))
    }

    @Test("lengths of one, two and three bytes stand before what they measure, at every depth", arguments: 0...5)
    func lengths(depth: Int) {
        for content in [0, 1, 59, 60, 61, 62, 63, 120, 125, 126, 127, 128, 5_000, 8_190, 16_380, 16_384, 40_000] {
            let message = Nest(depth: depth, content: content)
            let expected = message.expected
            #expect(message.wireSize == expected.count)
            #expect(self.written(message, room: 300_000) == expected, "\(content)")
        }
    }

    @Test("however deep messages stand, each is written once where there is room")
    func depth() {
        let message = Nest(depth: 200, content: 1)
        #expect(self.written(message, room: 10_000) == message.expected)
        #expect(self.written(message, room: 0) == message.expected)
    }

    @Test("what a message says that it takes at least changes nothing")
    func said() {
        for content in [0, 1, 100, 126, 127, 128, 129, 16_382, 16_383, 16_384, 16_385] {
            for said in [0, content / 2, content] {
                let message = Nest(depth: 2, content: content, said: said)
                #expect(self.written(message, room: 200_000) == message.expected, "\(content) \(said)")
            }
        }
    }

    @Test("whatever room there is, nothing else is written")
    func room() {
        for message in [Nest(depth: 3, content: 40), Nest(depth: 2, content: 200, said: 200)] {
            let expected = message.expected
            for room in 0...(expected.count + 12) {
                #expect(self.written(message, room: room, behind: [1, 2, 3]) == expected, "\(room)")
            }
        }
    }

    @Test("nothing is written behind the memory that there is")
    func bounds() {
        let message = Nest(depth: 3, content: 150)
        let expected = message.expected
        for room in 0...expected.count {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: expected.count + 32, alignment: 1)
            defer { memory.deallocate() }
            memory.initializeMemory(as: UInt8.self, repeating: 0xEE)
            var sink = WireSink(UnsafeMutableRawBufferPointer(rebasing: memory[..<room]))
            message.encode(to: &sink)
            #expect(sink.position == expected.count)
            #expect(sink.isComplete == (room == expected.count))
            #expect(memory[room...].allSatisfy { $0 == 0xEE }, "\(room)")
        }
    }

    @Test func `Numbers of any size are as short as can be, with much room behind them or none`() {
        var numbers: [UInt64] = [0, .max]
        for bits in 0..<64 {
            let power: UInt64 = 1 << UInt64(bits)
            numbers += [power - 1, power, power | 1]
        }
        for number in numbers {
            var expected: [UInt8] = []
            Varint.append(number, to: &expected)
            for spare in [0, 1, 20] {
                var bytes = [UInt8](repeating: 0xEE, count: expected.count + spare)
                bytes.withUnsafeMutableBytes { memory in
                    var sink = WireSink(memory)
                    sink.varint(number)
                    #expect(sink.position == expected.count && sink.isComplete)
                }
                #expect(Array(bytes[..<expected.count]) == expected)
            }
        }
    }
}
