import NIOCore
import Testing

@testable import BrasaBench

@Suite struct ChangeStampTests {
    private static func message(before: Int, _ stamp: UInt64, after: Int) -> ByteBuffer {
        var message = ByteBuffer(repeating: 0x9b, count: before)
        message.writeBytes(ChangeStamp.bytes(stamp))
        message.writeRepeatingByte(0, count: after)
        return message
    }

    @Test func `a stamp is found wherever it stands, also after it stood elsewhere`() {
        var reader = ChangeStamp.Reader()
        var stamp: UInt64 = 1
        for before in [0, 1, 7, 200, 3, 3, 0] {
            for after in [0, 1, 16, 300] {
                stamp &*= 6_364_136_223_846_793_005
                #expect(reader.stamp(in: Self.message(before: before, stamp, after: after)) == stamp)
            }
        }
    }

    @Test func `a stamp is found in a buffer whose first bytes were read`() {
        var message = Self.message(before: 5, 42, after: 2)
        message.moveReaderIndex(forwardBy: 4)
        var reader = ChangeStamp.Reader()
        #expect(reader.stamp(in: message) == 42)
    }

    @Test func `there is none in what is shorter, cut off or different`() {
        var reader = ChangeStamp.Reader()
        let whole = Self.message(before: 3, .max, after: 0)
        #expect(reader.stamp(in: whole) == .max)
        for count in 0..<whole.readableBytes {
            #expect(reader.stamp(in: whole.getSlice(at: 0, length: count) ?? ByteBuffer()) == nil)
        }
        #expect(reader.stamp(in: ByteBuffer(repeating: 0x9b, count: 500)) == nil)
    }

    @Test(arguments: [0, 1, 0x0123_4567_89ab_cdef, .max] as [UInt64])
    func `a stamp of text is found in a message of text`(stamp: UInt64) {
        var reader = ChangeStamp.Reader(.text)
        for before in [40, 40, 3] {
            var message = ByteBuffer(repeating: UInt8(ascii: "x"), count: before)
            message.writeBytes(ChangeStamp.text(stamp))
            message.writeString("\"}}}")
            #expect(reader.stamp(in: message) == stamp)
        }
        #expect(ChangeStamp.text(stamp).count == ChangeStamp.textByteCount)
        #expect(reader.stamp(in: ByteBuffer(string: "stamped~0123456789abcdeg and more")) == nil)
    }
}
