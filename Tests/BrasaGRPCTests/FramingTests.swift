import NIOCore
import Testing

@testable import BrasaGRPC

@Suite struct FramingTests {
    private static func framed(_ messages: [[UInt8]]) -> [UInt8] {
        messages.flatMap { message in
            [0] + withUnsafeBytes(of: UInt32(message.count).bigEndian) { Array($0) } + message
        }
    }

    private static func drain(_ decoder: inout GRPCMessageDecoder) throws -> [[UInt8]] {
        var messages: [[UInt8]] = []
        while let message = try decoder.next() { messages.append(Array(message.payload.readableBytesView)) }
        return messages
    }

    @Test func `Messages come out wherever the bytes are split`() throws {
        let messages: [[UInt8]] = [[], [1], [2, 3, 4, 5, 6, 7], [], [8, 9]]
        let bytes = Self.framed(messages)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                var decoder = GRPCMessageDecoder(messageBytesMax: 6)
                var decoded: [[UInt8]] = []
                for part in [bytes[..<first], bytes[first..<second], bytes[second...]] {
                    decoder.append(ByteBuffer(bytes: part))
                    decoded += try Self.drain(&decoder)
                    decoder.unshare()
                }
                #expect(decoded == messages)
                #expect(decoder.bufferedBytes == 0)
            }
        }
    }

    @Test func `Messages that are not asked for wait`() throws {
        let messages: [[UInt8]] = (0..<50).map { Array(repeating: UInt8($0), count: $0) }
        var decoder = GRPCMessageDecoder(messageBytesMax: 100)
        let bytes = Self.framed(messages)
        for byte in bytes { decoder.append(ByteBuffer(bytes: [byte])) }
        #expect(decoder.bufferedBytes == bytes.count)
        #expect(try Self.drain(&decoder) == messages)
    }

    @Test(
        arguments: [[0, 0, 0, 0, 7], [0, 0xFF, 0xFF, 0xFF, 0xFF], [1, 0x80, 0, 0, 0], [0, 0, 1, 0, 0]] as [[UInt8]]
    )
    func `Announced lengths over the limit are refused at once`(prefix: [UInt8]) {
        var decoder = GRPCMessageDecoder(messageBytesMax: 6)
        decoder.append(ByteBuffer(bytes: prefix))
        #expect(throws: GRPCFramingError.messageTooLarge) { try decoder.next() }
    }

    @Test(arguments: [2, 0x7F, 0xFF] as [UInt8])
    func `Other flags are refused`(flag: UInt8) {
        var decoder = GRPCMessageDecoder(messageBytesMax: 6)
        decoder.append(ByteBuffer(bytes: [flag]))
        #expect(throws: GRPCFramingError.invalidFlag) { try decoder.next() }
    }

    @Test(arguments: [0, 1, 100, 4096, 4097, 100_000])
    func `Frames have their prefix however the message was built`(count: Int) throws {
        let allocator = ByteBufferAllocator()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        var roomy = GRPCMessageEncoder.makeBuffer(capacity: 1, allocator: allocator)
        roomy.writeBytes(bytes)
        var read = ByteBuffer(bytes: [9, 9, 9, 9, 9, 9, 9] + bytes)
        read.moveReaderIndex(forwardBy: 7)
        var original = read
        for message in [ByteBuffer(bytes: bytes), roomy, read] {
            let (first, second) = GRPCMessageEncoder.frame(message, isCompressed: false, allocator: allocator)
            let framed = Array(first.readableBytesView) + (second.map { Array($0.readableBytesView) } ?? [])
            #expect(framed == Self.framed([bytes]))
        }
        // Framing in place changes nobody else's copy.
        original.moveReaderIndex(to: 0)
        #expect(original.readBytes(length: 7) == [9, 9, 9, 9, 9, 9, 9])
    }

    @Test(arguments: [0, 1, 1000, 200_000])
    func `Gzip restores what it compressed`(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
        var deflater = try GzipDeflater()
        var inflater = try GzipInflater()
        let allocator = ByteBufferAllocator()
        for _ in 0..<3 {
            let compressed = try deflater.deflate(ByteBuffer(bytes: bytes), allocator: allocator)
            let inflated = try inflater.inflate(compressed, bytesMax: count, allocator: allocator)
            #expect(Array(inflated.readableBytesView) == bytes)
        }
    }

    @Test func `A bomb is not inflated beyond the limit`() throws {
        var deflater = try GzipDeflater()
        var inflater = try GzipInflater()
        let allocator = ByteBufferAllocator()
        let bomb = try deflater.deflate(ByteBuffer(repeating: 0, count: 10_000_000), allocator: allocator)
        for bytesMax in [0, 1, 255, 256, 257, 9_999_999] {
            var failure: GzipError?
            do throws(GzipError) {
                _ = try inflater.inflate(bomb, bytesMax: bytesMax, allocator: allocator)
            } catch { failure = error }
            #expect(failure == .tooLarge)
        }
        #expect(try inflater.inflate(bomb, bytesMax: 10_000_000, allocator: allocator).readableBytes == 10_000_000)
    }

    @Test func `Damaged gzip is refused wherever it is cut`() throws {
        var deflater = try GzipDeflater()
        var inflater = try GzipInflater()
        let allocator = ByteBufferAllocator()
        let whole = Array(
            try deflater.deflate(ByteBuffer(string: "durable before acknowledged"), allocator: allocator)
                .readableBytesView
        )
        for damaged in (0..<whole.count).map({ Array(whole[..<$0]) }) + [whole + [0], whole + whole] {
            var failure: GzipError?
            do throws(GzipError) {
                _ = try inflater.inflate(ByteBuffer(bytes: damaged), bytesMax: 1000, allocator: allocator)
            } catch { failure = error }
            #expect(failure == .corrupt)
        }
        #expect(
            try inflater.inflate(ByteBuffer(bytes: whole), bytesMax: 1000, allocator: allocator).readableBytes == 27
        )
    }

    @Test func `Deadlines come out in order whatever leaves between`() {
        var generator = SplitMix(state: 42)
        var queue = DeadlineQueue<UInt64>()
        var model: [(ticket: DeadlineQueue<UInt64>.Ticket, deadline: UInt64)] = []
        for _ in 0..<5_000 {
            switch generator.next() % 4 {
            case 0, 1:
                let deadline = generator.next() % 1000
                model.append((queue.insert(deadline, deadline: deadline), deadline))
            case 2 where !model.isEmpty:
                queue.remove(model.remove(at: Int(generator.next() % UInt64(model.count))).ticket)
            default:
                // The queue's tickets are spent by popping, so equal deadlines are taken out together.
                guard let earliest = queue.earliest else { break }
                #expect(earliest == model.map(\.deadline).min())
                #expect(earliest == 0 || queue.popExpired(now: earliest - 1) == nil)
                while let deadline = queue.popExpired(now: earliest) { #expect(deadline == earliest) }
                model.removeAll { $0.deadline == earliest }
            }
            #expect(queue.count == model.count)
        }
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            self.state &+= 0x9E37_79B9_7F4A_7C15
            var value = self.state
            value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
            return value ^ value >> 31
        }
    }
}
