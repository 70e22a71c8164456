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

    /// To the oldest question.
    private func answer(_ test: TestClient, _ documents: [SyncDocument], at version: Int64) {
        let time = Timestamp(microseconds: version)
        var documents = documents
        for index in documents.indices { documents[index].readTime = time }
        test.transport.answerRead(.success(ServerAnswer(documents: documents, readTime: time)))
        test.settle()
    }

    private func number(in document: SyncDocument) -> Int64 {
        if case .integer(let number)? = document.fields.decoded.first?.value { number } else { -1 }
    }

    @Test func `The answer is newer than the question though somebody listens to the same`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let query = try collection("c")
        test.listen(query)
        test.bring([try document("c/a", 1, ["n": .integer(1)])], to: query, at: 10)
        test.log = []
        self.read(test, query)
        #expect(test.log == [])
        #expect(test.transport.questions.map(\.target) == [query.target])
        self.answer(test, [try document("c/a", 15, ["n": .integer(2)])], at: 20)
        #expect(test.log == ["read c/a=2"])
        // The listener hears of it by its stream, together with what changed with it.
        #expect(test.last?.documents.map(\.version) == [Timestamp(microseconds: 1)])
        test.change([try document("c/a", 15, ["n": .integer(2)])], in: query, at: 20)
        #expect(test.last?.documents.map(\.version) == [Timestamp(microseconds: 15)])
    }

    @Test func `What was read is in the cache, and listeners to the cache see it`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let (query, path) = (try collection("c"), try path("c/a"))
        test.listen(query, ListenOptions(source: .cache))
        test.log = []
        self.read(test, SyncQuery(document: path))
        self.answer(test, [try document("c/a", 15, ["n": .integer(2)])], at: 20)
        #expect(test.log == ["[added c/a] (cached)", "read c/a=2"])
        #expect(try test.engine.local.readDocument(at: path).version == Timestamp(microseconds: 15))
        self.read(test, SyncQuery(document: path))
        self.answer(test, [.missing(path, version: Timestamp(microseconds: 30))], at: 30)
        #expect(test.log.suffix(2) == ["[removed c/a] (cached)", "read"])
        #expect(try !test.engine.local.readDocument(at: path).isFound)
    }

    @Test func `An answer that is older than the cache does not undo it`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        let path = try path("c/a")
        self.read(test, SyncQuery(document: path))
        test.write(try set("c/a", ["n": .integer(7)]))
        test.acknowledge(12)
        test.log = []
        self.answer(test, [try document("c/a", 5, ["n": .integer(1)])], at: 10)
        #expect(test.log == ["read c/a=7"])
    }

    @Test(arguments: [MemoryStorage.Collector.eager, .leastRecentlyUsed])
    func `An answer from before an earlier write's commit is asked for again when the write is acknowledged`(
        _ collector: MemoryStorage.Collector
    ) throws {
        for query in [try collection("c"), SyncQuery(document: try path("c/a"))] {
            let test = try TestClient(collector)
            for number in [7, 8] as [Int64] { test.write(try set("c/a", ["n": .integer(number)])) }
            self.read(test, query)
            test.acknowledge(12)
            self.answer(test, query.target.isDocument ? [.missing(try path("c/a"), version: .zero)] : [], at: 10)
            // The other one is laid over what there is to the second question, until it is acknowledged, too.
            test.acknowledge(25)
            test.log = []
            self.answer(test, [try document("c/a", 12, ["n": .integer(7)])], at: 20)
            #expect(test.log == [] && test.transport.questions.map(\.target) == [query.target])
            self.answer(test, [try document("c/a", 25, ["n": .integer(8)])], at: 25)
            #expect(test.log == ["read c/a=8"] && test.transport.questions.isEmpty)
        }
    }

    @Test func `Later writes, those elsewhere, and those that the answer has are nothing to ask again for`() throws {
        let test = try TestClient()
        for name in ["d/a", "c/z/c/a"] { test.write(try set(name, ["n": .integer(1)])) }
        test.write(try set("c/a", ["n": .integer(7)]))
        self.read(test, try collection("c"))
        test.write(try set("c/b", ["n": .integer(8)]))
        for time in [30, 30, 15, 40] as [Int64] { test.acknowledge(time) }
        test.log = []
        self.answer(test, [try document("c/a", 15, ["n": .integer(7)])], at: 20)
        #expect(test.log == ["read c/a=7"])
    }

    @Test func `Reads are answered in any order, each for itself`() throws {
        let test = try TestClient()
        for name in ["a", "b"] { self.read(test, try collection(name)) }
        let time = Timestamp(microseconds: 10)
        let found = try document("b/x", 1, ["n": .integer(2)])
        test.transport.answerRead(at: 1, .success(ServerAnswer(documents: [found], readTime: time)))
        test.settle()
        #expect(test.log == ["read b/x=2"])
        self.answer(test, [], at: 11)
        #expect(test.log == ["read b/x=2", "read"])
        #expect(test.storage.counts[.executeQuery] == 2)
    }

    @Test func `A document's read knows its times`() throws {
        let test = try TestClient()
        let path = try path("c/a")
        var found: [DocumentRead] = []
        for _ in 0..<2 {
            test.client.getDocument(path, source: .server) { if case .success(let read) = $0 { found.append(read) } }
        }
        let time = Timestamp(microseconds: 10)
        let created = SyncDocument(
            path: path,
            kind: .found(fields([:])),
            version: Timestamp(microseconds: 5),
            readTime: time,
            createTime: Timestamp(microseconds: 3)
        )
        test.transport.answerRead(.success(ServerAnswer(documents: [created], readTime: time)))
        self.answer(test, [.missing(path, version: time)], at: 10)
        #expect(found.compactMap(\.readTime) == [time, time])
        #expect(found.first?.document?.createTime == Timestamp(microseconds: 3))
        #expect(found.last?.document == nil)
        #expect(!found.contains { $0.isFromCache || $0.hasPendingWrites })
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
        test.transport.answerRead(.failure(SyncError(.permissionDenied)))
        test.settle()
        #expect(test.log == ["[]", "error permissionDenied"])
        #expect(test.engine.remote.listenTargets.ids.count == 1)
    }

    @Test func `Streams that break are nothing to a read, and a disabled network is its end`() throws {
        let test = try TestClient()
        test.listen(try collection("d"))
        self.read(test, try collection("c"))
        test.transport.breakWatch(SyncError(.unavailable))
        test.settle()
        #expect(test.transport.questions.count == 1)
        test.log = []
        test.client.disableNetwork {}
        test.settle()
        #expect(test.log == ["error unavailable"])
        #expect(test.transport.questions.isEmpty)
        self.read(test, try collection("c"))
        #expect(test.log == ["error unavailable", "error unavailable"])
    }

    @Test func `A server that does not say what it was asked has not answered`() throws {
        let test = try TestClient()
        test.client.getDocument(try path("c/a"), source: .server) { result in
            if case .failure(let error) = result { test.log.append("error \(error.code)") }
        }
        self.answer(test, [], at: 10)
        #expect(test.log == ["error internal"])
    }

    @Test func `A cache that cannot be read fails a read`() throws {
        let test = try TestClient()
        self.read(test, try collection("c"))
        test.storage.failing = [.executeQuery]
        self.answer(test, [], at: 10)
        #expect(test.log == ["error unavailable"])
    }

    @Test func `Documents that were only read are not kept by the eager collector`() throws {
        let test = try TestClient()
        self.read(test, try collection("c"))
        self.answer(test, [try document("c/a", 1, ["n": .integer(1)])], at: 10)
        #expect(test.log == ["read c/a=1"])
        #expect(try !test.engine.local.readDocument(at: try path("c/a")).isValid)
    }

    @Test func `Another user's reads are asked again, in what is left of their time`() throws {
        let test = try TestClient()
        let queries = try ["a", "b"].map { try collection($0) }
        for query in queries { self.read(test, query) }
        test.scheduler.advance(by: .seconds(100))
        // The first user's answer is on its way.
        test.client.setUser(SyncUser(uid: "ada"))
        let found = try document("a/x", 1, ["n": .integer(1)])
        let answer = ServerAnswer(documents: [found], readTime: Timestamp(microseconds: 10))
        let question = try #require(test.transport.questions.first)
        test.settle()
        question.completion?(.success(answer))
        #expect(test.log == [])
        #expect(test.transport.questions.map(\.target) == queries.map(\.target))
        #expect(test.transport.questions.map(\.time) == [.seconds(200), .seconds(200)])
        self.answer(test, [], at: 11)
        self.answer(test, [], at: 12)
        #expect(test.log == ["read", "read"])
        test.client.setUser(.signedOut)
        test.settle()
        #expect(test.transport.questions.isEmpty)
    }

    @Test func `A read that is asked again for another user counts what that user has queued`() throws {
        let ada = SyncUser(uid: "ada")
        // By an earlier process.
        let storage = MemoryStorage(collector: .leastRecentlyUsed)
        let earlier = try TestClient(storage)
        earlier.client.setUser(ada)
        earlier.settle()
        earlier.write(try set("c/a", ["n": .integer(7)]))
        let test = try TestClient(storage)
        let query = try collection("c")
        self.read(test, query)
        test.client.setUser(ada)
        test.settle()
        test.acknowledge(12)
        test.log = []
        self.answer(test, [], at: 10)
        #expect(test.log == [] && test.transport.questions.map(\.target) == [query.target])
        self.answer(test, [try document("c/a", 12, ["n": .integer(7)])], at: 20)
        #expect(test.log == ["read c/a=7"])
    }

    @Test func `New credentials of the same user are nothing to a read`() throws {
        let test = try TestClient()
        self.read(test, try collection("c"))
        let question = test.transport.questions.first
        test.client.setUser(.signedOut)
        test.settle()
        #expect(test.transport.questions.first === question)
        #expect(test.transport.questions.count == 1)
    }

    @Test func `A user's change that the storage cannot take ends the reads of the one before`() throws {
        let test = try TestClient()
        self.read(test, try collection("c"))
        test.storage.failing = [.handleUserChange]
        test.client.setUser(SyncUser(uid: "ada"))
        test.settle()
        #expect(test.transport.questions.isEmpty)
        #expect(test.log == ["error unavailable"])
        test.storage.failing = []
        test.scheduler.fire(.storageRetry)
        test.settle()
        self.read(test, try collection("c"))
        self.answer(test, [], at: 10)
        #expect(test.log == ["error unavailable", "read"])
    }

    @Test func `A cancelled read is not asked for any more`() throws {
        let test = try TestClient()
        let token = self.read(test, try collection("c"))
        test.client.cancelRead(token)
        test.settle()
        #expect(test.log == ["error cancelled"])
        #expect(test.transport.questions.isEmpty)
        test.client.cancelRead(token)
        test.settle()
        #expect(test.log.count == 1)
    }

    @Test func `The end of the client ends its reads`() throws {
        let test = try TestClient()
        self.read(test, try collection("c"))
        test.client.terminate {}
        test.settle()
        #expect(test.log == ["error cancelled"])
    }

    @Test func `A server that never answers does not hold a read for ever`() throws {
        let test = try TestClient()
        self.read(test, try collection("c"))
        #expect(test.transport.questions.first?.time == .seconds(300))
        test.client.getDocuments(try collection("c")) { result in
            if case .failure(let error) = result { test.log.append("error \(error.code)") }
        }
        test.settle()
        test.scheduler.fire(.readTimeout)
        test.settle()
        #expect(test.log == ["error deadlineExceeded"])
        #expect(test.transport.watch?.active.isEmpty == true)
        #expect(test.engine.views.all.isEmpty)
    }
}
