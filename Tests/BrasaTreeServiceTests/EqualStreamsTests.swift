import BrasaIdentity
import BrasaSimulation
import BrasaStore
import BrasaTransactions
import BrasaTree
import Testing

@testable import BrasaTreeService

/// Event streams that read the same: what they are told is worked out once.
@Suite struct EqualStreamsTests {
    private let bench: ServiceBench
    private let followers: TreeFollowers

    init() throws {
        self.bench = try ServiceBench()
        self.followers = TreeFollowers(
            store: self.bench.server.store,
            mailbox: self.bench.server.scheduler.mailbox()
        )
    }

    private struct Refused: Error {}

    private static func byChild(_ name: String) -> [(String, String)] {
        [("orderBy", "\"\(name)\""), ("limitToLast", "1")]
    }

    private static let lastThree = [("orderBy", "\"$key\""), ("limitToLast", "3")]

    private func stream(
        _ path: String = "/",
        _ parameters: [(String, String)] = [],
        _ followers: TreeFollowers? = nil
    ) throws -> TreeEventStream {
        var call = TreeCall(.get, self.bench.name, try TreeLocation(path), by: .administrator)
        call.parameters = parameters.map { TreeQuery.Parameter($0.0, $0.1) }
        guard case .stream(let stream) = self.bench.service.stream(call, admission: nil, followers ?? self.followers)
        else {
            throw Refused()
        }
        stream.start {}
        return stream
    }

    private func put(_ path: String, _ value: String) throws {
        #expect(try self.bench.ask(.put, path, [], value).status == 200)
    }

    private func text(_ event: TreeToldEvent?) -> String? {
        guard let (piece, rest) = event?.begin() else { return nil }
        #expect(rest == nil)
        return String(decoding: piece, as: UTF8.self)
    }

    /// Of an array's bytes, so that copies are told from one that is shared.
    private func address(_ event: TreeToldEvent) -> UnsafeRawPointer? {
        event.text?.withUnsafeBytes { $0.baseAddress }
    }

    @Test(arguments: [[], Self.lastThree] as [[(String, String)]])
    func `a change is worked out once, and becomes text once, for equal streams`(query: [(String, String)]) throws {
        try self.put("/a", #"{"1":1}"#)
        let streams = try (0..<100).map { _ in try self.stream("/a", query) }
        #expect(self.followers.courses.count == 1)
        // The first began before there was anybody to share with.
        let openings = try streams.map { ObjectIdentifier(try #require($0.next().event)) }
        #expect(Set(openings.dropFirst()).count == 1)
        for value in 2..<10 {
            try self.put("/a/\(value)", "\(value)")
            let events = try streams.map { try #require($0.next().event) }
            #expect(Set(events.map(ObjectIdentifier.init)).count == 1)
            #expect(events.allSatisfy { self.text($0) != nil })
            #expect(Set(events.map(self.address)).count == 1 && self.address(events[0]) != nil)
            // What left the window comes with it.
            while let more = streams[0].next().event {
                #expect(streams.dropFirst().allSatisfy { $0.next().event === more })
            }
        }
    }

    @Test func `streams that read something else share nothing`() throws {
        try self.put("/a", #"{"1":1}"#)
        let streams = [try self.stream("/a"), try self.stream("/"), try self.stream("/a", Self.lastThree)]
        let exported = try self.stream("/a", [("format", "export")])
        #expect(self.followers.courses.count == 4)
        for stream in streams + [exported] { _ = stream.next() }
        try self.put("/a/2", "2")
        let told = (streams + [exported]).map { self.text($0.next().event) }
        let inside = "event: put\ndata: {\"path\":\"/2\",\"data\":2}\n\n"
        #expect(told == [inside, "event: put\ndata: {\"path\":\"/a/2\",\"data\":2}\n\n", inside, inside])
    }

    @Test func `a stream that is not read keeps nobody's changes, and finds them itself`() throws {
        let streams = [try self.stream(), try self.stream()]
        for stream in streams { _ = stream.next() }
        let count = 4 * TreeEventCourse.stepsMax
        for value in 0..<count {
            try self.put("/n", "\(value)")
            #expect(self.text(streams[0].next().event)?.contains("\"data\":\(value)}") == true)
        }
        #expect(self.followers.courses.map(\.stepCount) == [TreeEventCourse.stepsMax])
        for value in 0..<count {
            #expect(self.text(streams[1].next().event)?.contains("\"data\":\(value)}") == true)
        }
        #expect(streams[1].next().event == nil)
        try self.put("/n", "\"together again\"")
        let last = try #require(streams[0].next().event)
        #expect(streams[1].next().event === last)
    }

    private func bounded(_ entriesMax: Int) -> TreeFollowers {
        TreeFollowers(
            store: self.bench.server.store,
            mailbox: self.bench.server.scheduler.mailbox(),
            indexEntriesMax: entriesMax
        )
    }

    private func isCancelled(_ stream: TreeEventStream) -> Bool {
        if case .cancel(.tooLarge)? = stream.ending { true } else { false }
    }

    @Test func `streams whose orders have grown too large end, the largest first, and others go on`() throws {
        try self.bench.judge(by: #"{"$n":{".indexOn":"x"}}"#)
        try self.put("/", #"{"large":{"a":{"x":1}},"small":{"a":{"x":1}}}"#)
        let followers = self.bounded(1_000)
        let large = try (0..<2).map { _ in try self.stream("/large", Self.byChild("x"), followers) }
        let others = [
            try self.stream("/small", Self.byChild("x"), followers),
            try self.stream("/large", Self.lastThree, followers),
        ]
        for stream in large + others { _ = stream.next() }
        let children = (0..<1_000).map { "\"k\($0)\":{\"x\":\($0)}" }.joined(separator: ",")
        try self.put("/large", "{\(children)}")
        for stream in large + others { while stream.next().event != nil {} }
        #expect(large.allSatisfy { $0.ending == nil })
        followers.tick()
        #expect(large.allSatisfy(self.isCancelled) && others.allSatisfy { $0.ending == nil })
        // Who comes now is refused, and has none of it.
        #expect(throws: Refused.self) { try self.stream("/large", Self.byChild("x"), followers) }
        try self.put("/large", #"{"a":{"x":1}}"#)
        let again = try self.stream("/large", Self.byChild("x"), followers)
        followers.tick()
        #expect(again.ending == nil && again.next().event != nil)
        for stream in large { stream.stop() }
    }

    @Test func `those that have grown end, and not larger ones that were let in as they are`() throws {
        try self.bench.judge(by: #"{"$n":{".indexOn":"x"}}"#)
        func children(_ count: Int) -> String {
            "{" + (0..<count).map { "\"k\($0)\":{\"x\":\($0)}" }.joined(separator: ",") + "}"
        }
        try self.put("/large", children(700))
        try self.put("/small", children(1))
        try self.put("/other", children(1))
        let followers = self.bounded(1_000)
        let streams = try ["/large", "/small", "/other"].map { try self.stream($0, Self.byChild("x"), followers) }
        for stream in streams { _ = stream.next() }
        try self.put("/small", children(300))
        for stream in streams { while stream.next().event != nil {} }
        followers.tick()
        #expect(streams.map(self.isCancelled) == [false, true, false])
        // What was let go of while another was let in is not one's own any more.
        try self.put("/large", children(100))
        _ = streams[0].next()
        let late = try self.stream("/late", Self.byChild("x"), followers)
        _ = late.next()
        try self.put("/late", children(1))
        try self.put("/large", children(900))
        for stream in [streams[0], late] { while stream.next().event != nil {} }
        followers.tick()
        #expect([streams[0], streams[2], late].map(self.isCancelled) == [true, false, false])
    }

    @Test func `an event that is too large ends its stream`() throws {
        let followers = TreeFollowers(
            store: self.bench.server.store,
            mailbox: self.bench.server.scheduler.mailbox(),
            eventBytesMax: 1_000
        )
        try self.put("/n", "1")
        let streams = [try self.stream("/n", [], followers), try self.stream("/n/other", [], followers)]
        for stream in streams { #expect(stream.next().event != nil && stream.ending == nil) }
        try self.put("/n", #"{"a":"\#(String(repeating: "x", count: 900))"}"#)
        #expect(streams[0].next().event != nil && streams[0].ending == nil)
        try self.put("/n/a", "\"\(String(repeating: "x", count: 1_000))\"")
        // It is asked again, and ends.
        let (event, hasMore) = streams[0].next()
        #expect(event == nil && hasMore && self.isCancelled(streams[0]) && streams[0].next().event == nil)
        let ending = try #require(streams[0].ending)
        #expect(
            self.text(TreeToldEvent(ending, .plain, nil))
                == "event: cancel\ndata: \"The specified payload is too large, please request a location with less "
                + "data.\"\n\n"
        )
        #expect(streams[1].ending == nil)
        // So does one that begins with it.
        let late = try self.stream("/n", [], followers)
        #expect(late.next().event == nil && self.isCancelled(late))
    }

    @Test func `an order counts for something also where there are no children`() throws {
        try self.bench.judge(by: #"{"$n":{".indexOn":"x"}}"#)
        let followers = self.bounded(1_000)
        let streams = try (0..<10).map { try self.stream("/\($0)", Self.byChild("x"), followers) }
        #expect(throws: Refused.self) { try self.stream("/10", Self.byChild("x"), followers) }
        let others = [
            try self.stream("/10", Self.lastThree, followers), try self.stream("/1", Self.byChild("x"), followers),
        ]
        followers.tick()
        #expect((streams + others).allSatisfy { $0.ending == nil })
    }

    @Test func `what the store has forgotten is kept by nobody`() throws {
        do {
            let streams = [try self.stream(), try self.stream()]
            for stream in streams { _ = stream.next() }
            try self.put("/n", "1")
            #expect(self.text(streams[0].next().event) != nil)
            #expect(self.followers.textRoom.taken > 0)
            self.bench.server.clock.advance(microseconds: 60_000_000)
            while self.bench.server.store.maintain() {}
            self.followers.tick()
            #expect(self.followers.courses.map(\.stepCount) == [0])
            #expect(self.text(streams[1].next().event)?.contains("{\"n\":1}") == true)
            for stream in streams { stream.stop() }
        }
        #expect(self.followers.courses.isEmpty)
        #expect(self.followers.textRoom.taken == 0)
    }

    @Test func `long texts and those without room are kept by nobody`() throws {
        for index in 0..<12 { try self.put("/n\(index)", "\"\(String(repeating: "x", count: 8_000))\"") }
        let streams = [try self.stream(), try self.stream(), try self.stream()]
        let long = try #require(streams[1].next().event)
        #expect(streams[2].next().event === long)
        #expect(long.begin().rest != nil && long.text == nil)
        let room = TreeTextRoom()
        #expect(room.take(TreeTextRoom.bytesMax))
        #expect(!room.take(1) && room.taken == TreeTextRoom.bytesMax)
        let short = TreeToldEvent(.keepAlive, .plain, room)
        #expect(self.text(short) != nil && short.text == nil)
    }

    /// What a reader of events has made of them.
    private struct Reader {
        let stream: TreeEventStream
        var node = TreeNode.absent

        mutating func take(_ count: Int) throws {
            for _ in 0..<count {
                let (told, hasMore) = self.stream.next()
                switch told?.event {
                case .put(let path, let node)?: self.node = self.node.setting(node, at: path)
                case .patch(let path, let members)?:
                    for member in members {
                        let place = try TreePath("\(path.isRoot ? "" : path.description)/\(member.name.string)")
                        self.node = self.node.setting(member.node, at: place)
                    }
                case nil: if !hasMore { return }
                default: throw Refused()
                }
            }
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `whoever reads as they like ends with what is there`(seed: UInt64) throws {
        var chance = SeededRandom(seed: seed)
        var readers: [Reader] = []
        for _ in 0..<400 {
            switch Int.random(in: 0..<10, using: &chance) {
            case 0 where readers.count < 8:
                let path = Bool.random(using: &chance) ? "/" : "/a"
                let query = Bool.random(using: &chance) ? Self.lastThree : []
                readers.append(Reader(stream: try self.stream(path, query)))
            case 1 where !readers.isEmpty:
                readers.remove(at: Int.random(in: 0..<readers.count, using: &chance)).stream.stop()
            case 2:
                let update = #"{"a/\#(Int.random(in: 0..<6, using: &chance))":null,"b":\#(seed),"a/x":{"y":1}}"#
                #expect(try self.bench.ask(.patch, "/", [], update).status == 200)
            case 3...5:
                let paths = ["/a", "/a/1", "/a/2", "/a/3", "/a/4", "/b", "/a/1/deep"]
                try self.put(paths.randomElement(using: &chance) ?? "/", "\(Int.random(in: 0..<5, using: &chance))")
            case 6 where Int.random(in: 0..<10, using: &chance) == 0:
                self.bench.server.clock.advance(microseconds: 60_000_000)
                while self.bench.server.store.maintain() {}
                self.followers.tick()
            default:
                guard !readers.isEmpty else { continue }
                let index = Int.random(in: 0..<readers.count, using: &chance)
                try readers[index].take(Int.random(in: 1..<4, using: &chance))
            }
        }
        let root = self.bench.server.store.root(of: self.bench.server.store.tree(self.bench.name)).root
        for var reader in readers {
            try reader.take(10_000)
            let subject = reader.stream.subject
            let node = root[subject.target.path]
            let shown = subject.target.query.map { TreeWindow($0, of: node).node } ?? node
            #expect(reader.node.text(.plain) == shown.text(.plain))
        }
    }
}
