import BrasaDocuments
import BrasaMessages
import NIOCore
import Testing

@testable import BrasaWire

@Suite("Messages of the Write and Listen streams")
struct StreamMessageTests {
    static let database = "projects/p/databases/d"
    static let name = "projects/p/databases/d/documents/c/x"
    static let elsewhere = "projects/p/databases/e/documents/c/x"
    let database: DatabaseName

    init() throws {
        self.database = try DatabaseName(parsing: Self.database.utf8)
    }

    private func target(_ build: (inout FieldWriter) -> Void) throws -> ListenTarget {
        let message = FieldWriter.message { $0.field(2, build) }
        guard case .add(let target) = try ListenRequest(decoding: message, in: self.database).change else {
            throw WireError.malformed
        }
        return target
    }

    @Test("a stream's later messages need not name its database, and their writes are still checked against it")
    func databaseOfTheStream() throws {
        let write = { (name: String) in FieldWriter.message { $0.field(3) { $0.field(2, name) } } }
        let request = try WriteRequest(decoding: write(Self.name), in: self.database)
        #expect(request.database == self.database)
        #expect(request.writes.map(\.name.string) == [Self.name])
        let refusal = WireError.document(
            DocumentError(.otherDatabase(requested: Self.database, accessed: "projects/p/databases/e"))
        )
        #expect(throws: refusal) { try WriteRequest(decoding: write(Self.elsewhere), in: self.database) }
        #expect(throws: WireError.self) { try WriteRequest(decoding: write(Self.name)) }
        #expect(throws: WireError.self) { try ListenRequest(decoding: FieldWriter.message { $0.field(3, varint: 1) }) }
    }

    @Test("a listener's label travels as an entry of the map of labels")
    func listenTag() throws {
        var buffer = ByteBuffer()
        ListenRequest(database: self.database, change: .remove(7), listenTag: "limbo-document").encode(into: &buffer)
        let expected = FieldWriter.message { message in
            message.field(1, Self.database)
            message.field(3, varint: 7)
            message.field(4) {
                $0.field(1, "goog-listen-tags")
                $0.field(2, "limbo-document")
            }
        }
        #expect(buffer == expected)
        guard case .remove(7)? = try ListenRequest(decoding: buffer).change else { throw WireError.malformed }
    }

    @Test("a stream's later messages may not name another database")
    func anotherDatabase() throws {
        let message = FieldWriter.message { $0.field(1, "projects/p/databases/e") }
        let refusal = WireError.document(
            DocumentError(.otherDatabase(requested: Self.database, accessed: "projects/p/databases/e"))
        )
        #expect(throws: refusal) { try WriteRequest(decoding: message, in: self.database) }
        #expect(throws: refusal) { try ListenRequest(decoding: message, in: self.database) }
        #expect(try ListenRequest(decoding: message).database.string == "projects/p/databases/e")
    }

    @Test("a target that cannot be read keeps its id, and its message is read")
    func badTargets() throws {
        let bodies: [(inout FieldWriter) -> Void] = [
            { $0.field(3) { $0.field(2, Self.elsewhere) } },
            { $0.field(3) { $0.field(2, "no name") } },
            { $0.field(2) { $0.field(1, "projects/p/databases/e/documents") } },
            { $0.field(2) { $0.field(1, "") } },
            { body in
                body.field(2) { query in
                    query.field(1, Self.database + "/documents")
                    query.field(2) { $0.field(4) { $0.field(1) { $0.field(2, "a..b") } } }
                }
            },
            { body in
                body.field(3) { $0.field(2, Self.name) }
                body.field(11) { $0.field(1, varint: UInt64(bitPattern: .max)) }
            },
        ]
        for body in bodies {
            let target = try self.target {
                body(&$0)
                $0.field(5, varint: 7)
            }
            #expect(target.id == 7)
            #expect(throws: Status.self) { try target.subject.get() }
        }
    }

    @Test("an empty resume token is none")
    func emptyToken() throws {
        let target = try self.target { $0.field(4, "") }
        #expect(target.resume == nil)
        #expect(try self.target { $0.field(4, "t") }.resume == .token(Array("t".utf8)))
    }

    @Test("a target of a kind that is not known is read as that")
    func unknownKind() throws {
        let target = try self.target {
            $0.field(13) { $0.field(1, "pipeline") }
            $0.field(5, varint: 3)
        }
        guard case .unknown = try target.subject.get() else { return #expect(Bool(false)) }
        #expect(target.id == 3)
    }

    @Test("target ids may come one by one as well as packed")
    func unpackedIDs() throws {
        let message = FieldWriter.message { response in
            response.field(2) { change in
                change.field(2, varint: 1)
                change.field(2, varint: 300)
                change.field(2, [2, 4])
            }
        }
        guard case .targetChange(let change) = try ListenResponse(decoding: message) else {
            return #expect(Bool(false))
        }
        #expect(change.targetIDs == [1, 300, 2, 4])
    }

    @Test("a document encoded once makes the same message as one encoded for it alone")
    func encodedOnce() throws {
        let golden = ByteBuffer(bytes: Hexadecimal.bytes(Goldens.listenDocumentChange))
        guard case .documentChange(let change) = try ListenResponse(decoding: golden) else {
            return #expect(Bool(false))
        }
        let document = EncodedDocument(change.document)
        for (ids, removed): ([Int32], [Int32]) in [([1, 300], [2]), ([], []), ([-1], []), ([], [1, 2, .max, .min])] {
            var alone = ByteBuffer()
            ListenResponse.documentChange(.init(change.document, targetIDs: ids, removedTargetIDs: removed))
                .encode(into: &alone)
            var parts = ByteBuffer()
            ListenResponse.encodeStartOfChange(document, targetIDs: ids, removedTargetIDs: removed, into: &parts)
            parts.writeImmutableBuffer(document.bytes)
            ListenResponse.encodeEndOfChange(targetIDs: ids, removedTargetIDs: removed, into: &parts)
            #expect(parts == alone)
        }
    }

    @Test("a snapshot's message holds nothing but time and token")
    func snapshot() throws {
        var message = ByteBuffer()
        let time = Timestamp(microseconds: 1_700_000_000_123_456)
        ListenResponse.targetChange(TargetChange(.noChange, resumeToken: Array("token".utf8), readTime: time))
            .encode(into: &message)
        #expect(Array(message.readableBytesView) == Hexadecimal.bytes(Goldens.listenSnapshot))
    }
}
