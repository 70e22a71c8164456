import BrasaDocuments
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaWatch

/// What views keep of what went by does not grow with their number.
@Suite struct ViewMemoryTests {
    /// Counts what is attached to events and has not been let go of.
    private final class Attachments {
        var count = 0
    }

    private final class Attachment {
        let attachments: Attachments

        init(_ attachments: Attachments) {
            self.attachments = attachments
            attachments.count += 1
        }

        deinit { self.attachments.count -= 1 }
    }

    /// A sink that keeps nothing, and attaches something to each event as an encoded message would be.
    private final class AttachingSink: WatchSink {
        let attachments: Attachments
        var changes = 0

        init(_ attachments: Attachments) { self.attachments = attachments }

        var isWritable: Bool { true }

        func send(_ event: WatchEvent) {
            switch event {
            case .documentChanged(let document, _, _):
                self.changes += 1
                if document.attachment == nil { document.attachment = Attachment(self.attachments) }
            case .snapshot(let snapshot):
                if snapshot.attachment == nil { snapshot.attachment = Attachment(self.attachments) }
            default: break
            }
        }

        func flush() {}
    }

    @Test func `views of their own keep few of the documents that they sent`() throws {
        let world = try WatchWorld()
        let attachments = Attachments()
        var streams: [(stream: WatchStream, sink: AttachingSink)] = []
        for number in 0..<500 {
            let sink = AttachingSink(attachments)
            let stream = world.open(sink)
            let target = try target(UTF8Text("c\(number)"))
            try stream.add(TargetRequest(id: 1, selection: target.selection))
            streams.append((stream, sink))
        }
        world.settle()
        for number in 0..<500 { try world.commit("c\(number)/a", 1) }
        world.settle()
        #expect(streams.allSatisfy { $0.sink.changes == 1 })
        #expect(attachments.count <= 64)
        // Catching up needs nothing of it.
        try world.commit("c3/a", 2)
        world.settle()
        #expect(streams[3].sink.changes == 2)
        for (stream, _) in streams { stream.close() }
        #expect(world.watcher.memory.recentBytes == 0)
    }

    @Test func `names of documents that changed lately are bounded over all views`() throws {
        var configuration = WatchConfiguration()
        configuration.recentBytesMax = 20_000
        let world = try WatchWorld(watch: configuration)
        let slow = TestListener(world)
        slow.connect()
        for id in 1...50 as ClosedRange<Int32> { slow.add(id, try target(UTF8Text("c\(id % 10)"), atLeast: Int64(id))) }
        slow.add(51, try target("c1", limit: 3))
        world.settle()
        slow.credit = 0
        var most = 0
        for value in 1...60 as ClosedRange<Int64> {
            try world.commit((0..<10).map { ("c\($0)/\(value % 40)", 60 + value) })
            world.settle()
            most = max(most, world.watcher.memory.recentBytes)
        }
        #expect(most > 0 && most <= configuration.recentBytesMax)
        slow.grant(.max)
        world.settle()
        #expect(slow.failures.isEmpty)
        let last = world.state(at: .latest)
        for target in slow.targets.values { #expect(target.documents == target.target.documents(in: last)) }
        slow.disconnect()
        #expect(world.watcher.memory.recentBytes == 0)
    }
}
