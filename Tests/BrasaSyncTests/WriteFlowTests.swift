import BrasaDocuments
import BrasaStatus
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

@Suite struct WriteFlowTests {
    @Test func `A write that no server would take is refused before it is queued`() throws {
        let test = try TestClient()
        test.listen(try collection("c"))
        let nested = Value.array([.array([])])
        test.write(try set("c/a", ["n": nested]))
        test.write(try set("c/a", ["__reserved__": .null]))
        test.write(
            try set("c/a", [:], [FieldTransform(path: try field("n"), operation: .appendMissingElements([nested]))])
        )
        test.write(
            try patch(
                "c/a",
                ["n": .integer(1)],
                [FieldTransform(path: try field("n"), operation: .increment(.string("1")))]
            )
        )
        test.write(try set("c/b", ["n": .integer(1)]))
        #expect(test.log.filter { $0 == "rejected invalidArgument" }.count == 4)
        #expect(test.log.filter { $0.contains("c/a") } == [])
        #expect(test.engine.remote.pipeline.count == 1)
    }

    @Test func `A write is seen before it is sent, and answered before its last state is seen`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query, ListenOptions(includeMetadataChanges: true))
        test.bring([], to: query, at: 10)
        test.log = []
        test.write(try set("c/a", ["n": .integer(1)]))
        test.transport.breakWrites(SyncError(.permissionDenied))
        test.settle()
        #expect(test.log == ["[added c/a] (pending)", "rejected permissionDenied", "[removed c/a]"])
    }

    @Test func `So many batches are on their way at a time, in order, and the others follow`() throws {
        let test = try TestClient()
        let count = WritePipeline.countMax + 2
        for index in 0..<count { test.write(try set("c/\(index)", [:])) }
        #expect(test.transport.writes?.pending.count == WritePipeline.countMax)
        for version in 1...count {
            let sent = test.transport.writes?.pending.first?.first?.name.path.string
            #expect(sent == "c/\(version - 1)")
            test.acknowledge(Int64(version))
        }
        #expect(test.log == Array(repeating: "acknowledged", count: count))
        #expect(test.transport.writes?.pending.isEmpty == true)
    }

    @Test func `A mebibyte is on its way at a time, or one batch that is larger`() throws {
        let test = try TestClient()
        let large = Value.bytes(Array(repeating: 7, count: 400_000))
        for index in 0..<5 { test.write(try set("c/\(index)", ["large": large])) }
        // Two are less than that.
        #expect(test.transport.writes?.pending.count == 3)
        test.acknowledge(1)
        #expect(test.transport.writes?.pending.count == 3)
        test.write(try set("c/a", ["large": large]), try set("c/b", ["large": large]), try set("c/c", ["large": large]))
        for version in 2...5 { test.acknowledge(Int64(version)) }
        #expect(test.transport.writes?.pending.map(\.count) == [3])
    }

    @Test func `A batch is one message, seen as one change and answered as one`() throws {
        let test = try TestClient()
        test.listen(try collection("c"))
        test.write(try set("c/a", [:]), try set("c/b", [:]), try SpecModel.write("c/a", .delete))
        #expect(test.log == ["[added c/b] (cached) (pending)"])
        #expect(test.transport.writes?.pending.map(\.count) == [3])
    }

    @Test func `A batch of no writes is done at once`() throws {
        let test = try TestClient()
        test.write()
        #expect(test.log == ["acknowledged"])
        #expect(test.transport.writes == nil)
    }

    @Test func `Waiting for pending writes means those of that moment, however they end`() throws {
        let test = try TestClient()
        test.client.waitForPendingWrites { _ in test.log.append("nothing pending") }
        test.write(try set("c/a", [:]))
        test.client.waitForPendingWrites { _ in test.log.append("first done") }
        test.write(try set("c/b", [:]))
        test.client.waitForPendingWrites { error in test.log.append(error.map { "\($0.code)" } ?? "second done") }
        test.transport.breakWrites(SyncError(.permissionDenied))
        test.settle()
        #expect(test.log == ["nothing pending", "rejected permissionDenied", "first done"])
        test.client.setUser(SyncUser(uid: "other"))
        test.settle()
        #expect(test.log.last == "cancelled")
    }

    @Test func `Each user has a queue, and whoever comes back finds theirs`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        test.listen(try collection("c"))
        test.write(try set("c/a", [:]))
        test.client.setUser(SyncUser(uid: "other"))
        test.settle()
        #expect(test.log == ["[added c/a] (cached) (pending)", "[removed c/a] (cached)"])
        #expect(test.transport.writes == nil)
        test.client.setUser(.signedOut)
        test.settle()
        #expect(test.transport.writes?.pending.count == 1)
        test.acknowledge(5)
        #expect(test.log.dropFirst(2) == ["[added c/a] (cached) (pending)", "acknowledged"])
    }

    @Test func `Storage that fails keeps the engine offline until it works, and nothing is lost`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query)
        test.bring([], to: query, at: 10)
        test.write(try set("c/a", ["n": .integer(1)]))
        test.storage.failing = [.acknowledgeBatch]
        test.acknowledge(11)
        #expect(test.transport.watch == nil)
        #expect(!test.log.contains("acknowledged"))
        test.scheduler.fire(.storageRetry)
        test.settle()
        #expect(!test.log.contains("acknowledged"))
        test.storage.failing = []
        test.scheduler.fire(.storageRetry)
        test.settle()
        #expect(test.log.contains("acknowledged"))
        #expect(test.transport.watch != nil)
        #expect(test.engine.remote.pipeline.isEmpty)
    }

    @Test func `What watch says while the storage fails is asked for again`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query, ListenOptions(includeMetadataChanges: true))
        test.bring([], to: query, at: 10)
        test.storage.failing = [.applyRemoteEvent]
        test.change([try document("c/a", 11, [:])], in: query, at: 11)
        #expect(test.log == ["[]", "[] (cached)"])
        test.storage.failing = []
        test.scheduler.fire(.storageRetry)
        test.settle()
        #expect(test.transport.watch?.active.values.first?.resumption == .token(Array("t10".utf8)))
        test.bring([try document("c/a", 11, [:])], to: query, at: 11)
        #expect(test.log.last == "[added c/a]")
    }

    @Test func `A storage that fails in part is not tried again and again without pause`() throws {
        let test = try TestClient()
        test.storage.failing = [.nextBatch]
        test.write(try set("c/a", [:]))
        #expect(test.scheduler.timers.contains { $0.timer == .storageRetry })
        for _ in 0..<3 {
            test.scheduler.fire(.storageRetry)
            test.settle()
        }
        let delay = test.scheduler.timers.first { $0.timer == .storageRetry }.map { $0.due - test.scheduler.uptime }
        #expect(try #require(delay) >= .seconds(1))
        test.storage.failing = []
        test.scheduler.fire(.storageRetry)
        test.settle()
        test.acknowledge(5)
        #expect(test.log == ["acknowledged"])
    }
}
