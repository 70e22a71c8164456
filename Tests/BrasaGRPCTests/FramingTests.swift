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

    /// Ticks of all levels, and beyond the last.
    @Test(arguments: [10, 100, 5_000, 300_000, 1 << 24, 1 << 40] as [UInt64])
    func `Deadlines come out at their tick whatever leaves between`(spread: UInt64) {
        var generator = SplitMix(state: spread)
        var wheel = DeadlineWheel()
        var model: [DeadlineEntry] = []
        var now: UInt64 = 12_345
        for _ in 0..<4_000 {
            switch generator.next() % 4 {
            case 0, 1:
                let entry = DeadlineEntry()
                let tick = now + 1 + generator.next() % spread
                wheel.insert(entry, at: tick, now: now)
                #expect(entry.tick == tick)
                model.append(entry)
            case 2 where !model.isEmpty:
                wheel.remove(model.remove(at: Int(generator.next() % UInt64(model.count))))
            default:
                guard let earliest = model.map(\.tick).min(), let next = wheel.nextTick else {
                    #expect(model.isEmpty && wheel.nextTick == nil)
                    break
                }
                // Looking too early is allowed, too late is not.
                #expect(next <= earliest)
                now = generator.next() % 2 == 0 ? earliest : max(now, earliest - 1)
                while let entry = wheel.popExpired(by: now) {
                    #expect(entry.tick == earliest && entry.tick == now)
                    model.removeAll { $0 === entry }
                }
                let isOverdue = model.contains { $0.tick <= now }
                #expect(!isOverdue)
            }
            #expect(wheel.count == model.count)
            let haveDeadlines = model.allSatisfy(\.hasDeadline)
            #expect(haveDeadlines)
        }
    }

    @Test
    func
        `A deadline is replaced by a later and by an earlier one, and one that has passed comes at the next tick`()
    {
        var wheel = DeadlineWheel()
        let entry = DeadlineEntry()
        for tick in [100, 5_000, 70] as [UInt64] { wheel.insert(entry, at: tick, now: 60) }
        #expect(wheel.count == 1)
        #expect(wheel.popExpired(by: 69) == nil)
        #expect(wheel.popExpired(by: 70) === entry)
        #expect(!entry.hasDeadline && wheel.nextTick == nil)
        wheel.insert(entry, at: 3, now: 80)
        #expect(entry.tick == 81)
        #expect(wheel.popExpired(by: 80) == nil)
        #expect(wheel.popExpired(by: 81) === entry)
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
