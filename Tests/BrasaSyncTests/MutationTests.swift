import BrasaDocuments
import Testing

@testable import BrasaSync
@testable import BrasaSyncSpecification

@Suite struct MutationTests {
    private func transform(_ name: String, _ operation: FieldTransform.Operation) throws -> FieldTransform {
        FieldTransform(path: try field(name), operation: operation)
    }

    private func value(_ test: TestClient, _ name: String) throws -> Value? {
        test.last?.documents.first?.fields.value(at: try field(name))
    }

    @Test func `A batch has each of its documents once`() throws {
        let names = ["d/b", "c/a", "d/b", "c/a/c/a", "c/a"]
        let writes = try names.map { name in try SpecModel.write(name, .delete) }
        let pending = PendingBatch(localWriteTime: Timestamp(microseconds: 1), baseWrites: [], writes: writes)
        #expect(MutationBatch(id: 1, pending).paths.map(\.string) == ["d/b", "c/a", "c/a/c/a"])
    }

    @Test func `Transforms are estimated on what the document was before the write`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query)
        let old: [String: Value] = [
            "n": .integer(.max - 1), "d": .double(1.5), "s": .string("x"), "l": .array([.integer(1), .integer(2)]),
            "t": .string("old"),
        ]
        test.bring([try document("c/a", 1, old)], to: query, at: 10)
        test.write(
            try patch(
                "c/a",
                ["t": .string("new")],
                [
                    self.transform("n", .increment(.integer(5))), self.transform("d", .maximum(.integer(2))),
                    self.transform("s", .increment(.integer(3))),
                    self.transform("l", .appendMissingElements([.integer(2), .integer(3), .integer(3)])),
                    self.transform("m", .minimum(.double(0.5))), self.transform("when", .requestTime),
                ]
            )
        )
        #expect(try self.value(test, "n") == .integer(.max))
        #expect(try self.value(test, "d") == .integer(2))
        #expect(try self.value(test, "s") == .integer(3))
        #expect(try self.value(test, "l") == .array([.integer(1), .integer(2), .integer(3)]))
        #expect(try self.value(test, "m") == .double(0.5))
        #expect(try self.value(test, "t") == .string("new"))
        let pending = try #require(try self.value(test, "when")?.pendingTimestamp)
        #expect(pending.localWriteTime == test.scheduler.now)
        #expect(pending.previous == nil)
    }

    @Test func `A pending timestamp keeps the value before the first of several`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query)
        test.bring([try document("c/a", 1, ["when": .integer(7)])], to: query, at: 10)
        for _ in 0..<2 { test.write(try patch("c/a", [:], [self.transform("when", .requestTime)])) }
        #expect(try self.value(test, "when")?.pendingTimestamp?.previous == .integer(7))
        // The server's time of the first write is the base of the second one's estimate.
        test.acknowledge(12, [.timestamp(Timestamp(microseconds: 12))])
        let document = try test.engine.local.readDocument(at: try path("c/a"))
        let pending = document.fields.value(at: try field("when"))?.pendingTimestamp
        #expect(pending?.previous == .timestamp(Timestamp(microseconds: 12)))
    }

    @Test func `An increment that watch has already delivered does not show twice`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query)
        test.bring([try document("c/a", 1, ["n": .integer(1)])], to: query, at: 10)
        test.write(try patch("c/a", ["x": .null]))
        test.write(try patch("c/a", [:], [self.transform("n", .increment(.integer(1)))]))
        #expect(try self.value(test, "n") == .integer(2))
        // Watch is faster than the acknowledgements, the first of which makes the overlay be worked out again.
        test.change([try document("c/a", 12, ["x": .null, "n": .integer(2)])], in: query, at: 12)
        test.acknowledge(11)
        #expect(try self.value(test, "n") == .integer(2))
        let document = try test.engine.local.readDocument(at: try path("c/a"))
        #expect(document.fields.value(at: try field("n")) == .integer(2))
    }

    @Test func `A write that stood for the whole document still does after patches`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query)
        test.bring([try document("c/a", 1, ["old": .integer(1)])], to: query, at: 10)
        test.write(try set("c/other", [:]))
        test.write(try set("c/a", ["n": .integer(1)]))
        test.write(try patch("c/a", ["m": .integer(2)]))
        // Makes all overlays of the batch's documents be worked out again, and the base change under them.
        test.change([try document("c/a", 11, ["old": .integer(2)])], in: query, at: 11)
        test.acknowledge(12)
        test.acknowledge(13)
        let document = try test.engine.local.readDocument(at: try path("c/a"))
        #expect(document.fields == fields(["n": .integer(1), "m": .integer(2)]))
    }

    @Test func `A removed nested field leaves its parent, in the overlay too`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query)
        let inner = Value.map([Value.MapEntry(key: "x", value: .integer(1))])
        test.bring([try document("c/a", 1, ["n": inner])], to: query, at: 10)
        test.write(try SpecModel.write("c/a", .merge(.empty, mask: [try field("n.x")]), mustExist: true))
        #expect(try self.value(test, "n") == .map([]))
        // Also where there was no parent before.
        test.write(try SpecModel.write("c/a", .merge(fields(["m": inner]), mask: [try field("m.x")]), mustExist: true))
        test.write(try SpecModel.write("c/a", .merge(.empty, mask: [try field("m.x")]), mustExist: true))
        let document = try test.engine.local.readDocument(at: try path("c/a"))
        #expect(document.fields == fields(["n": .map([]), "m": .map([])]))
    }

    @Test func `A merge into an unknown document shows under what the server then brings`() throws {
        let test = try TestClient()
        let query = try collection("c")
        test.listen(query)
        test.write(try patch("c/a", ["n": .integer(1)], mustExist: false))
        #expect(test.last?.documents.first?.fields == fields(["n": .integer(1)]))
        test.bring([try document("c/a", 1, ["m": .integer(2)])], to: query, at: 10)
        #expect(test.last?.documents.first?.fields == fields(["n": .integer(1), "m": .integer(2)]))
    }

    @Test func `An acknowledged patch of an unknown document leaves a document with unknown content`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        test.write(try patch("c/a", ["n": .integer(1)]))
        test.acknowledge(12)
        let document = try test.engine.local.readDocument(at: try path("c/a"))
        #expect(document.kind == .unknown)
        #expect(document.version == Timestamp(microseconds: 12))
        test.client.getDocument(try path("c/a"), source: .cache) { result in
            test.log.append("\(result)")
        }
        #expect(test.log.last?.contains("unavailable") == true)
    }

    @Test func `An answer without update time counts as of the commit time`() throws {
        let test = try TestClient(.leastRecentlyUsed)
        test.write(try set("c/a", ["n": .integer(1)]))
        let result = WriteResult(updateTime: nil, transformResults: [])
        let time = Timestamp(microseconds: 20)
        test.transport.answer(WriteMessage(streamToken: [2], commitTime: time, results: [result]))
        test.settle()
        let document = try test.engine.local.readDocument(at: try path("c/a"))
        #expect(document.version == time)
        #expect(document.hasCommittedMutations)
    }
}
