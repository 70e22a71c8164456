import BrasaDocuments
import Testing

@testable import BrasaWatch

@Suite struct ResumeTokenTests {
    private func token(_ time: Int64, _ commit: Int64? = 1, _ life: UInt64 = 7) throws -> ResumeToken {
        ResumeToken(
            time: Timestamp(microseconds: time),
            commit: commit.map { Timestamp(microseconds: $0) },
            life: life,
            database: try DatabaseName(project: "p", database: "(default)"),
            store: Timestamp(microseconds: 1_600_000_000_000_000)
        )
    }

    @Test(arguments: [0, 1, -1, Int64.max, Int64.min, 1_700_000_000_123_456])
    func `a token is read as it was made`(time: Int64) throws {
        for token in [
            try self.token(time), try self.token(0, time), try self.token(0, nil),
            try self.token(0, 0, UInt64(bitPattern: time)),
        ] {
            #expect(token.bytes.count == 45)
            #expect(ResumeToken(parsing: token.bytes) == token)
        }
    }

    @Test func `any damage to a token is seen`() throws {
        let bytes = try self.token(1_700_000_000_123_456).bytes
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << UInt8(bit)
                #expect(ResumeToken(parsing: damaged) == nil)
            }
        }
        for count in 0..<bytes.count { #expect(ResumeToken(parsing: Array(bytes[..<count])) == nil) }
        #expect(ResumeToken(parsing: bytes + [0]) == nil)
    }
}
