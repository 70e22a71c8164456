import BrasaDocuments
import BrasaLog
import BrasaTree
import Testing

@testable import BrasaStore

/// What the latest steps keep in memory: counted, forgotten in bounded parts, freed where nobody waits.
@Suite struct TreeStepTests {
    private func wide(_ count: Int) throws -> TreeNode {
        TreeNode(
            children: try (0..<count).map { (key: try TreeKey("k\($0)"), node: TreeNode.leaf(.integer(Int64($0)))) }
        )
    }

    private func string(_ bytes: Int) -> TreeNode {
        .leaf(.string(TreeText(String(repeating: "x", count: bytes))))
    }

    private func set(_ node: TreeNode, at path: String) throws -> TreeWrite {
        try .set(TreeTemplate(node), at: TreeLocation(path))
    }

    /// What the step of these writes counts, on a tree that is `before`.
    private func counted(_ writes: [TreeWrite], on before: TreeNode) throws -> (step: Int, kept: Int) {
        let fixture = try StoreFixture { $0.log.segmentBytes = 4 << 20 }
        let tree = try fixture.tree("one")
        try fixture.apply([self.set(before, at: "/")], to: tree)
        fixture.flush()
        let known = fixture.store.trees.steps.bytes
        let commit = try fixture.apply(writes, to: tree).commit
        var footprint = TreeFootprint()
        footprint.add(commit.after)
        let newest = footprint.bytes
        footprint.add(before)
        for placement in commit.changes.flatMap(\.placements) { footprint.add(placement.node) }
        return (fixture.store.trees.steps.bytes - known, footprint.bytes - newest)
    }

    @Test func `A step counts what it keeps of the tree before, and what its own writes made and replaced`() throws {
        let large = self.string(1_000_000)
        let cases: [(what: String, before: TreeNode, writes: [TreeWrite])] = [
            (
                "a node replaced", try self.wide(10).setting(large, for: TreeKey("k1")),
                [try self.set(self.string(1), at: "/k1")]
            ),
            (
                "a leaf above the place", try self.wide(10).setting(large, for: TreeKey("k1")),
                [try self.set(self.string(1), at: "/k1/a/b")]
            ),
            (
                "several writes of one place", try self.wide(10),
                [try self.set(large, at: "/k1"), try self.set(self.string(1), at: "/k1")]
            ),
            ("a place in a wide node", try self.wide(20_000), [try self.set(self.string(1), at: "/k77")]),
            ("a whole tree", try self.wide(20_000), [try self.set(self.string(1), at: "/")]),
        ]
        for (what, before, writes) in cases {
            let (step, kept) = try self.counted(writes, on: before)
            #expect(step >= kept - kept / 100 && step < 2 * kept + 8_192, "\(what): \(step) of \(kept)")
        }
    }

    @Test func `Many places of one write count no more than the tree that they were in`() throws {
        let before = try self.wide(5_000)
        let write = try TreeWrite.update(
            (0..<1_000).map { (location: try TreeLocation("k\($0)"), template: TreeTemplate(.leaf(.boolean(true)))) },
            at: .root
        )
        let (step, kept) = try self.counted([write], on: before)
        #expect(step >= kept && step < before.bytes + 1_000 * 256 + 1_024)
    }

    @Test func `One commit makes a bounded number of steps forgotten, and leaves them to be freed by others`() throws {
        let fixture = try StoreFixture { $0.recentTreeStepsMax = 10 }
        let tree = try fixture.tree("one")
        // None is durable, and so none is forgotten.
        for number in 0..<600 { try fixture.apply([self.set(self.string(number), at: "/a")], to: tree) }
        let steps = fixture.store.trees.steps
        #expect(steps.count == 600 && steps.unfreedCount == 0)
        fixture.flush()
        try fixture.apply([self.set(self.string(1), at: "/a")], to: tree)
        #expect(steps.count == 601 - 256 && steps.unfreedCount == 256)
        fixture.store.freeForgottenTreeSteps()
        #expect(steps.unfreedCount == 0)
        for _ in 0..<2 { try fixture.apply([self.set(self.string(2), at: "/a")], to: tree) }
        #expect(steps.count == 10 && steps.unfreedCount > 0)
        // Also by the store's own maintenance.
        _ = fixture.store.maintain()
        #expect(steps.unfreedCount == 0)
    }

    @Test func `Steps are handed out in bounded parts`() throws {
        let fixture = try StoreFixture()
        let tree = try fixture.tree("one")
        for number in 0..<300 { try fixture.apply([self.set(self.string(number), at: "/a")], to: tree) }
        fixture.flush()
        let first = try #require(fixture.store.treeSteps(after: .earliest, limit: .max))
        #expect(first.steps.count == 256 && first.hasMore && first.through == first.steps.last?.time)
        let last = try #require(fixture.store.treeSteps(after: first.through, limit: .max))
        #expect(last.steps.count == 44 && !last.hasMore && last.through == fixture.store.watermark)
    }

    /// Followers would lose their place for nothing.
    @Test func `A write without room in any case forgets no steps, one that they make room for does`() throws {
        let fixture = try StoreFixture {
            $0.log.segmentBytes = 4 << 20
            $0.memoryBytesMax = 400_000
        }
        let tree = try fixture.tree("one")
        let database = fixture.store.database(try databaseName())
        for _ in 0..<3 {
            try fixture.apply([self.set(self.string(50_000), at: "/a")], to: tree)
            fixture.flush()
        }
        #expect(fixture.store.trees.steps.count == 3)
        let large = String(repeating: "x", count: 1_000_000)
        #expect(throws: StoreError.self) { try fixture.commit(database, [("c/x", large)]) }
        #expect(throws: StoreError.self) { try fixture.apply([self.set(self.string(1_000_000), at: "/b")], to: tree) }
        #expect(fixture.store.trees.steps.count == 3)
        try fixture.commit(database, [("c/x", String(large.prefix(290_000)))])
        #expect(fixture.store.trees.steps.count == 0)
    }
}
