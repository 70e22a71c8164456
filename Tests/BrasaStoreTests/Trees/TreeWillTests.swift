import BrasaDocuments
import BrasaLog
import BrasaSimulation
import BrasaTree
import Testing

@testable import BrasaStore

/// What sessions leave, in the store: noted, ended with a commit, found again.
@Suite struct TreeWillTests {
    private let alice = Array(#"{"uid":"alice"}"#.utf8)

    private func set(_ text: String, at place: String) throws -> TreeWrite {
        let location = try TreeLocation(place)
        return try .set(TreeTemplate(parsing: Array(text.utf8), at: location.path), at: location)
    }

    private func shown(_ wills: [(id: TreeWillID, will: TreeWill)]) -> [String] {
        wills.map { _, will in
            let writes = will.queue.writes.map { write in
                write.assignments.map { "\($0.location)=\(String(decoding: $0.template.json.text, as: UTF8.self))" }
                    .sorted().joined(separator: " ")
            }
            return
                "\(will.tree.name) \(String(decoding: will.author, as: UTF8.self)): \(writes.joined(separator: "; "))"
        }
    }

    // MARK: Records

    private func record(_ step: TreeWillStep, time: Int64) -> [UInt8] {
        let record = TreeWillRecord(step, time: time)
        var bytes = [UInt8](repeating: 0, count: record.byteCount)
        bytes.withUnsafeMutableBytes { record.write(into: $0) }
        return bytes
    }

    private func isAccepted(_ records: [(Int64, [UInt8])]) -> Bool {
        let documents = VersionedDocuments(configuration: Store.Configuration(), entropy: .seeded(1))
        var recovery = Recovery(into: documents, TreeRegistry(configuration: Store.Configuration()))
        return records.allSatisfy { time, bytes in
            bytes.withUnsafeBytes { bytes in
                do throws(LogRejection) {
                    try recovery.read(.record(time: time, bytes))
                    return true
                } catch {
                    return false
                }
            }
        }
    }

    @Test func `The examples of the format's description are what is written`() throws {
        let fixture = try StoreFixture()
        let tree = try fixture.tree("n")
        let leave = TreeWillStep(
            [.author(Array("*".utf8)), .add(try self.set("null", at: "/p"))],
            of: nil,
            in: tree,
            keptBytes: 0
        )
        let begun: [UInt8] =
            [4, 1, 0x6e, 0, 2, 1] + Array("*".utf8) + [0, 0, 1, 1, 0x70, 1, 0, 0, 4] + Array("null".utf8)
        #expect(self.record(leave, time: 1_000) == begun)
        let cancel = TreeWillStep(
            [.cancel(try TreeLocation("/p"))],
            of: TreeWillID(time: 1_000),
            in: tree,
            keptBytes: 0
        )
        #expect(self.record(cancel, time: 1_300) == [4, 1, 0x6e, 0xac, 2, 1, 1, 1, 0x70])
        let priority = TreeWillStep(
            [.cancel(try TreeLocation("/p/.priority"))],
            of: TreeWillID(time: 1_000),
            in: tree,
            keptBytes: 0
        )
        #expect(self.record(priority, time: 1_300) == [4, 1, 0x6e, 0xac, 2, 4, 1, 1, 0x70])
        let forget = TreeWillStep(forgetting: TreeWillID(time: 1_000), in: tree)
        #expect(self.record(forget, time: 1_300) == [4, 1, 0x6e, 0xac, 2, 3])

        var commit = TreeCommit(of: tree)
        try commit.add(PreparedTreeWrite(self.set("true", at: "/")), milliseconds: 1)
        let record = TreeRecord(commit, ending: 300)
        var bytes = [UInt8](repeating: 0, count: record.byteCount)
        bytes.withUnsafeMutableBytes { record.write(into: $0) }
        #expect(bytes == [5, 0xac, 2, 1, 0x6e, 1, 0, 0, 1, 0, 0, 2])
        let cases: [(what: String, records: [(Int64, [UInt8])], isAllowed: Bool)] = [
            ("a session that ends", [(1_000, begun), (1_300, bytes)], true),
            ("an end of no session", [(1_300, bytes)], false),
            (
                "a second end", [(1_000, begun), (1_300, self.record(forget, time: 1_300)), (1_400, bytes)],
                false
            ),
            (
                "the end of another tree's", [(1_000, begun), (1_300, [5, 0xac, 2, 1, 0x6f, 1, 0, 0, 1, 0, 0, 2])],
                false
            ),
            ("a step of another", [(1_000, begun), (1_300, self.record(cancel, time: 1_200))], false),
            ("a session that begins with its end", [(1_000, [4, 1, 0x6e, 0, 3])], false),
        ]
        for (what, records, isAllowed) in cases {
            let isAccepted = self.isAccepted(records)
            #expect(isAccepted == isAllowed, "\(what)")
        }
    }

    @Test(
        arguments: [
            ("another step than there are", [5]),
            ("no step", []),
            ("something after it is forgotten", [3, 3]),
            ("a value that is no JSON", [0, 0, 1, 1, 0x70, 1, 0, 0, 1, 0x7b]),
            ("places that overlap", [0, 1, 0, 2, 0, 0, 1, 0x31, 0, 1, 1, 0x61, 1, 0x31]),
            ("a priority that is none", [0, 0, 0, 1, 1, 0, 4] + Array("true".utf8)),
            ("more places than may be", [0, 1, 0, 0xff, 0xff, 0xff, 0x7f]),
            ("a key that is none", [1, 1, 1, 0x2e]),
        ] as [(String, [UInt8])]
    )
    func `A record is refused that has`(what: String, steps: [UInt8]) {
        let name: [UInt8] = [4, 1, 0x6e, 0]
        func isAccepted(_ steps: [UInt8]) -> Bool { self.isAccepted([(9, name + steps)]) }
        #expect(isAccepted([0, 1, 0, 1, 0, 1, 1, 0x61, 1, 0x31]))
        #expect(!isAccepted(steps), "\(what)")
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `Cut and changed records are refused or read, and never trap`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let fixture = try StoreFixture()
        let changes: [TreeWillChange] = [
            .author(self.alice), .add(try RandomTreeWrites.next(&random).write),
            .add(try self.set(#"{"a":{".sv":{"increment":1}},".priority":2}"#, at: "/x")),
            .cancel(try TreeLocation("/a")),
        ]
        let bytes = self.record(TreeWillStep(changes, of: nil, in: try fixture.tree("n"), keptBytes: 0), time: 9)
        let isAccepted = self.isAccepted([(9, bytes)])
        #expect(isAccepted)
        for index in bytes.indices {
            _ = self.isAccepted([(9, Array(bytes[..<index]))])
            var changed = bytes
            changed[index] ^= UInt8.random(in: 1...255, using: &random)
            _ = self.isAccepted([(9, changed)])
        }
    }

    // MARK: In a store

    private final class Notes {
        let fixture: StoreFixture

        init(_ fixture: StoreFixture) {
            self.fixture = fixture
        }

        /// Not durable yet.
        func leave(_ changes: [TreeWillChange], of will: TreeWillID? = nil, in tree: TreeHandle, bytes: Int = 1_000)
            throws
            -> TreeWillID
        {
            try self.note(TreeWillStep(changes, of: will, in: tree, keptBytes: bytes))
        }

        func note(_ step: TreeWillStep) throws -> TreeWillID {
            self.fixture.clock.advance(microseconds: 10)
            let stamp = self.fixture.store.stamp()
            do {
                return try self.fixture.store.apply(step, at: stamp, waiter: nil)
            } catch {
                self.fixture.store.withdraw(stamp)
                throw error
            }
        }

        func end(_ will: TreeWillID, _ write: TreeWrite, in tree: TreeHandle) throws {
            self.fixture.clock.advance(microseconds: 10)
            let stamp = self.fixture.store.stamp()
            var commit = TreeCommit(of: tree)
            try commit.add(PreparedTreeWrite(write), milliseconds: 1)
            do {
                try self.fixture.store.apply(commit, ending: will, at: stamp, waiter: nil)
            } catch {
                self.fixture.store.withdraw(stamp)
                throw error
            }
        }
    }

    @Test(arguments: [false, true])
    func `What sessions leave is found again until it has ended`(hasCheckpoint: Bool) throws {
        let fixture = try StoreFixture()
        let notes = Notes(fixture)
        let (one, two) = (try fixture.tree("one"), try fixture.tree("two"))
        let first = try notes.leave([.author(self.alice), .add(try self.set("1", at: "/a"))], in: one)
        let second = try notes.leave([.author([]), .add(try self.set(#"{".sv":"timestamp"}"#, at: "/t"))], in: two)
        let third = try notes.leave([.add(try self.set("1", at: "/x"))], in: one)
        #expect(fixture.store.treeWills.isEmpty && fixture.store.treeWillCount == 3)
        fixture.flush()
        _ = try notes.leave([.add(try self.set(#"{"b":2,"c":3}"#, at: "/b"))], of: first, in: one)
        _ = try notes.leave([.cancel(try TreeLocation("/b/b"))], of: first, in: one)
        _ = try notes.leave([.add(try self.set(#"{".value":1,".priority":5}"#, at: "/a"))], of: first, in: one)
        _ = try notes.leave([.cancel(try TreeLocation("/a/.priority"))], of: first, in: one)
        _ = try notes.leave([.author(Array("*".utf8))], of: second, in: two)
        if hasCheckpoint {
            fixture.flush()
            try fixture.store.checkpoint()
        }
        try notes.end(third, self.set("1", at: "/x"), in: one)
        let fourth = try notes.leave([.add(try self.set("1", at: "/y"))], in: one)
        _ = try notes.note(TreeWillStep(forgetting: fourth, in: one))
        fixture.flush()
        let expected = [#"one {"uid":"alice"}: /b/c=3; /a=1"#, #"two *: /t={".sv":"timestamp"}"#]
        #expect(self.shown(fixture.store.treeWills) == expected)
        try fixture.restart(kill: true)
        #expect(self.shown(fixture.store.treeWills) == expected && fixture.store.treeWillCount == 2)
        #expect(fixture.text(of: try fixture.tree("one")) == #"{"x":1}"#)
        #expect(fixture.store.treeWills.map(\.id) == [first, second])
        // And again, from a checkpoint alone, after which they end.
        try fixture.store.checkpoint()
        try fixture.restart(kill: true)
        #expect(self.shown(fixture.store.treeWills) == expected)
        let next = Notes(fixture)
        for (id, will) in fixture.store.treeWills { try next.end(id, self.set("2", at: "/z"), in: will.tree) }
        fixture.flush()
        #expect(fixture.store.treeWills.isEmpty)
        #expect(fixture.store.treeWillCount == 0 && fixture.store.trees.wills.bytes == 0)
        try fixture.restart(kill: true)
        #expect(fixture.store.treeWills.isEmpty && fixture.store.trees.wills.bytes == 0)
    }

    @Test func `What is not durable is lost with the process, the end as well as what is left`() throws {
        let fixture = try StoreFixture()
        let notes = Notes(fixture)
        let tree = try fixture.tree("one")
        let will = try notes.leave([.add(try self.set("1", at: "/a"))], in: tree)
        fixture.flush()
        _ = try notes.leave([.add(try self.set("2", at: "/b"))], of: will, in: tree)
        try notes.end(will, self.set("1", at: "/a"), in: tree)
        _ = try notes.leave([.add(try self.set("3", at: "/c"))], in: tree)
        try fixture.restart(losingPower: true)
        #expect(self.shown(fixture.store.treeWills) == ["one : /a=1"])
        #expect(fixture.text(of: try fixture.tree("one")) == "null")
    }

    @Test func `A checkpoint has what was left at its own time`() throws {
        let fixture = try StoreFixture()
        let notes = Notes(fixture)
        let tree = try fixture.tree("one")
        let ended = try notes.leave([.add(try self.set("1", at: "/a"))], in: tree)
        let changed = try notes.leave([.add(try self.set("1", at: "/b"))], in: tree)
        fixture.flush()
        // On their way when it begins.
        try notes.end(ended, self.set("1", at: "/a"), in: tree)
        _ = try notes.leave([.add(try self.set("2", at: "/b/c"))], of: changed, in: tree)
        _ = try notes.leave([.add(try self.set("1", at: "/d"))], in: tree)
        let run = try #require(try fixture.store.beginCheckpoint())
        while try run.step() {}
        // None of that ever becomes durable.
        try fixture.restart(losingPower: true)
        #expect(self.shown(fixture.store.treeWills) == ["one : /a=1", "one : /b=1"])
        #expect(fixture.text(of: try fixture.tree("one")) == "null")
    }

    @Test func `What the log refuses is taken back`() throws {
        let fixture = try StoreFixture { $0.log.queuedBytesMax = 1 << 10 }
        let notes = Notes(fixture)
        let tree = try fixture.tree("one")
        let will = try notes.leave([.add(try self.set("1", at: "/a"))], in: tree)
        fixture.flush()
        try fixture.apply([self.set("\"\(String(repeating: "x", count: 4_000))\"", at: "/b")], to: tree)
        let bytes = fixture.store.trees.wills.bytes
        let text = "\"\(String(repeating: "x", count: 2_000))\""
        #expect(throws: StoreError.self) { try notes.leave([.add(try self.set(text, at: "/a"))], of: will, in: tree) }
        #expect(throws: StoreError.self) { try notes.leave([.add(try self.set(text, at: "/a"))], in: tree) }
        #expect(throws: StoreError.self) { try notes.end(will, self.set(text, at: "/a"), in: tree) }
        #expect(fixture.store.trees.wills.bytes == bytes && fixture.store.treeWillCount == 1)
        fixture.flush()
        #expect(self.shown(fixture.store.treeWills) == ["one : /a=1"])
        try notes.end(will, self.set("null", at: "/b"), in: tree)
        fixture.flush()
        #expect(fixture.store.treeWills.isEmpty && fixture.text(of: tree) == "null")
    }

    @Test func `All sessions together leave no more than the store has room for, and it is counted as memory`() throws {
        let fixture = try StoreFixture { $0.treeWillBytesMax = 10_000 }
        let notes = Notes(fixture)
        let tree = try fixture.tree("one")
        let write = try self.set("1", at: "/a")
        let first = try notes.leave([.add(write)], in: tree, bytes: 6_000)
        #expect(fixture.store.memory.trees == 6_000)
        let error = #expect(throws: StoreError.self) { try notes.leave([.add(write)], in: tree, bytes: 6_000) }
        #expect(error?.code == .tooMuchLeft)
        // What takes less goes on.
        _ = try notes.leave([.add(write)], of: first, in: tree, bytes: 4_000)
        let second = try notes.leave([.add(write)], in: tree, bytes: 6_000)
        _ = try notes.note(TreeWillStep(forgetting: second, in: tree))
        try notes.end(first, write, in: tree)
        fixture.flush()
        #expect(fixture.store.trees.wills.bytes == 0)
    }

    @Test func `What a session leaves counts as what it takes in memory, also after a restart`() throws {
        let fixture = try StoreFixture()
        let notes = Notes(fixture)
        let tree = try fixture.tree("one")
        // Levels of a few bytes of JSON.
        let text = String(repeating: #"{"k":"#, count: 28) + "1" + String(repeating: "}", count: 28)
        var queue = DisconnectQueue()
        var footprint = TreeFootprint()
        var will: TreeWillID?
        for number in 0..<50 {
            let write = try self.set(text, at: "/\(number)")
            queue.add(write)
            for assignment in write.assignments { footprint.add(assignment.template.node) }
            let bytes = TreeWill.keptBytes(queue, author: self.alice)
            will = try notes.leave(
                [.add(write)] + (will == nil ? [.author(self.alice)] : []),
                of: will,
                in: tree,
                bytes: bytes
            )
        }
        fixture.flush()
        let bytes = fixture.store.trees.wills.bytes
        #expect(bytes >= footprint.bytes && bytes == fixture.store.memory.trees)
        try fixture.restart(kill: true)
        #expect(fixture.store.trees.wills.bytes == bytes)
    }

    @Test func `Steps are put together as they become durable, and do not gather`() throws {
        let fixture = try StoreFixture()
        let notes = Notes(fixture)
        let tree = try fixture.tree("one")
        var will: TreeWillID?
        for number in 0..<100 {
            will = try notes.leave([.add(try self.set("\(number)", at: "/a"))], of: will, in: tree)
            fixture.store.settleTreeWills()
        }
        fixture.flush()
        for _ in 0..<10 { fixture.store.settleTreeWills() }
        #expect(fixture.store.trees.wills.waitingCount == 0)
        #expect(self.shown(fixture.store.treeWills) == ["one : /a=99"])
    }

    @Test func `A check counts what sessions leave`() throws {
        let fixture = try StoreFixture()
        let notes = Notes(fixture)
        let tree = try fixture.tree("one")
        _ = try notes.leave([.add(try self.set("1", at: "/a")), .add(try self.set("1", at: "/b"))], in: tree)
        _ = try notes.leave([.add(try self.set("1", at: "/c"))], in: tree)
        fixture.flush()
        fixture.store.stop()
        fixture.disk.killProcess()
        let inspection = try Store.inspect(disk: fixture.disk, directory: "data")
        #expect(inspection.log.isUsable && inspection.wills.sessions == 2 && inspection.wills.places == 3)
    }
}
