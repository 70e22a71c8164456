import NIOCore
import Testing

@testable import BrasaBench

@Suite struct WebSocketFramesTests {
    /// As a server sends it.
    private static func frame(_ size: Int) -> [UInt8] {
        let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        let length: [UInt8] =
            switch size {
            case ..<126: [UInt8(size)]
            case ..<65_536: [126, UInt8(size >> 8), UInt8(size & 255)]
            default: [127] + (0..<8).map { UInt8(truncatingIfNeeded: size >> (56 - 8 * $0)) }
            }
        return [0x81] + length + payload
    }

    @Test(arguments: [1, 2, 3, 7, 300, 70_000])
    func `frames are found however they come`(pieceBytes: Int) {
        let sizes = [0, 1, 125, 126, 400, 65_535, 65_536, 5]
        let sent = sizes.flatMap(Self.frame)
        var frames = WebSocketFrames()
        var found: [Int] = []
        for start in stride(from: 0, to: sent.count, by: pieceBytes) {
            frames.append(ByteBuffer(bytes: sent[start..<min(start + pieceBytes, sent.count)]))
            while let frame = frames.next() {
                #expect(frame.opcode == WebSocketFrames.text)
                #expect(frame.payload.readableBytesView.enumerated().allSatisfy { $1 == UInt8($0 & 255) })
                found.append(frame.payload.readableBytes)
            }
        }
        #expect(found == sizes)
    }

    @Test func `frames follow on a head`() {
        var frames = WebSocketFrames()
        frames.append(ByteBuffer(string: "HTTP/1.1 101 x\r"))
        #expect(frames.head(through: Array("\r\n\r\n".utf8)) == nil)
        frames.append(ByteBuffer(bytes: Array("\n\r\n".utf8) + Self.frame(3)))
        #expect(frames.head(through: Array("\r\n\r\n".utf8)).map { String(buffer: $0) } == "HTTP/1.1 101 x\r\n\r\n")
        #expect(frames.next()?.payload.readableBytes == 3)
    }

    @Test(arguments: [(5, [0x85]), (126, [0xFE, 0, 126]), (70_000, [0xFF, 0, 0, 0, 0, 0, 1, 0x11, 0x70])])
    func `a client's frame says that it has a mask, of zeros`(size: Int, length: [UInt8]) {
        let payload = [UInt8](repeating: 7, count: size)
        var buffer = ByteBuffer()
        WebSocketFrames.write(payload, to: &buffer)
        #expect(Array(buffer.readableBytesView) == [0x81] + length + [0, 0, 0, 0] + payload)
    }
}
