import BrasaDocuments
import BrasaStatus
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

@Suite struct ReadTests {
    private func read(_ test: TestClient, _ text: String, _ source: ReadSource) throws {
        test.client.getDocument(try path(text), source: source) { result in
            switch result {
            case .failure(let error): test.log.append("error \(error.code)")
            case .success(let read):
                let what = read.document == nil ? "missing" : "found"
                let cached = read.isFromCache ? " (cached)" : ""
                test.log.append("\(what)\(cached)\(read.hasPendingWrites ? " (pending)" : "")")
            }
        }
        test.settle()
    }

    @Test func `A read waits for the server while it may answer`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        test.write(try set("c/a", ["n": .integer(1)]))
        try self.read(test, "c/a", .default)
        #expect(test.log == [])
        test.bring([try document("c/a", 5, ["n": .integer(2)])], to: SyncQuery(document: try path("c/a")), at: 10)
        #expect(test.log == ["found (pending)"])
        // And nobody listens any more.
        #expect(test.engine.views.all.isEmpty)
    }

    @Test(arguments: [ReadSource.default, .server])
    func `A read without network answers from the cache unless it must not`(_ source: ReadSource) throws {
        let test = try TestClient(.leastRecentlyUsed)
        test.write(try set("c/a", ["n": .integer(1)]))
        test.client.disableNetwork {}
        test.settle()
        try self.read(test, "c/a", source)
        try self.read(test, "c/b", source)
        let known = source == .default ? "found (cached) (pending)" : "error unavailable"
        #expect(test.log == [known, "error unavailable"])
    }

    @Test func `The first failure of the network ends the waiting`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        try self.read(test, "c/b", .default)
        #expect(test.log == [])
        test.transport.breakWatch(SyncError(.unavailable))
        test.settle()
        #expect(test.log == ["error unavailable"])
    }

    @Test func `The cache answers at once, also that it does not know`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        test.write(try set("c/a", [:]), try SpecModel.write("c/b", .delete))
        for name in ["c/a", "c/b", "c/c"] { try self.read(test, name, .cache) }
        #expect(test.log == ["found (cached) (pending)", "missing (cached) (pending)", "error unavailable"])
    }

    @Test func `A query without network gives what is cached, and fails when only the server will do`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        test.write(try set("c/a", [:]))
        test.client.disableNetwork {}
        test.settle()
        for source in [ReadSource.default, .server, .cache] {
            test.client.getDocuments(try collection("c"), source: source) { result in
                switch result {
                case .failure(let error): test.log.append("error \(error.code)")
                case .success(let snapshot): test.log.append("\(snapshot.documents.count) \(snapshot.isFromCache)")
                }
            }
            test.settle()
        }
        #expect(test.log == ["1 true", "error unavailable", "1 true"])
    }
}
