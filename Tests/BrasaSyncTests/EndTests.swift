import BrasaDocuments
import BrasaStatus
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

@Suite struct EndTests {
    /// Every call with an answer, by name.
    private func callAll(_ client: SyncClient, _ note: @escaping (String) -> Void) throws {
        let query = try collection("c")
        _ = client.listen(query) { if case .failure(let error) = $0 { note("listen \(error.code)") } }
        client.write([try set("c/a", [:])]) { note("write \($0.map { "\($0.code)" } ?? "done")") }
        client.waitForPendingWrites { note("wait \($0.map { "\($0.code)" } ?? "done")") }
        for source in [ReadSource.default, .server, .cache] {
            client.getDocument(try path("c/a"), source: source) {
                if case .failure(let error) = $0 { note("document \(error.code)") }
            }
            client.getDocuments(query, source: source) {
                if case .failure(let error) = $0 { note("query \(error.code)") }
            }
        }
        client.loadBundle([]) { if case .failure(let error) = $0 { note("bundle \(error.code)") } }
        #expect(client.namedQuery("q") == nil)
    }

    private func answers(_ code: StatusCode) -> [String] {
        ["listen \(code)", "write \(code)", "wait \(code)"]
            + [ReadSource.default, .server, .cache].flatMap { _ in ["document \(code)", "query \(code)"] }
            + ["bundle \(code)"]
    }

    @Test func `After termination every call fails`() throws {
        let test = try TestClient()
        test.client.terminate {}
        test.settle()
        try self.callAll(test.client) { test.log.append($0) }
        test.settle()
        #expect(test.log == self.answers(.failedPrecondition))
        #expect(test.transport.watch == nil)
    }

    @Test func `A client whose storage could not be opened says why, and connects to nothing`() throws {
        let scheduler = FakeScheduler()
        let transport = FakeTransport(scheduler)
        let client = SyncClient(
            database: try SpecModel.database(),
            configuration: SyncConfiguration(),
            storage: .failure(SyncError(.dataLoss, "damaged")),
            scheduler: scheduler,
            transport: transport
        )
        var log: [String] = []
        try self.callAll(client) { log.append($0) }
        client.enableNetwork {}
        client.setUser(SyncUser(uid: "alice"))
        scheduler.drain()
        #expect(log == self.answers(.dataLoss))
        #expect(client.end?.message == "damaged")
        #expect(transport.watch == nil && transport.writes == nil)
        var isTerminated = false
        client.terminate { isTerminated = true }
        #expect(isTerminated)
    }

    @Test func `Who waits at the end is told so once, and nothing else`() throws {
        let test = try TestClient()
        test.client.write([try set("c/a", [:])], ended: { test.log.append("write ended") }) { _ in
            test.log.append("answered")
        }
        test.client.waitForPendingWrites(ended: { test.log.append("wait ended") }) { _ in test.log.append("waited") }
        test.client.getDocument(try path("c/b")) {
            if case .failure(let error) = $0 { test.log.append("read \(error.code)") }
        }
        _ = test.client.listen(try collection("c"), ended: { test.log.append("listen ended") }) { _ in
            test.log.append("event")
        }
        let removed = test.client.listen(try collection("d"), ended: { test.log.append("never") }) { _ in }
        test.client.unlisten(removed)
        test.settle()
        test.log = []
        test.client.terminate {}
        test.client.terminate {}
        test.settle()
        #expect(test.log.sorted() == ["listen ended", "read cancelled", "wait ended", "write ended"])
    }
}
