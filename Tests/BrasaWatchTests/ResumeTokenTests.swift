import BrasaDocuments
import Testing

@testable import BrasaWatch

@Suite struct ResumeTokenTests {
    private let store = Timestamp(microseconds: 1_600_000_000_000_000)

    private func database(_ id: UTF8Text = "(default)") throws -> DatabaseName {
        try DatabaseName(project: "p", database: id)
    }

    @Test(arguments: [0, 1, -1, Int64.max, Int64.min, 1_700_000_000_123_456])
    func `a token is read as it was made`(time: Int64) throws {
        let token = ResumeToken(
            time: Timestamp(microseconds: time),
            database: try self.database(),
            store: self.store
        )
        #expect(token.bytes.count == 29)
        #expect(ResumeToken(parsing: token.bytes, database: try self.database(), store: self.store) == token)
    }

    @Test func `a token of another database or another store is of no use`() throws {
        let bytes = ResumeToken(time: self.store, database: try self.database(), store: self.store).bytes
        #expect(ResumeToken(parsing: bytes, database: try self.database("other"), store: self.store) == nil)
        let other = Timestamp(microseconds: self.store.microseconds + 1)
        #expect(ResumeToken(parsing: bytes, database: try self.database(), store: other) == nil)
    }

    @Test func `any damage to a token is seen`() throws {
        let bytes = ResumeToken(time: self.store, database: try self.database(), store: self.store).bytes
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << UInt8(bit)
                #expect(ResumeToken(parsing: damaged, database: try self.database(), store: self.store) == nil)
            }
        }
        for count in 0..<bytes.count {
            let short = Array(bytes[..<count])
            #expect(ResumeToken(parsing: short, database: try self.database(), store: self.store) == nil)
        }
        #expect(ResumeToken(parsing: bytes + [0], database: try self.database(), store: self.store) == nil)
    }
}
