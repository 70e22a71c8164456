import BrasaDocuments
import BrasaQueries
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

@Suite struct ViewTests {
    private func order(_ text: String, descending: Bool = false) throws -> StructuredQuery.Order {
        StructuredQuery.Order(field: try field(text), direction: descending ? .descending : .ascending)
    }

    @Test func `Changes come as removed, added, modified, each with its places`() throws {
        let test = try TestClient()
        let query = try collection("c", orderBy: [self.order("n")])
        test.listen(query)
        let first = [
            try document("c/a", 1, ["n": .integer(1)]), try document("c/b", 1, ["n": .integer(2)]),
            try document("c/d", 1, ["n": .integer(4)]),
        ]
        test.bring(first, to: query, at: 10)
        #expect(test.last?.indexedChanges(includeMetadataChanges: false)?.map(\.newIndex) == [0, 1, 2])
        let second = [
            try document("c/a", 11, ["n": .integer(9)]), try document("c/b", 11, ["gone": .null]),
            try document("c/e", 11, ["n": .integer(3)]),
        ]
        test.change(second, in: query, at: 11)
        let changes = try #require(test.last?.indexedChanges(includeMetadataChanges: false))
        #expect(changes.map(\.kind) == [.removed, .added, .modified])
        #expect(changes.map(\.document.path.string) == ["c/b", "c/e", "c/a"])
        #expect(changes.map(\.oldIndex) == [1, nil, 0])
        #expect(changes.map(\.newIndex) == [nil, 1, 2])
        #expect(test.last?.documents.map(\.path.string) == ["c/e", "c/d", "c/a"])
    }

    @Test func `Metadata changes are events only for those who ask for them`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query)
        let metadata = ListenOptions(includeMetadataChanges: true)
        test.bring([try document("c/a", 1, ["n": .integer(1)])], to: query, at: 10)
        test.listen(query, metadata)
        test.log = []
        test.write(try set("c/a", ["n": .integer(1)]))
        #expect(test.log == ["[metadata c/a] (pending)"])
        test.acknowledge(11)
        test.change([try document("c/a", 11, ["n": .integer(1)])], in: query, at: 11)
        #expect(test.log == ["[metadata c/a] (pending)", "acknowledged", "[metadata c/a]"])
    }

    @Test func `A listener without metadata changes cannot be asked for them`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query)
        test.bring([], to: query, at: 10)
        #expect(test.last?.indexedChanges(includeMetadataChanges: true) == nil)
        #expect(test.last?.indexedChanges(includeMetadataChanges: false) == [])
    }

    @Test func `A view that loses a result of its limit is filled from the cache`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let all = try collection("c", orderBy: [self.order("n")])
        let limited = try collection("c", orderBy: [self.order("n")], limit: 2)
        test.listen(all)
        let documents = try (0..<4).map { try document("c/\($0)", 1, ["n": .integer(Int64($0))]) }
        test.bring(documents, to: all, at: 10)
        test.listen(limited)
        test.bring(Array(documents[0..<2]), to: limited, at: 11)
        test.log = []
        test.write(try SpecModel.write("c/0", .delete))
        let snapshot = try #require(test.last)
        #expect(snapshot.query == limited)
        #expect(snapshot.documents.map(\.path.string) == ["c/1", "c/2"])
    }

    @Test func `The last of an order are asked for as the first of its mirror image, and seen in their order`() throws {
        let test = try TestClient()
        let last = try collection("c", orderBy: [self.order("n")], limit: 2, limitType: .last)
        let mirror = try collection("c", orderBy: [self.order("n", descending: true)], limit: 2)
        #expect(last.target == mirror.target)
        #expect(last != mirror)
        test.listen(last)
        let documents = try (0..<2).map { try document("c/\($0)", 1, ["n": .integer(Int64($0))]) }
        test.bring(documents, to: last, at: 10)
        #expect(test.last?.documents.map(\.path.string) == ["c/0", "c/1"])
        // Already up to date, without a word from the server.
        test.listen(mirror)
        #expect(test.last?.documents.map(\.path.string) == ["c/1", "c/0"])
        #expect(test.last?.isFromCache == false)
        #expect(test.transport.sent.count == 1)
    }

    @Test func `An acknowledged write is not shown instead of the local one before watch brings it`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query, ListenOptions(includeMetadataChanges: true))
        test.bring([try document("c/a", 1, ["n": .integer(1)])], to: query, at: 10)
        let increment = FieldTransform(path: try field("n"), operation: .increment(.integer(1)))
        test.write(try patch("c/a", [:], [increment]))
        #expect(test.last?.documents.first?.fields.value(at: try field("n")) == .integer(2))
        test.log = []
        // Others have incremented it too.
        test.acknowledge(12, [.integer(5)])
        #expect(test.log == ["acknowledged"])
        test.change([try document("c/a", 12, ["n": .integer(5)])], in: query, at: 12)
        #expect(test.log == ["acknowledged", "[modified c/a]"])
    }

    @Test func `An acknowledged document that watch passes by is in limbo`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query, ListenOptions(includeMetadataChanges: true))
        test.bring([], to: query, at: 10)
        test.write(try set("c/a", ["n": .integer(1)]))
        test.acknowledge(12)
        test.snapshot(11)
        #expect(test.engine.limbo.active.isEmpty)
        // Deleted by others before the server told us that it was there.
        test.snapshot(13)
        #expect(test.engine.limbo.active.values.map(\.path) == [try path("c/a")])
        let wireID = test.engine.limbo.active.keys.first.flatMap(test.engine.remote.wireTargets.wireID)
        let target = try #require(wireID)
        test.say(.target(.init(.add, targets: [target])))
        test.say(.target(.init(.current, targets: [target], resumeToken: [1])))
        test.snapshot(14)
        #expect(test.last?.documents.isEmpty == true)
        #expect(test.last?.hasPendingWrites == false)
    }
}
