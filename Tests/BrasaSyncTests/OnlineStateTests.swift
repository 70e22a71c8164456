import BrasaDocuments
import BrasaQueries
import BrasaStatus
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

@Suite struct OnlineStateTests {
    @Test func `An empty result is held back until the server is known to be away`() throws {
        let test = try TestClient()
        test.listen(try collection("c"))
        #expect(test.log == [])
        test.scheduler.fire(.onlineState)
        test.settle()
        #expect(test.log == ["[] (cached)"])
    }

    @Test func `One failure is being offline, but a connection that worked gets another chance`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query, ListenOptions(includeMetadataChanges: true))
        test.bring([], to: query, at: 10)
        #expect(test.log == ["[]"])
        test.transport.breakWatch(SyncError(.unavailable))
        test.settle()
        #expect(test.log == ["[]"])
        test.scheduler.fire(.watchStreamBackoff)
        test.settle()
        test.transport.breakWatch(SyncError(.unavailable))
        test.settle()
        #expect(test.log == ["[]", "[] (cached)"])
    }

    @Test func `When nobody listens any more nothing is known of the network`() throws {
        let test = try TestClient()
        let token = test.listen(try collection("c"))
        test.transport.breakWatch(SyncError(.unavailable))
        test.settle()
        #expect(test.log == ["[] (cached)"])
        test.client.unlisten(token)
        test.settle()
        test.listen(try collection("d"))
        #expect(test.log == ["[] (cached)"])
    }

    @Test func `A listener to the cache does not hear of the network`() throws {
        let test = try TestClient()
        test.listen(try collection("c"), ListenOptions(includeMetadataChanges: true, source: .cache))
        #expect(test.log == ["[] (cached)"])
        #expect(test.transport.watch == nil)
        test.client.disableNetwork {}
        test.client.enableNetwork {}
        test.settle()
        #expect(test.log == ["[] (cached)"])
    }

    @Test func `Listeners to the cache and to the server share a view`() throws {
        let test = try TestClient()
        let query = try collection("c")
        let cached = test.listen(query, ListenOptions(source: .cache))
        #expect(test.transport.watch == nil)
        let remote = test.listen(query)
        #expect(test.transport.watch?.active.count == 1)
        #expect(test.engine.views.all.count == 1)
        test.client.unlisten(remote)
        test.settle()
        #expect(test.transport.watch?.active.isEmpty == true)
        #expect(test.engine.views.all.count == 1)
        test.client.unlisten(cached)
        test.settle()
        #expect(test.engine.views.all.isEmpty)
    }

    @Test func `What only the cache feeds is not taken for the server's word`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query, ListenOptions(includeMetadataChanges: true, source: .cache))
        let remote = test.listen(query)
        test.bring([try document("c/a", 1, [:])], to: query, at: 10)
        #expect(test.last?.isFromCache == false)
        test.client.unlisten(remote)
        test.settle()
        #expect(test.log.last == "[] (cached)")
        test.log = []
        test.listen(query)
        #expect(test.log == ["[added c/a] (cached)"])
        #expect(test.transport.watch?.active.values.first?.resumption == .token(Array("t10".utf8)))
        test.bring([try document("c/a", 11, ["n": .integer(1)])], to: query, at: 20)
        #expect(test.last?.isFromCache == false)
    }

    @Test(arguments: [true, false])
    func `A target of mirrored queries is listened to as long as one of them asks the server`(
        _ endsRemoteFirst: Bool
    ) throws {
        let test = try TestClient()
        let order = [StructuredQuery.Order(field: try field("n"))]
        let last = try collection("c", orderBy: order, limit: 2, limitType: .last)
        let mirror = [StructuredQuery.Order(field: try field("n"), direction: .descending)]
        let first = try collection("c", orderBy: mirror, limit: 2)
        #expect(first.target == last.target)
        let tokens = [test.listen(first), test.listen(last, ListenOptions(source: .cache))]
        #expect(test.transport.watch?.active.count == 1)
        for token in endsRemoteFirst ? tokens : tokens.reversed() {
            test.client.unlisten(token)
            test.settle()
            #expect(test.transport.watch?.active.isEmpty == (endsRemoteFirst || token == tokens[0]))
        }
        #expect(test.engine.views.all.isEmpty)
    }

    @Test func `Documents in limbo are not asked about for those who only want the cache`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let query = try collection("c")
        let other = try collection("c", filter: .field(try field("n"), .equal, .integer(1)))
        test.listen(query, ListenOptions(source: .cache))
        let remote = test.listen(query)
        test.bring([], to: query, at: 10)
        test.listen(other)
        test.bring([try document("c/a", 11, ["n": .integer(1)])], to: other, at: 12)
        #expect(test.engine.limbo.active.count == 1)
        test.client.unlisten(remote)
        test.settle()
        #expect(test.engine.limbo.active.isEmpty)
        #expect(test.transport.watch?.active.count == 1)
        // Back, it is.
        test.listen(query)
        test.bring([], to: query, at: 20)
        #expect(test.engine.limbo.active.count == 1)
    }

    @Test func `The network can be switched off and on again, and writes wait`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query)
        test.bring([], to: query, at: 10)
        test.client.disableNetwork {}
        test.write(try set("c/a", [:]))
        #expect(test.transport.watch == nil)
        #expect(test.transport.writes == nil)
        test.client.enableNetwork {}
        test.settle()
        #expect(test.transport.watch?.active.values.first?.resumption == .token(Array("t10".utf8)))
        #expect(test.transport.writes?.pending.count == 1)
        let count = test.transport.watchRequests
        test.client.enableNetwork {}
        test.settle()
        #expect(test.transport.watchRequests == count)
    }
}
