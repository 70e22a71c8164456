import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaStatus
import NIOCore
import Testing

@testable import BrasaWire

@Suite("Rules of requests")
struct RequestRuleTests {
    static let database = "projects/p/databases/d"
    static let name = "projects/p/databases/d/documents/c/x"
    static let elsewhere = "projects/p/databases/e/documents/c/x"

    private func commit(_ build: (inout FieldWriter) -> Void) throws(WireError) -> Write {
        let message = FieldWriter.message { request in
            request.field(1, Self.database)
            request.field(2, build)
        }
        return try CommitRequest(decoding: message).writes[0]
    }

    private func reason(_ body: () throws(WireError) -> some Any) -> DocumentError.Reason? {
        do throws(WireError) {
            _ = try body()
            return nil
        } catch {
            guard case .document(let error) = error else { return nil }
            #expect(error.code == .invalidArgument)
            #expect(WireError.document(error).status.code == .invalidArgument)
            return error.reason
        }
    }

    @Test("too many writes are refused before one of them is looked at", arguments: [0, 1])
    func writeCount(excess: Int) throws {
        // None of them is a write.
        func message(_ field: UInt64) -> ByteBuffer {
            FieldWriter.message { request in
                request.field(1, Self.database)
                for _ in 0..<3 + excess { request.field(field, [0xFF]) }
            }
        }
        let error = excess > 0 ? WireError.tooManyWrites(allowed: 3) : .malformed
        #expect(throws: error) { try CommitRequest(decoding: message(2), writesMax: 3) }
        #expect(throws: error) { try BatchWriteRequest(decoding: message(2), writesMax: 3) }
        #expect(throws: error) { try WriteRequest(decoding: message(3), writesMax: 3) }
        #expect(try CommitTarget(decoding: message(2)).database.string == Self.database)
        #expect(WireError.tooManyWrites(allowed: 3).status.message == "maximum 3 writes allowed per request")
    }

    @Test("what no message has does not hide writes", arguments: [[0x80, 0, 0], [0xF8, 0xFF, 0xFF, 0xFF, 0x7F, 0]])
    func hiddenWrites(unknown: [UInt8]) throws {
        func message(_ field: UInt64) -> ByteBuffer {
            var bytes = ByteBuffer(bytes: unknown)
            bytes.writeImmutableBuffer(
                FieldWriter.message { request in
                    request.field(1, Self.database)
                    for _ in 0..<4 { request.field(field, [0xFF]) }
                }
            )
            return bytes
        }
        #expect(throws: WireError.malformed) { try CommitRequest(decoding: message(2), writesMax: 3) }
        #expect(throws: WireError.malformed) { try BatchWriteRequest(decoding: message(2), writesMax: 3) }
        #expect(throws: WireError.malformed) { try WriteRequest(decoding: message(3), writesMax: 3) }
    }

    @Test("a document's strings must be UTF-8, and may hold NUL")
    func utf8() throws {
        let invalid = FieldWriter.message { $0.field(1, Array(Self.name.utf8) + [0xFF]) }
        #expect(self.reason { () throws(WireError) in try GetDocumentRequest(decoding: invalid) } != nil)
        let zero = FieldWriter.message { $0.field(1, Self.name + "\0y") }
        #expect(try GetDocumentRequest(decoding: zero).name.string == Self.name + "\0y")
        let collection = FieldWriter.message { request in
            request.field(1, Self.database + "/documents")
            request.field(2, [0xC0, 0x80])
        }
        #expect(
            self.reason { () throws(WireError) in try ListDocumentsRequest(decoding: collection) }
                == .invalidUTF8("collection_id")
        )
    }

    @Test("every name must be in the request's database")
    func otherDatabase() throws {
        let expected = DocumentError.Reason.otherDatabase(requested: Self.database, accessed: "projects/p/databases/e")
        for field: UInt64 in [2, 5] {
            #expect(
                self.reason { () throws(WireError) in try self.commit { $0.field(field, Self.elsewhere) } } == expected
            )
        }
        #expect(
            self.reason { () throws(WireError) in try self.commit { $0.field(1) { $0.field(1, Self.elsewhere) } } }
                == expected
        )
        #expect(
            self.reason { () throws(WireError) in try self.commit { $0.field(6) { $0.field(1, Self.elsewhere) } } }
                == expected
        )
        let batchGet = FieldWriter.message { request in
            request.field(1, Self.database)
            request.field(2, Self.name)
            request.field(2, Self.elsewhere)
        }
        #expect(self.reason { () throws(WireError) in try BatchGetDocumentsRequest(decoding: batchGet) } == expected)
    }

    private func query(_ build: (inout FieldWriter) -> Void) -> ByteBuffer {
        FieldWriter.message { request in
            request.field(1, Self.database + "/documents")
            request.field(2, build)
        }
    }

    @Test("names that bound a query must be in its database, other references need not")
    func queryNames() throws {
        func filter(on path: String) -> ByteBuffer {
            self.query { query in
                query.field(3) { filter in
                    filter.field(2) { field in
                        field.field(1) { $0.field(2, path) }
                        field.field(2, varint: 3)
                        field.field(3) { $0.field(5, Self.elsewhere) }
                    }
                }
            }
        }
        #expect(self.reason { () throws(WireError) in try RunQueryRequest(decoding: filter(on: "__name__")) } != nil)
        #expect(throws: Never.self) { try RunQueryRequest(decoding: filter(on: "owner")) }

        func cursor(orders: [String]) -> ByteBuffer {
            self.query { query in
                for order in orders { query.field(4) { $0.field(1) { $0.field(2, order) } } }
                query.field(8) { $0.field(1) { $0.field(5, Self.elsewhere) } }
            }
        }
        #expect(self.reason { () throws(WireError) in try RunQueryRequest(decoding: cursor(orders: [])) } != nil)
        #expect(
            self.reason { () throws(WireError) in try RunQueryRequest(decoding: cursor(orders: ["__name__"])) } != nil
        )
        #expect(throws: Never.self) { try RunQueryRequest(decoding: cursor(orders: ["owner"])) }
    }

    @Test("times outside the years 1 to 9999 are refused")
    func times() throws {
        func read(seconds: UInt64, nanos: UInt64) -> ByteBuffer {
            FieldWriter.message { request in
                request.field(1, Self.name)
                request.field(5) {
                    $0.field(1, varint: seconds); $0.field(2, varint: nanos)
                }
            }
        }
        for (seconds, nanos) in [(253_402_300_800, 0), (UInt64.max - 62_135_596_800, 0), (0, 1_000_000_000)] {
            let message = read(seconds: seconds, nanos: UInt64(nanos))
            #expect(
                self.reason { () throws(WireError) in try GetDocumentRequest(decoding: message) }
                    == .timestampOutOfRange
            )
        }
        let last = try GetDocumentRequest(decoding: read(seconds: 253_402_300_799, nanos: 999_999_000))
        #expect(last.consistency == .readTime(ReadTime(.latest)))
    }

    @Test("a precondition's time must be in whole microseconds")
    func preconditionTimes() {
        let reason = self.reason { () throws(WireError) in
            try self.commit { write in
                write.field(2, Self.name)
                write.field(4) { $0.field(2) { $0.field(2, varint: 1_001) } }
            }
        }
        #expect(reason == .preconditionTimeNotAligned)
    }

    @Test("of several members of a choice the last counts")
    func lastMember() throws {
        let write = try self.commit { write in
            write.field(1) { $0.field(1, Self.name) }
            write.field(5, Self.name)
            write.field(2, Self.name)
        }
        guard case .delete = write.operation else { Issue.record("not the delete"); return }
        let read = FieldWriter.message { request in
            request.field(1, Self.name)
            request.field(3, "transaction")
            request.field(5) { $0.field(1, varint: 5) }
        }
        #expect(
            try GetDocumentRequest(decoding: read).consistency
                == .readTime(ReadTime(Timestamp(microseconds: 5_000_000)))
        )
    }

    @Test("an empty precondition asks for nothing")
    func emptyPrecondition() throws {
        #expect(
            try self.commit {
                $0.field(2, Self.name); $0.field(4, "")
            }.precondition == nil
        )
        let absent = try self.commit {
            $0.field(2, Self.name); $0.field(4) { $0.field(1, varint: 0) }
        }
        #expect(absent.precondition == .exists(false))
    }

    @Test("a write must do something, and only what its operation can")
    func operations() throws {
        #expect(self.reason { () throws(WireError) in try self.commit { $0.field(4, "") } } == .emptyWrite)
        #expect(
            self.reason { () throws(WireError) in
                try self.commit {
                    $0.field(2, Self.name); $0.field(3, "")
                }
            }
                == .deleteWithMask
        )
        let transform: (inout FieldWriter) -> Void = {
            $0.field(7) {
                $0.field(1, "a"); $0.field(2, varint: 1)
            }
        }
        #expect(
            self.reason { () throws(WireError) in
                try self.commit {
                    $0.field(2, Self.name); transform(&$0)
                }
            }
                == .deleteWithTransform
        )
        #expect(
            self.reason { () throws(WireError) in
                try self.commit {
                    $0.field(5, Self.name); transform(&$0)
                }
            }
                == .verifyWithTransform
        )
    }

    @Test("the older transform is an update with an empty mask")
    func olderTransform() throws {
        let write = try self.commit { write in
            write.field(6) { transform in
                transform.field(1, Self.name)
                transform.field(2) {
                    $0.field(1, "a"); $0.field(2, varint: 1)
                }
            }
        }
        guard case .merge(.empty, mask: []) = write.operation else { Issue.record("no empty merge"); return }
        #expect(write.transforms.count == 1)
    }

    @Test("verify survives the way there and back")
    func verify() throws {
        let write = try self.commit {
            $0.field(5, Self.name); $0.field(4) { $0.field(1, varint: 1) }
        }
        var buffer = ByteBuffer()
        CommitRequest(database: write.name.database, writes: [write]).encode(into: &buffer)
        let again = try CommitRequest(decoding: buffer).writes[0]
        guard case .verify = again.operation else { Issue.record("no verify"); return }
        #expect(again.precondition == .exists(true))
    }

    @Test("an unset or unknown transform is refused, and more than 500 in one write are")
    func transforms() {
        for field: [UInt8] in [[], [0x10, 0x00], [0x10, 0x05]] {
            let reason = self.reason { () throws(WireError) in
                try self.commit { write in
                    write.field(1) { $0.field(1, Self.name) }
                    write.field(7, [0x0A, 0x01, UInt8(ascii: "a")] + field)
                }
            }
            #expect(reason == .transformTypeUnset)
        }
        let many = self.reason { () throws(WireError) in
            try self.commit { write in
                write.field(1) { $0.field(1, Self.name) }
                for _ in 0...500 {
                    write.field(7) {
                        $0.field(1, "a"); $0.field(2, varint: 1)
                    }
                }
            }
        }
        #expect(many == .tooManyTransforms)
    }

    @Test("BatchWrite keeps the error of each write beside the others")
    func batchWrite() throws {
        let message = FieldWriter.message { request in
            request.field(1, Self.database)
            request.field(2) { $0.field(2, Self.name) }
            request.field(2) { $0.field(2, Self.elsewhere) }
            request.field(2, "")
            request.field(2) { $0.field(5, Self.name) }
        }
        let writes = try BatchWriteRequest(decoding: message).writes
        #expect(writes.map { (try? $0.get()) != nil } == [true, false, false, true])
    }

    @Test("numbers that an enum does not know read as unspecified")
    func unknownNumbers() throws {
        let message = self.query { query in
            query.field(3) {
                $0.field(2) {
                    $0.field(1) { $0.field(2, "a") }; $0.field(2, varint: 99)
                }
            }
            query.field(4) {
                $0.field(1) { $0.field(2, "a") }; $0.field(2, varint: 99)
            }
        }
        let query = try #require(try RunQueryRequest(decoding: message).query)
        guard case .field(_, .unspecified, nil) = query.filter else { Issue.record("other filter"); return }
        #expect(query.orderBy.map(\.direction) == [.unspecified])
    }

    @Test("negative numbers arrive as they were sent")
    func negatives() throws {
        let message = self.query { query in
            query.field(6, varint: UInt64(bitPattern: -3))
            query.field(5) { $0.field(1, varint: UInt64(bitPattern: -1)) }
        }
        let query = try #require(try RunQueryRequest(decoding: message).query)
        #expect(query.offset == -3)
        #expect(query.limit == -1)
    }

    @Test("malformed bytes end a call with INVALID_ARGUMENT, which no client repeats")
    func statuses() {
        for error: WireError in [.malformed, .tooManyFields, .filterTooDeep] {
            #expect(error.status.code == .invalidArgument)
        }
    }
}
