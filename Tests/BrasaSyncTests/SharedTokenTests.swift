import BrasaDocuments
import BrasaQueries
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

/// A token that the server gives to all targets at once is every target's, and costs nothing for each.
@Suite struct SharedTokenTests {
    private func share(_ token: [UInt8], at version: Int64) -> WatchMessage {
        .target(.init(.noChange, targets: [], resumeToken: token, readTime: Timestamp(microseconds: version)))
    }

    private func resumption(of query: SyncQuery, in test: TestClient) -> WatchRequest.Resumption? {
        test.transport.watch?.active[test.wireID(of: query)]?.resumption
    }

    private func reconnect(_ test: TestClient) {
        test.transport.breakWatch(nil)
        test.settle()
        test.scheduler.fire(.watchStreamBackoff)
        test.settle()
    }

    @Test func `All targets resume with the token that they were given together`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let queries = try ["a", "b"].map { try collection($0) }
        for query in queries { test.listen(query) }
        for query in queries { test.bring([], to: query, at: 10) }
        test.say(self.share([7], at: 11))
        test.say(self.share([8], at: 12))
        self.reconnect(test)
        for query in queries { #expect(self.resumption(of: query, in: test) == .token([8])) }
        // What was said before the server has answered is of the old listening.
        test.say(self.share([9], at: 13))
        self.reconnect(test)
        for query in queries { #expect(self.resumption(of: query, in: test) == .token([8])) }
    }

    @Test func `A target that is let go of keeps the token that it had`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let (left, stays) = (try collection("a"), try collection("b"))
        let token = test.listen(left)
        test.listen(stays)
        for query in [left, stays] { test.bring([], to: query, at: 10) }
        test.say(self.share([7], at: 11))
        test.client.unlisten(token)
        test.say(self.share([8], at: 12))
        test.listen(left)
        #expect(self.resumption(of: left, in: test) == .token([7]))
    }

    @Test func `A view that is shown from the cache only takes no tokens meanwhile`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let (query, other) = (try collection("a"), try collection("b"))
        let remote = test.listen(query)
        test.listen(query, ListenOptions(source: .cache))
        test.listen(other)
        for query in [query, other] { test.bring([], to: query, at: 10) }
        test.say(self.share([7], at: 11))
        test.client.unlisten(remote)
        test.say(self.share([8], at: 12))
        test.say(self.share([9], at: 13))
        test.listen(query)
        #expect(self.resumption(of: query, in: test) == .token([7]))
    }

    @Test func `A target that has to start anew takes no token before the server has answered`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let (query, other) = (try collection("a"), try collection("b"))
        for query in [query, other] { test.listen(query) }
        for query in [query, other] { test.bring([], to: query, at: 10) }
        test.say(self.share([7], at: 11))
        test.say(.filter(target: test.wireID(of: query), count: 1, bloomFilter: nil))
        test.say(self.share([8], at: 12))
        test.say(self.share([9], at: 13))
        self.reconnect(test)
        #expect(self.resumption(of: query, in: test) == nil)
        #expect(self.resumption(of: other, in: test) == .token([9]))
    }

    @Test func `The shared token is written down for all that have it, now and then`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let query = try collection("a")
        test.listen(query)
        test.bring([], to: query, at: 10)
        func stored() throws -> [UInt8]? {
            try test.storage.transaction(.allocateTarget) { tables throws(StorageError) in
                try tables.targetData(for: query.target)?.resumeToken
            }
        }
        test.say(self.share([7], at: 11))
        test.say(self.share([8], at: 299_999_999))
        #expect(try stored() != [8])
        test.say(self.share([9], at: 300_000_000))
        test.say(self.share([10], at: 300_000_001))
        #expect(try stored() == [8])
    }

    @Test func `An event speaks only of the targets that something was said of`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let queries = try (0..<100).map { try collection("c\($0)") }
        for query in queries { test.listen(query) }
        for query in queries { test.bring([], to: query, at: 10) }
        var aggregator = try #require(test.engine.remote.aggregator)
        _ = aggregator.finish(at: Timestamp(microseconds: 11), token: [7])
        let target = try #require(test.engine.targetID(of: queries[42]))
        aggregator.add(try document("c42/a", 12, ["n": .null]), targets: [target], removed: [])
        let event = aggregator.finish(at: Timestamp(microseconds: 12), token: [8])
        #expect(Array(event.targetChanges.keys) == [target])
        let concerned = test.engine.views.concerned(
            by: event.documentUpdates,
            event,
            shown: test.storage.viewReferences
        )
        #expect(concerned.map(\.view.target) == [target])
    }

    @Test func `Views are found by document, collection and group`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        var group = StructuredQuery()
        group.from = [StructuredQuery.CollectionSelector(collectionID: "c", allDescendants: true)]
        let queries = [
            SyncQuery(document: try path("c/a")), try collection("c"), try collection("d"),
            try SyncQuery(group, parent: .root, database: SpecModel.database()),
        ]
        for query in queries { test.listen(query) }
        for (name, wanted) in [("c/a", [0, 1, 3]), ("c/b", [1, 3]), ("d/a", [2]), ("d/a/c/x", [3]), ("e/a", [])] {
            let changes = [try path(name): try document(name, 1, [:])]
            let found = test.engine.views.concerned(by: changes, nil, shown: ReferenceSet())
            #expect(found.map(\.view.query) == wanted.map { queries[$0] }, "\(name)")
            #expect(found.allSatisfy { $0.changes == changes })
        }
    }

    @Test func `Of views that ask for a value, those with the document's and those that show it are found`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let queries = try (0..<100).map { number in
            try collection("c", filter: .field(try field("room"), .equal, .integer(number)))
        }
        for query in queries { test.listen(query) }
        test.write(try set("c/a", ["room": .integer(7)]))
        let moved = try document("c/a", 12, ["room": .double(9)])
        let found = test.engine.views.concerned(by: [moved.path: moved], nil, shown: test.storage.viewReferences)
        #expect(found.map(\.view.query) == [queries[7], queries[9]])
        let gone = SyncDocument.missing(moved.path, version: .zero)
        let left = test.engine.views.concerned(by: [gone.path: gone], nil, shown: test.storage.viewReferences)
        #expect(left.map(\.view.query) == [queries[7]])
    }
}
