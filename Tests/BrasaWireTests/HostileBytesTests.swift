import BrasaDocuments
import BrasaMessages
import BrasaQueries
import NIOCore
import Testing

@testable import BrasaWire

@Suite("Hostile bytes")
struct HostileBytesTests {
    static let root = "projects/p/databases/d/documents"
    static let deepest = StructuredQuery.filterDepthMax

    @Test("a message cut anywhere is read or refused", arguments: MessageCase.all)
    func truncation(message: MessageCase) {
        for count in 0...message.bytes.count {
            _ = try? message.rewrite(ByteBuffer(bytes: message.bytes[..<count]))
        }
    }

    @Test("a message with any byte changed is read or refused", arguments: MessageCase.all)
    func mutation(message: MessageCase) {
        var bytes = message.bytes
        for index in bytes.indices {
            let original = bytes[index]
            for byte: UInt8 in [0x00, 0x01, 0x7F, 0x80, 0xFF, original ^ 0x08, original ^ 0x02, original &+ 1] {
                bytes[index] = byte
                _ = try? message.rewrite(ByteBuffer(bytes: bytes))
            }
            bytes[index] = original
        }
    }

    @Test("random bytes are read or refused", arguments: MessageCase.all)
    func noise(message: MessageCase) {
        var generator = SplitMix(seed: 0x5EED)
        for _ in 0..<2_000 {
            let count = Int(generator.next() % 48)
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) & 0x7F }
            _ = try? message.rewrite(ByteBuffer(bytes: bytes))
        }
    }

    @Test("messages spliced from parts of two are read or refused", arguments: MessageCase.all)
    func splices(message: MessageCase) {
        var generator = SplitMix(seed: 0xC0DE)
        for other in MessageCase.all {
            for _ in 0..<40 {
                let head = message.bytes.prefix(Int(generator.next() % UInt64(message.bytes.count + 1)))
                let tail = other.bytes.suffix(Int(generator.next() % UInt64(other.bytes.count + 1)))
                _ = try? message.rewrite(ByteBuffer(bytes: Array(head) + Array(tail)))
            }
        }
    }

    private func query(filterDepth: Int) -> ByteBuffer {
        // A unary filter in `filterDepth - 1` conjunctions.
        var filter = FieldWriter()
        filter.field(3) { $0.field(1, varint: 3) }
        for _ in 1..<filterDepth {
            let inner = filter.bytes
            filter = FieldWriter()
            filter.field(1) { composite in
                composite.field(1, varint: 1)
                composite.field(2, inner)
            }
        }
        let filterBytes = filter.bytes
        return FieldWriter.message { request in
            request.field(1, Self.root)
            request.field(2) { $0.field(3, filterBytes) }
        }
    }

    @Test("filters are read down to the greatest depth and refused below it")
    func filterDepth() throws {
        let request = try RunQueryRequest(decoding: self.query(filterDepth: Self.deepest))
        #expect(request.query?.filter != nil)
        #expect(throws: WireError.filterTooDeep) {
            try RunQueryRequest(decoding: self.query(filterDepth: Self.deepest + 1))
        }
    }

    @Test("thousands of filters in filters are refused")
    func filterBomb() {
        #expect(throws: WireError.self) { try RunQueryRequest(decoding: self.query(filterDepth: 5_000)) }
    }

    @Test("a value nested ten thousand times is refused wherever a value may stand")
    func valueBomb() {
        var value = FieldWriter()
        value.field(17, "x")
        for _ in 0..<10_000 {
            let inner = value.bytes
            value = FieldWriter()
            value.field(6) {
                $0.field(1) {
                    $0.field(1, "k"); $0.field(2, inner)
                }
            }
        }
        let bytes = value.bytes
        let commit = FieldWriter.message { request in
            request.field(1, "projects/p/databases/d")
            request.field(2) { write in
                write.field(1) { document in
                    document.field(1, Self.root + "/c/d")
                    document.field(2) {
                        $0.field(1, "f"); $0.field(2, bytes)
                    }
                }
            }
        }
        #expect(throws: WireError.self) { try CommitRequest(decoding: commit) }
        let cursor = FieldWriter.message { request in
            request.field(1, Self.root)
            request.field(2) { $0.field(7) { $0.field(1, bytes) } }
        }
        #expect(throws: WireError.self) { try RunQueryRequest(decoding: cursor) }
        #expect(throws: WireError.self) { try PartitionQueryRequest(decoding: cursor) }
    }

    @Test("structs in structs beyond what anyone sends are refused")
    func structBomb() {
        var value = FieldWriter()
        for depth in 0..<50 {
            let inner = value.bytes
            value = FieldWriter()
            if depth % 2 == 0 {
                value.field(6) { $0.field(1, inner) }
            } else {
                value.field(5) {
                    $0.field(1) {
                        $0.field(1, "k"); $0.field(2, inner)
                    }
                }
            }
        }
        let bytes = value.bytes
        let response = FieldWriter.message { response in
            response.field(11) { metrics in
                metrics.field(1) { plan in
                    plan.field(1) { index in
                        index.field(1) {
                            $0.field(1, "k"); $0.field(2, bytes)
                        }
                    }
                }
            }
        }
        #expect(throws: WireError.malformed) { try RunQueryResponse(decoding: response) }
    }

    @Test("a million fields without content do not take a hundred times their size")
    func fieldBomb() {
        let empty: [UInt8] = [0x12, 0x00]
        let bytes = Array(repeatElement(empty, count: 1_000_000).joined())
        #expect(throws: WireError.tooManyFields) { try CommitRequest(decoding: ByteBuffer(bytes: bytes)) }
        #expect(throws: WireError.tooManyFields) { try BatchWriteRequest(decoding: ByteBuffer(bytes: bytes)) }
    }

    @Test("ten thousand ordinary writes are not taken for an attack")
    func manyWrites() throws {
        let commit = FieldWriter.message { request in
            request.field(1, "projects/p/databases/d")
            for number in 0..<10_000 { request.field(2) { $0.field(2, "\(Self.root)/c/\(number)") } }
        }
        #expect(try CommitRequest(decoding: commit).writes.count == 10_000)
    }

    @Test("no bytes at all are no request that names something")
    func empty() {
        #expect(throws: WireError.self) { try GetDocumentRequest(decoding: ByteBuffer()) }
        #expect(throws: WireError.self) { try CommitRequest(decoding: ByteBuffer()) }
        #expect(throws: WireError.self) { try RunQueryRequest(decoding: ByteBuffer()) }
    }
}

/// A small generator, so that failures repeat.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { self.state = seed }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
