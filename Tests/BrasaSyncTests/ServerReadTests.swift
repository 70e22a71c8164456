import BrasaDocuments
import BrasaQueries
import BrasaStatus
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

/// Reads that only the server can answer.
@Suite struct ServerReadTests {
    @discardableResult
    private func read(_ test: TestClient, _ query: SyncQuery) -> ListenerToken {
        let token = test.client.getDocuments(query, source: .server) { result in
            switch result {
            case .failure(let error): test.log.append("error \(error.code)")
            case .success(let snapshot):
                let documents = snapshot.documents.map { "\($0.path)=\(self.number(in: $0))" }
                test.log.append(
                    (["read"] + documents + (snapshot.isFromCache ? ["cached"] : [])).joined(separator: " ")
                )
            }
        }
        test.settle()
        return token
    }

    /// What was asked for last.
    private func lastTarget(_ test: TestClient) -> WireTargetID {
        for request in test.transport.sent.reversed() {
            if case .add(let target) = request { return target.id }
        }
        return 0
    }

    private func answer(_ test: TestClient, _ documents: [SyncDocument], at version: Int64) {
        let id = self.lastTarget(test)
        test.say(.target(.init(.add, targets: [id])))
        for document in documents { test.say(.document(document, targets: [id], removed: [])) }
        test.say(.target(.init(.current, targets: [id])))
        test.snapshot(version)
    }

    private func number(in document: SyncDocument) -> Int64 {
        if case .integer(let number)? = document.fields.decoded.first?.value { number } else { -1 }
    }

    @Test func `The answer is newer than the question though somebody listens to the same`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query)
        test.bring([try document("c/a", 1, ["n": .integer(1)])], to: query, at: 10)
        test.log = []
        self.read(test, query)
        #expect(test.log == [])
        #expect(test.transport.watch?.active.count == 2)
        self.answer(test, [try document("c/a", 15, ["n": .integer(2)])], at: 20)
        #expect(test.log.contains("read c/a=2"))
        #expect(test.transport.watch?.active.count == 1)
        // The listener has learned it, too.
        #expect(test.last?.documents.map(\.version) == [Timestamp(microseconds: 15)])
    }

    @Test func `Nothing new is an answer, too`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let path = SyncQuery(document: try path("c/a"))
        test.listen(path)
        test.bring([], to: path, at: 10)
        test.log = []
        self.read(test, path)
        #expect(test.log == [])
        self.answer(test, [], at: 10)
        #expect(test.log == ["read"])
    }

    @Test func `What the server says before an answered read is over does not make its document disappear`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let path = try path("c/a")
        self.read(test, SyncQuery(document: path))
        let id = self.lastTarget(test)
        let messages: [WatchMessage] = [
            .target(.init(.add, targets: [id])),
            .document(try document("c/a", 5, ["n": .integer(1)]), targets: [id], removed: []),
            .target(.init(.current, targets: [id])),
            .target(.init(.noChange, targets: [], readTime: Timestamp(microseconds: 10))),
            .target(.init(.current, targets: [id])),
            .target(.init(.noChange, targets: [], resumeToken: [1], readTime: Timestamp(microseconds: 20))),
        ]
        // All of it is there before the engine has a turn of its own.
        for message in messages { test.transport.say(message) }
        test.settle()
        #expect(test.log == ["read c/a=1"])
        #expect(try test.engine.local.readDocument(at: path).isFound)
        #expect(test.transport.watch?.active.isEmpty == true)
    }

    @Test func `What a read costs does not go by the reads that were answered just before`() throws {
        let test = try TestClient()
        let names = (0..<10).map { "c\($0)" }
        let ids = try names.map { name in
            self.read(test, try collection(name))
            return self.lastTarget(test)
        }
        // All answers are there before the engine has a turn of its own.
        for (index, id) in ids.enumerated() {
            test.transport.say(.target(.init(.add, targets: [id])))
            let found = try document("\(names[index])/a", 1, ["n": .integer(Int64(index))])
            test.transport.say(.document(found, targets: [id], removed: []))
            test.transport.say(.target(.init(.current, targets: [id])))
            test.transport.say(.target(.init(.noChange, targets: Array(ids[...index]), resumeToken: [1])))
            let time = Timestamp(microseconds: Int64(index + 10))
            test.transport.say(.target(.init(.noChange, targets: [], readTime: time)))
        }
        test.settle()
        #expect(test.log == names.indices.map { "read c\($0)/a=\($0)" })
        #expect(test.storage.counts[.executeQuery] == 10)
    }

    @Test(arguments: [(SyncQuery.LimitType.first, "read c/a=1 c/b=2"), (.last, "read c/b=2 c/d=4")])
    func `A limit counts what queued writes leave of the server's answer`(
        _ end: SyncQuery.LimitType,
        _ expected: String
    ) throws {
        let test = try TestClient()
        let order = StructuredQuery.Order(field: try field("n"), direction: .ascending)
        test.write(try SpecModel.write("c/c", .delete))
        let query = try collection("c", orderBy: [order], limit: 2, limitType: end)
        self.read(test, query)
        let named = try [("c/a", 1), ("c/b", 2), ("c/c", 3), ("c/d", 4)].map { name, number in
            try document(name, 1, ["n": .integer(Int64(number))])
        }
        self.answer(test, named, at: 10)
        #expect(test.log == [expected])
    }

    @Test func `Only what the server names is read, under the queued writes`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let all = try collection("c")
        let token = test.listen(all)
        let old = try ["c/a", "c/b", "c/c"].map { try document($0, 1, ["n": .integer(1)]) }
        test.bring(old, to: all, at: 10)
        test.client.unlisten(token)
        test.write(try set("c/new", ["n": .integer(7)]))
        test.write(try patch("c/b", ["n": .integer(8)]))
        test.write(try SpecModel.write("c/c", .delete))
        test.log = []
        self.read(test, all)
        self.answer(test, Array(old.dropFirst()), at: 20)
        #expect(test.log == ["read c/b=8 c/new=7"])
    }

    @Test func `A rejected read fails, and the listener stays`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query)
        test.bring([], to: query, at: 10)
        self.read(test, query)
        let id = self.lastTarget(test)
        test.say(.target(.init(.remove, targets: [id], cause: SyncError(.permissionDenied))))
        #expect(test.log == ["[]", "error permissionDenied"])
        #expect(test.engine.remote.listenTargets.ids.count == 1)
    }

    @Test func `After a broken connection only what the new one brings counts`() throws {
        let test = try TestClient()
        let query = try collection("c")
        self.read(test, query)
        let id = self.lastTarget(test)
        test.say(.target(.init(.add, targets: [id])))
        test.say(.document(try document("c/a", 1, ["n": .integer(1)]), targets: [id], removed: []))
        test.snapshot(10)
        test.transport.breakWatch(SyncError(.unavailable))
        test.settle()
        test.scheduler.fire(.watchStreamBackoff)
        test.settle()
        self.answer(test, [try document("c/b", 12, ["n": .integer(2)])], at: 20)
        #expect(test.log == ["read c/b=2"])
    }

    @Test func `Documents that were only read are not kept by the eager collector`() throws {
        let test = try TestClient()
        self.read(test, try collection("c"))
        self.answer(test, [try document("c/a", 1, ["n": .integer(1)])], at: 10)
        #expect(test.log == ["read c/a=1"])
        #expect(try !test.engine.local.readDocument(at: try path("c/a")).isValid)
    }

    @Test func `A cancelled read is not asked for any more`() throws {
        let test = try TestClient()
        let token = self.read(test, try collection("c"))
        test.client.cancelRead(token)
        test.settle()
        #expect(test.log == ["error cancelled"])
        #expect(test.transport.watch?.active.isEmpty == true)
        test.client.cancelRead(token)
        test.settle()
        #expect(test.log.count == 1)
    }

    @Test(arguments: [ReadSource.default, .server])
    func `A server that never says that this is all does not hold a read for ever`(_ source: ReadSource) throws {
        let test = try TestClient()
        test.client.getDocuments(try collection("c"), source: source) { result in
            if case .failure(let error) = result { test.log.append("error \(error.code)") }
        }
        test.settle()
        test.say(.target(.init(.add, targets: [self.lastTarget(test)])))
        test.scheduler.fire(.readTimeout)
        test.settle()
        #expect(test.log == ["error deadlineExceeded"])
        #expect(test.transport.watch?.active.isEmpty == true)
        #expect(test.engine.views.all.isEmpty)
    }
}
