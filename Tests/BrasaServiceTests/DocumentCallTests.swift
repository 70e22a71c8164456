import BrasaDocuments
import BrasaGRPC
import BrasaMessages
import BrasaPlatform
import BrasaSimulation
import BrasaStatus
import BrasaStore
import BrasaTransactions
import BrasaWire
import NIOEmbedded
import Testing

@testable import BrasaService

@Suite struct DocumentCallTests {
    let service: ServiceUnderTest

    init() throws {
        self.service = try ServiceUnderTest()
    }

    @Test func `A document reads as it was set, with the commit's time`() throws {
        defer { self.service.close() }
        let commit = try self.service.commit([try set("c/x", [("n", .integer(1))])])
        let read = try self.service.get("c/x").get()
        #expect(read.document?.fields == fields([("n", .integer(1))]))
        #expect(read.document?.updateTime == commit.commitTime)
        #expect(read.document?.createTime == commit.commitTime)
    }

    @Test func `A missing document is NOT_FOUND by its full name`() throws {
        defer { self.service.close() }
        let text = "Document \"projects/p/databases/(default)/documents/c/x\" not found."
        #expect(try self.service.get("c/x").status == GRPCStatus(.notFound, text))
    }

    @Test func `An empty mask returns no fields, but the times`() throws {
        defer { self.service.close() }
        try self.service.commit([try set("c/x", [("n", .integer(1))])])
        let read = try self.service.get("c/x", mask: []).get()
        #expect(read.document?.fields == .empty)
        #expect(read.document?.updateTime.microseconds ?? 0 > 0)
    }

    @Test func `A created document has an id of twenty characters unless one is given, and is created once`() throws {
        defer { self.service.close() }
        var request = CreateDocumentRequest(parent: try parent(), collectionID: "c", fields: .empty)
        let chosen = try self.service.answer { $0.createDocument(request, completion: $1) }.get()
        let id = String(decoding: chosen.name.path.lastSegment, as: UTF8.self)
        #expect(id.count == 20 && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })

        request.documentID = "x"
        #expect(try self.service.answer { $0.createDocument(request, completion: $1) }.status == .ok)
        let text = "Document already exists: projects/p/databases/(default)/documents/c/x"
        let again: ServiceUnderTest.Answer<NamedDocument> = try self.service.answer {
            $0.createDocument(request, completion: $1)
        }
        #expect(again.status == GRPCStatus(.alreadyExists, text))
    }

    @Test func `An update answers with the whole document, masked for the response only`() throws {
        defer { self.service.close() }
        try self.service.commit([try set("c/x", [("a", .integer(1)), ("b", .integer(2))])])
        let path = try FieldPath(parsing: "b".utf8)
        let write = Write(
            name: try name("c/x"),
            operation: .merge(fields([("b", .integer(3))]), mask: [path])
        )
        let whole = try self.service.answer {
            $0.updateDocument(UpdateDocumentRequest(write: write), completion: $1)
        }.get()
        #expect(whole.document?.fields == fields([("a", .integer(1)), ("b", .integer(3))]))
        let masked = try self.service.answer {
            $0.updateDocument(UpdateDocumentRequest(write: write, mask: [path]), completion: $1)
        }.get()
        #expect(masked.document?.fields == fields([("b", .integer(3))]))
    }

    @Test func `The answer is the version that was written, also when that has left history already`() throws {
        var configuration = SimulatedServer.smallStore
        configuration.history = .seconds(1)
        let service = try ServiceUnderTest(store: configuration)
        defer { service.close() }
        let write = Write(name: try name("c/x"), operation: .set(fields([("n", .integer(1))])))
        let answer: ServiceUnderTest.Answer<NamedDocument> = try service.start {
            $0.updateDocument(UpdateDocumentRequest(write: write), completion: $1)
        }
        service.loop.run()
        try service.carryToServer()
        // The answer is on its way from another thread while others write and time passes.
        let store = service.engine.store
        service.engine.transactions.commit(
            database: store.database(ServiceUnderTest.database),
            transaction: nil,
            writes: [try set("c/x", [("n", .integer(2))])],
            reply: Reply(mailbox: service.engine.scheduler.mailbox()) { _ in }
        )
        while store.step() {}
        service.engine.clock.advance(microseconds: 60_000_000)
        let written = store.strongReadTime()
        service.engine.clock.advance(microseconds: 60_000_000)
        _ = store.strongReadTime()
        while store.maintain() {}
        #expect(store.oldestReadTime(in: store.database(ServiceUnderTest.database)) > written)
        #expect(answer.status == nil)
        try service.run()
        #expect(try answer.get().document?.fields == fields([("n", .integer(1))]))
    }

    @Test func `Deleting what is missing is fine, unless it must exist`() throws {
        defer { self.service.close() }
        let gone = try name("c/x")
        let plain: ServiceUnderTest.Answer<EmptyResponse> = try self.service.answer {
            $0.deleteDocument(DeleteDocumentRequest(name: gone), completion: $1)
        }
        #expect(plain.status == .ok)
        let guarded: ServiceUnderTest.Answer<EmptyResponse> = try self.service.answer {
            $0.deleteDocument(DeleteDocumentRequest(name: gone, precondition: .exists(true)), completion: $1)
        }
        #expect(guarded.status?.code == .notFound)
    }

    @Test func `Ids come from the entropy, each character from all sixty-two`() {
        let ids = (0..<200).map { RandomID.make(from: .seeded($0)).bytes }
        #expect(Set(ids).count == 200)
        #expect(Set(ids.joined()).count == 62)
    }
}
