import BrasaDocuments
import BrasaSimulation
import Testing

@testable import BrasaWatch

/// How a step reaches the sinks of live streams.
@Suite struct TellingTests {
    private final class Sink: WatchSink {
        /// Events with their snapshot, and those that came one by one.
        var joined: [String] = []
        var single: [String] = []
        var updates: [WatchUpdate] = []

        var isWritable: Bool { true }

        func send(_ event: WatchEvent) { self.single.append(event.text) }
        func send(_ update: WatchUpdate) {
            self.updates.append(update)
            self.joined.append(update.event.text)
        }
        func flush() {}
    }

    private func told(_ targets: [TestTarget], of documents: [String]) throws -> Sink {
        let world = try WatchWorld()
        let sink = Sink()
        let stream = world.open(sink)
        for (index, target) in targets.enumerated() {
            try stream.add(TargetRequest(id: Int32(index + 1), selection: target.selection))
        }
        world.settle()
        sink.single = []
        try world.commit(documents.map { ($0, 1) })
        world.settle()
        return sink
    }

    @Test func `one document of one target comes together with its snapshot, whatever else the stream listens to`()
        throws
    {
        for others in [[], [try target("d")], [try target("d"), try target("e")]] as [[TestTarget]] {
            let sink = try self.told([try target("c")] + others, of: ["c/a"])
            #expect(sink.joined == ["change c/a [1]"] && sink.single == [])
        }
    }

    @Test func `equal targets of a stream are named in one event`() throws {
        let sink = try self.told([try target("c"), try target("d"), try target("c")], of: ["c/a"])
        #expect(sink.joined == [] && sink.single == ["change c/a [1, 3]", "snapshot"])
    }

    @Test func `two documents of one step come before one snapshot`() throws {
        let sink = try self.told([try target("c"), try target("d")], of: ["c/a", "d/a"])
        #expect(sink.joined == [] && sink.single == ["change c/a [1]", "change d/a [2]", "snapshot"])
    }

    @Test func `streams whose targets have the same id share what they are told, and each hears its own id`() throws {
        let world = try WatchWorld()
        let ids = (0..<3 * StepUpdates.updatesMax).map { Int32($0 / 2 + 1) }
        let sinks = ids.map { _ in Sink() }
        for (id, sink) in zip(ids, sinks) {
            try world.open(sink).add(TargetRequest(id: id, selection: try target("c").selection))
        }
        world.settle()
        try world.commit([("c/a", 1)])
        world.settle()
        #expect(sinks.map(\.joined) == ids.map { ["change c/a [\($0)]"] })
        let shared = Set(sinks.flatMap(\.updates).map(ObjectIdentifier.init))
        #expect(shared.count == ids.count / 2)
    }
}
