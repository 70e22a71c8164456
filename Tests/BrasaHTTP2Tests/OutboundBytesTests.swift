import NIOCore
import Testing

@testable import BrasaHTTP2

@Suite struct OutboundBytesTests {
    @Test(arguments: [(17, true), (15_000, true), (17_000, false), (64 << 10, false)])
    func `The channel is not given a large buffer for a few bytes`(count: Int, isCopied: Bool) {
        var outbound = OutboundBytes()
        outbound.queued(256 << 10)
        outbound.makeRoom(atMost: 64 << 10)
        outbound.output.writeRepeatingByte(7, count: count)
        let given = outbound.takeable()
        #expect(given == outbound.output)
        #expect((given.capacity < outbound.output.capacity) == isCopied)
        #expect(given.capacity <= max(4 * count, 4 << 10))
    }
}
