import BrasaDocuments
import BrasaMessages
import BrasaQueries
import NIOCore
import Testing

@testable import BrasaWire

@Suite("What a query found, written at once")
struct FoundDocumentsTests {
    private static let times: [Int64] = [
        -62_135_596_800_000_000, -1, 0, 1, 999_999, 1_000_000, 1_700_000_000_000_000, 1_700_000_000_000_001,
        1_700_000_000_999_999, 253_402_300_799_999_999,
    ]

    private static func found(_ times: (created: Int64, updated: Int64), textBytes: Int) throws -> FoundDocument {
        let text = Value.string(UTF8Text(String(repeating: "x", count: textBytes)))
        let document = Document(
            fields: textBytes == 0 ? .empty : EncodedFields(encoding: [.init(key: "text", value: text)]),
            createTime: Timestamp(microseconds: times.created),
            updateTime: Timestamp(microseconds: times.updated)
        )
        let path = "rooms/\(textBytes)/\(String(repeating: "parts", count: textBytes % 40 + 1))/document"
        return FoundDocument(path: try ResourcePath(parsing: Array(path.utf8)), document: document)
    }

    /// As each response by itself is encoded.
    private static func expected(_ found: FoundDocuments) -> [[UInt8]] {
        (0..<found.count).map { index in
            var buffer = ByteBuffer()
            found.response(at: index).encode(into: &buffer)
            return Array(buffer.readableBytesView)
        }
    }

    private static func written(_ found: FoundDocuments) -> [[UInt8]] {
        let encoder = FoundDocumentsEncoder(found)
        var messages: [[UInt8]] = []
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: encoder.byteCountMost, alignment: 1)
        defer { memory.deallocate() }
        var position = 0
        for index in 0..<encoder.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: memory[position...])
            let size = encoder.write(at: index, to: rest)
            messages.append(Array(rest[..<size]))
            position += size
        }
        return messages
    }

    @Test(arguments: [0, 1, 90, 100, 127, 128, 200, 16_000, 16_400, 2_100_000])
    func `The bytes are those of the responses, whatever the sizes and times`(_ textBytes: Int) throws {
        let database = try DatabaseName(parsing: Array("projects/p/databases/(default)".utf8))
        let documents = try Self.times.flatMap { created in
            try (textBytes < 1_000 ? Self.times : [created, created + 1]).map { updated in
                try Self.found((created, updated), textBytes: textBytes)
            }
        }
        for time in Self.times {
            let found = FoundDocuments(
                documents[...],
                in: database,
                readTime: Timestamp(microseconds: time),
                byteCount: 0
            )
            let (written, expected) = (Self.written(found), Self.expected(found))
            #expect(written == expected)
            if textBytes > 1_000 { break }
        }
    }

    @Test func `A part of what was found is written as it is alone`() throws {
        let database = try DatabaseName(parsing: Array("projects/p/databases/d".utf8))
        let documents = try (0..<10).map { try Self.found((Int64($0), 5), textBytes: $0) }
        let readTime = Timestamp(microseconds: 77)
        let all = FoundDocuments(documents[...], in: database, readTime: readTime, byteCount: 0)
        let part = FoundDocuments(documents[3..<7], in: database, readTime: readTime, byteCount: 0)
        #expect(part.count == 4)
        #expect(Self.written(part) == Array(Self.written(all)[3..<7]))
        #expect(Self.written(part) == Self.expected(part))
    }
}
