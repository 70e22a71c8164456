import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaWire
import NIOCore
import Testing

@testable import BrasaBench

@Suite struct MessageTemplateTests {
    private static let path = "projects/p/databases/(default)/documents/c/document-"

    private static func template(digits: Int) throws -> MessageTemplate {
        let name = try DocumentName(parsing: (Self.path + String(repeating: "0", count: digits)).utf8)
        let version = Value.MapEntry(key: "version", value: .integer(MessageTemplate.versionMin))
        let fields = EncodedFields(encoding: [Value.MapEntry(key: "text", value: .string("xx")), version])
        var message = ByteBuffer()
        CommitRequest(database: name.database, writes: [Write(name: name, operation: .set(fields))])
            .encode(into: &message)
        return try #require(MessageTemplate(message, digitCount: digits, endsWithVersion: true))
    }

    @Test(arguments: [(0, 1, 0), (7, 1, 1), (42, 2, 127), (9_999, 4, 128), (100_000, 6, 1 << 54 + 3)])
    func `A commit names its document and has a version that no other has`(
        document: Int,
        digits: Int,
        version: Int
    ) throws {
        var message = ByteBuffer()
        try Self.template(digits: digits).write(document: document, version: version, into: &message)
        let write = try #require(try CommitRequest(decoding: message).writes.first)
        #expect(write.name == (try DocumentName(parsing: "\(Self.path)\(document)".utf8)))
        guard case .set(let fields) = write.operation else {
            Issue.record("not a set")
            return
        }
        let path = try FieldPath(parsing: "version".utf8)
        #expect(fields.value(at: path) == .integer(MessageTemplate.versionMin + Int64(version)))
        #expect(fields.value(at: try FieldPath(parsing: "text".utf8)) == .string("xx"))
    }

    @Test func `A message of another form makes no template`() {
        #expect(MessageTemplate(ByteBuffer(string: "c/document"), digitCount: 1, endsWithVersion: false) == nil)
        #expect(MessageTemplate(ByteBuffer(string: "c/document-1"), digitCount: 1, endsWithVersion: false) == nil)
        #expect(MessageTemplate(ByteBuffer(string: "c/document-0"), digitCount: 2, endsWithVersion: false) == nil)
        #expect(MessageTemplate(ByteBuffer(string: "c/document-0"), digitCount: 1, endsWithVersion: true) == nil)
        #expect(MessageTemplate(ByteBuffer(string: "c/document-0"), digitCount: 1, endsWithVersion: false) != nil)
    }
}
