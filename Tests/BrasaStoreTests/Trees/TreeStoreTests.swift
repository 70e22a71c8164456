import BrasaDocuments
import BrasaLog
import BrasaSimulation
import BrasaTree
import CBrasaAllocations
import Testing

@testable import BrasaStore

/// Trees in a store: what is seen when, what is taken back, what it costs, what is found again.
@Suite struct TreeStoreTests {
    private func value(_ text: String) throws -> TreeTemplate { try TreeTemplate(parsing: Array(text.utf8)) }

    private func wide(_ count: Int, value: (Int) -> TreeScalar = { .integer(Int64($0)) }) -> TreeNode {
        TreeNode(
            sorted: (0..<count).map { number in
                let digits = "\(number)"
                let key = "-N" + String(repeating: "0", count: 18 - digits.count) + digits
                return (key: TreeText(key), node: .leaf(value(number)))
            }
        )
    }

    @Test(arguments: [
        ("demo-project", true), ("a", true), ("A_9-", true), (String(repeating: "x", count: 63), true), ("", false),
        ("a.b", false), ("a/b", false), ("é", false), ("a b", false), (String(repeating: "x", count: 64), false),
    ])
    func `A tree's name is a label`(name: String, isAllowed: Bool) {
        #expect((TreeNamespace(name) != nil) == isAllowed)
    }

    @Test func `A write is seen when it is durable, in its own tree only`() throws {
        let fixture = try StoreFixture()
        let (one, two) = (try fixture.tree("one"), try fixture.tree("two"))
        let write = try TreeWrite.set(self.value(#"{"b":1}"#), at: TreeLocation("/a"))
        let time = try fixture.apply([write], to: one).time
        #expect(fixture.text(of: one) == "null" && fixture.store.undurableTime(of: one)?.microseconds == time)
        #expect(fixture.store.treeSteps(after: .earliest, limit: 9)?.steps.isEmpty == true)
        #expect(fixture.store.treeNames.isEmpty)
        fixture.flush()
        #expect(fixture.text(of: one) == #"{"a":{"b":1}}"# && fixture.text(of: two) == "null")
        #expect(fixture.store.undurableTime(of: one) == nil && fixture.store.treeNames == [one.name])
        #expect(fixture.store.existingTree(try #require(TreeNamespace("three"))) == nil)
    }

    @Test func `Commits to trees and documents have one order of times, and count as commits alike`() throws {
        let fixture = try StoreFixture()
        let (tree, database) = (try fixture.tree("one"), fixture.store.database(try databaseName()))
        var times: [Int64] = []
        for number in 0..<10 {
            times.append(try fixture.set("\(number)", at: "/a", in: tree))
            times.append(try fixture.commit(database, [("c/x", "\(number)")]).microseconds)
        }
        #expect(times == Array(Set(times)).sorted())
        #expect(fixture.store.statistics.commits == 20)
    }

    @Test func `What the log refuses is taken back, and the next write follows what was there`() throws {
        let fixture = try StoreFixture { $0.log.queuedBytesMax = 1 << 10 }
        let tree = try fixture.tree("one")
        try fixture.set("1", at: "/a", in: tree)
        let (memory, newest) = (fixture.store.memory, fixture.store.newestRoot(of: tree))
        let large = try TreeWrite.set(self.value("\"\(String(repeating: "x", count: 4_000))\""), at: TreeLocation("/b"))
        // One may wait for the disk, and those after it have no room.
        try fixture.apply([large], to: tree)
        let waiting = fixture.store.newestRoot(of: tree)
        let (counted, steps) = (fixture.store.memory, fixture.store.trees.steps.count)
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) { try fixture.apply([large, large], to: tree) }
            #expect(error?.code == .resourceExhausted && fixture.store.newestRoot(of: tree).isSame(as: waiting))
            #expect(fixture.store.memory == counted && fixture.store.trees.steps.count == steps)
        }
        fixture.flush()
        #expect(fixture.store.root(of: tree).root.isSame(as: waiting) && !waiting.isSame(as: newest))
        let small = TreeLocation(try TreePath("/b"))
        try fixture.apply([.set(TreeTemplate(.absent), at: small)], to: tree)
        fixture.flush()
        #expect(fixture.text(of: tree) == #"{"a":1}"#)
        // What the steps keep aside, nothing of the refused writes counts.
        fixture.wait(.seconds(60))
        _ = fixture.store.strongReadTime()
        while fixture.store.maintain() {}
        #expect(fixture.store.memory.trees <= memory.trees)
        try fixture.restart()
        #expect(fixture.text(of: try fixture.tree("one")) == #"{"a":1}"#)
    }

    @Test func `A record that would be too long is refused whole`() throws {
        let fixture = try StoreFixture { $0.log.recordBytesMax = 1_000 }
        let tree = try fixture.tree("one")
        let write = try TreeWrite.set(TreeTemplate(self.wide(100)), at: TreeLocation("/a"))
        let error = #expect(throws: StoreError.self) { try fixture.apply([write], to: tree) }
        #expect(error?.code == .commitTooLarge && fixture.store.newestRoot(of: tree).isAbsent)
        #expect(fixture.store.memory.trees == 0)
    }

    // MARK: Memory

    @Test func `Growth is refused at the bound of memory, deletes and reads go on`() throws {
        let fixture = try StoreFixture {
            $0.memoryBytesMax = 300_000
            $0.memoryBytesReserved = 50_000
        }
        let (tree, database) = (try fixture.tree("one"), fixture.store.database(try databaseName()))
        let text = "\"\(String(repeating: "x", count: 2_000))\""
        var count = 0
        var refusal: StoreError?
        while refusal == nil, count < 1_000 {
            do {
                try fixture.set(text, at: "/a/\(count)", in: tree)
                count += 1
                while fixture.store.maintain() {}
            } catch let error as StoreError {
                refusal = error
            }
        }
        #expect(refusal?.code == .memoryFull(bytesMax: 300_000) && count > 80)
        #expect(try fixture.store.isMemoryFull && fixture.store.root(of: tree).root[TreePath("/a")].childCount == count)
        // One bound for both.
        #expect(throws: StoreError.self) { try fixture.commit(database, [("c/x", text)]) }
        for number in 0..<10 { try fixture.set("null", at: "/a/\(number)", in: tree) }
        _ = fixture.store.strongReadTime()
        while fixture.store.maintain() {}
        #expect(!fixture.store.isMemoryFull)
        try fixture.set("1", at: "/b", in: tree)
        try fixture.commit(database, [("c/x", "y")])
        // A start counts what it finds.
        let memory = fixture.store.memory.trees
        try fixture.store.checkpoint()
        try fixture.restart()
        while fixture.store.maintain() {}
        #expect(abs(fixture.store.memory.trees - memory) < memory / 10 && fixture.store.memory.trees > 100_000)
        try fixture.set("null", at: "/", in: try fixture.tree("one"))
        fixture.wait(.seconds(60))
        _ = fixture.store.strongReadTime()
        while fixture.store.maintain() {}
        #expect(fixture.store.memory.trees == 0)
    }

    @Test func `The latest steps are bounded by number and by what they keep`() throws {
        let fixture = try StoreFixture {
            $0.recentTreeStepsMax = 10
            $0.recentTreeBytesMax = 100_000
        }
        let tree = try fixture.tree("one")
        var times: [Int64] = []
        for number in 0..<50 { times.append(try fixture.set("\(number)", at: "/a", in: tree)) }
        #expect(fixture.store.trees.steps.count == 10)
        let oldest = fixture.store.oldestTreeStepsTime
        #expect(
            fixture.store.treeSteps(after: oldest, limit: 99)?.steps.map(\.time.microseconds) == Array(times.suffix(10))
        )
        #expect(fixture.store.treeSteps(after: oldest, limit: 3)?.steps.count == 3)
        #expect(fixture.store.treeSteps(after: Timestamp(microseconds: oldest.microseconds - 1), limit: 99) == nil)
        for _ in 0..<5 {
            try fixture.set("\"\(String(repeating: "x", count: 40_000))\"", at: "/a", in: tree)
        }
        #expect(fixture.store.trees.steps.bytes <= 150_000)
        fixture.wait(.seconds(60))
        _ = fixture.store.strongReadTime()
        while fixture.store.maintain() {}
        #expect(fixture.store.trees.steps.count == 0 && fixture.store.trees.steps.bytes == 0)
        #expect(fixture.store.treeSteps(after: fixture.store.watermark, limit: 9)?.steps.isEmpty == true)
    }

    @Test func `Names that nobody writes to do not gather`() throws {
        let fixture = try StoreFixture()
        let kept = try fixture.tree("kept")
        try fixture.set("1", at: "/", in: kept)
        for number in 0..<10_000 { _ = try fixture.tree("n\(number)") }
        #expect(fixture.store.trees.all.count <= 2_048)
        #expect(try fixture.tree("kept") === kept)
    }

    // MARK: Cost

    private func allocations(of body: () throws -> Void) rethrows -> Int {
        brasa_allocations_begin()
        try body()
        return Int(brasa_allocations_end())
    }

    @Test(.enabled(if: brasa_allocations_are_counted()))
    func `A write to one path of a million leaves costs what the path costs, and a leaf takes 60 bytes`() throws {
        var log = LogConfiguration(segmentBytes: 64 << 20, firstSegmentBytes: 64 << 10)
        log.durability = .memory
        func cost(leaves: Int) throws -> (allocations: Int, bytesPerLeaf: Double) {
            let fixture = try StoreFixture { $0.log = log }
            let tree = try fixture.tree("one")
            let node = self.wide(leaves)
            try fixture.apply([.set(TreeTemplate(node), at: TreeLocation("/a/b"))], to: tree)
            let path = try TreeLocation("/a/b/-N000000000000000500")
            let writes = try (0..<200).map { try TreeWrite.set(TreeTemplate(.leaf(.integer(Int64($0)))), at: path) }
            for write in writes.prefix(100) { try fixture.apply([write], to: tree) }
            let count = try self.allocations {
                for write in writes.dropFirst(100) { try fixture.apply([write], to: tree) }
            }
            return (count / 100, Double(fixture.store.memory.trees) / Double(leaves))
        }
        let (small, large) = (try cost(leaves: 1_000), try cost(leaves: 1_000_000))
        print(
            "a write to one path: \(small.allocations) allocations of 1,000 leaves, \(large.allocations) of 1,000,000"
        )
        print("a number among a million: \(large.bytesPerLeaf) bytes")
        // Two more levels of pages, each of which takes less than a hundred without optimisation.
        #expect(large.allocations <= small.allocations + 200 && large.allocations < 450)
        #expect(large.bytesPerLeaf < 60)
    }
}
