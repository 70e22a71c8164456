import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaSimulation
import BrasaStatus
import BrasaStore
import BrasaWire
import Testing

@testable import BrasaService

@Suite struct ReadTimeTests {
    let service: ServiceUnderTest

    init() throws {
        self.service = try ServiceUnderTest()
    }

    @Test func `A read at a commit's time sees it, one a microsecond before does not`() throws {
        defer { self.service.close() }
        let first = try #require(try self.service.commit([try set("c/x", [("n", .integer(1))])]).commitTime)
        try self.service.advance(microseconds: 1_000)
        let second = try #require(try self.service.commit([try set("c/x", [("n", .integer(2))])]).commitTime)
        for (time, expected) in [
            (second, 2), (Timestamp(microseconds: second.microseconds - 1), 1), (first, 1),
        ] as [(Timestamp, Int64)] {
            let read = try self.service.get("c/x", .readTime(ReadTime(time))).get()
            #expect(read.document?.fields == fields([("n", .integer(expected))]))
        }
    }

    @Test func `A time a little ahead of the clock is waited for`() throws {
        defer { self.service.close() }
        try self.service.commit([try set("c/x")])
        let ahead = Timestamp(microseconds: self.service.engine.store.strongReadTime().microseconds + 300_000)
        let document = try name("c/x")
        let answer: ServiceUnderTest.Answer<NamedDocument> = try self.service.start { stub, done in
            stub.getDocument(
                GetDocumentRequest(name: document, consistency: .readTime(ReadTime(ahead))),
                completion: done
            )
        }
        try self.service.run()
        #expect(answer.results.isEmpty)
        try self.service.advance(microseconds: 100_000)
        #expect(answer.results.isEmpty)
        try self.service.advance(microseconds: 250_000)
        #expect(answer.status == .ok)
    }

    @Test func `A time far ahead is refused at once, as is one before the store and one below microseconds`() throws {
        defer { self.service.close() }
        let now = self.service.engine.store.strongReadTime().microseconds
        let future = ReadTime(Timestamp(microseconds: now + 2_000_000))
        #expect(
            try self.service.get("c/x", .readTime(future)).status
                == GRPCStatus(.invalidArgument, "The requested 'read_time' cannot be in the future.")
        )
        let past = ReadTime(Timestamp(microseconds: 1))
        #expect(
            try self.service.get("c/x", .readTime(past)).status
                == GRPCStatus(
                    .invalidArgument,
                    "The requested 'read_time' cannot be before database creation time."
                )
        )
    }

    @Test func `A call cancelled while it waits for its time is forgotten`() throws {
        defer { self.service.close() }
        let ahead = Timestamp(microseconds: self.service.engine.store.strongReadTime().microseconds + 300_000)
        let document = try name("c/x")
        let answer: ServiceUnderTest.Answer<NamedDocument> = try self.service.start { stub, done in
            stub.getDocument(
                GetDocumentRequest(name: document, consistency: .readTime(ReadTime(ahead))),
                completion: done
            )
        }
        try self.service.run()
        answer.call?.cancel()
        try self.service.advance(microseconds: 400_000)
        #expect(answer.results.count == 1 && answer.status?.code == .cancelled)
    }
}
