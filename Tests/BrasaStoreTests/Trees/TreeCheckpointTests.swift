import BrasaDocuments
import BrasaLog
import BrasaSimulation
import BrasaTree
import Testing

@testable import BrasaStore

/// Trees in checkpoints: as of one moment, in bounded chunks, and found again.
@Suite struct TreeCheckpointTests {
    private func wide(_ count: Int, priority: TreePriority = .none) -> TreeNode {
        TreeNode(
            sorted: (0..<count).map { number in
                let digits = "\(number)"
                let key = "-N" + String(repeating: "0", count: 18 - digits.count) + digits
                return (key: TreeText(key), node: .leaf(.integer(Int64(number))))
            },
            priority: priority
        )
    }

    /// Nested, so that parts open several levels; wide, so that one level has several parts; and all priorities.
    private func large() throws -> TreeNode {
        let deep = (0..<28).reduce(self.wide(5_000, priority: .string("deep"))) { node, level in
            TreeNode(
                children: [
                    (key: TreeKeys.a, node: .leaf(.boolean(true))), (key: TreeKeys.m, node: node),
                    (key: TreeKeys.z, node: TreeNode(.integer(Int64(level)), priority: .number(2))),
                ],
                priority: level % 2 == 0 ? .number(Double(level)) : .none
            )
        }
        return TreeNode(
            children: [
                (key: TreeKeys.a, node: deep), (key: TreeKeys.m, node: self.wide(20_000)),
                (key: TreeKeys.z, node: .leaf(.string(TreeText(String(repeating: "x", count: 300_000))))),
            ],
            priority: .string("root")
        )
    }

    @Test func `A large tree is written in chunks of bounded size and found again, page by page as well filled`() throws
    {
        let fixture = try StoreFixture { $0.log.segmentBytes = 4 << 20 }
        let tree = try fixture.tree("one")
        let node = try self.large()
        try fixture.apply([.set(TreeTemplate(node), at: TreeLocation(.root))], to: tree)
        fixture.flush()
        try fixture.set("1", at: "/", in: try fixture.tree("a-small-one"))
        try fixture.set(#""x""#, at: "/", in: try fixture.tree("zz"))

        var parts = TreeParts(of: node, in: tree.name)
        var sizes: [Int] = []
        while true {
            var chunk = RecordWriter(capacity: 0)
            guard parts.append(to: &chunk, bytes: 32 << 10) else { break }
            sizes.append(chunk.bytes.count)
        }
        // A string is not taken apart, and what is smaller than a part is not either.
        #expect(sizes.filter { $0 > 310_000 }.isEmpty && sizes.filter { $0 > 110_000 }.count == 1 && sizes.count > 20)

        try fixture.store.checkpoint()
        try fixture.restart(kill: true)
        let found = try fixture.tree("one")
        #expect(fixture.store.root(of: found).root == node)
        #expect(fixture.store.treeNames.map(\.description) == ["a-small-one", "one", "zz"])
        #expect(fixture.text(of: try fixture.tree("a-small-one")) == "1")
        let (before, after) = (node.bytes, fixture.store.root(of: found).root.bytes)
        #expect(abs(after - before) < before / 50)
        // Read from the checkpoint, not from the log: that begins after it.
        #expect(fixture.store.treeSteps(after: .earliest, limit: 1) == nil)
    }

    /// What they keep beside the newest versions is counted nowhere.
    @Test func `A checkpoint lets go of the trees before it goes on with the documents`() throws {
        let fixture = try StoreFixture { $0.log.segmentBytes = 4 << 20 }
        let database = fixture.store.database(try databaseName())
        let text = String(repeating: "x", count: 10_000)
        for number in 0..<80 { try fixture.commit(database, [("c/\(number)", text)]) }
        try fixture.set("1", at: "/a", in: try fixture.tree("one"))
        let run = try #require(try fixture.store.beginCheckpoint())
        #expect(run.trees.count == 1)
        var steps = 0
        while !run.trees.isEmpty, try run.step() { steps += 1 }
        var further = 0
        while try run.step() { further += 1 }
        #expect(steps == 2 && further > 1)
        try fixture.restart(kill: true)
        let found = fixture.store.database(try databaseName())
        #expect(try fixture.store.names(range("", "c"), in: found).count == 80)
        #expect(fixture.text(of: try fixture.tree("one")) == #"{"a":1}"#)
    }

    @Test func `A checkpoint has the trees of its own time, whatever is written meanwhile`() throws {
        let fixture = try StoreFixture { $0.recentTreeStepsMax = 2 }
        let tree = try fixture.tree("one")
        try fixture.apply([.set(TreeTemplate(self.wide(30_000)), at: TreeLocation("/a"))], to: tree)
        fixture.flush()
        // Not durable when it begins, and so not in it.
        try fixture.apply([.set(TreeTemplate(.leaf(.integer(1))), at: TreeLocation("/n"))], to: tree)
        let run = try #require(try fixture.store.beginCheckpoint())
        var count = 1
        while try run.step() {
            count += 1
            try fixture.set("\(count)", at: "/n", in: tree)
            try fixture.set("null", at: "/a/-N0000000000000\(10_000 + count)", in: tree)
            while fixture.store.maintain() {}
        }
        #expect(count > 4)
        let root = fixture.store.root(of: tree).root
        try fixture.restart(kill: true)
        // The log has the rest.
        #expect(fixture.store.root(of: try fixture.tree("one")).root == root)
        #expect(root[try TreePath("/n")].scalar == .integer(Int64(count)))
    }

    @Test func `A checkpoint is due by what trees take as well`() throws {
        let fixture = try StoreFixture { $0.checkpointBytesMin = 10_000 }
        let tree = try fixture.tree("one")
        try fixture.apply([.set(TreeTemplate(self.wide(2_000)), at: TreeLocation("/a"))], to: tree)
        fixture.flush()
        #expect(fixture.store.statistics.logBytesSinceCheckpoint > 10_000)
        let size = fixture.store.root(of: tree).root.estimate
        var isDue = false
        for number in 0..<2_000 where !isDue {
            try fixture.set("\(number)", at: "/b", in: tree)
            isDue = fixture.store.isCheckpointDue
            #expect(
                isDue
                    == (fixture.store.statistics.logBytesSinceCheckpoint >= fixture.store.root(of: tree).root.estimate)
            )
        }
        #expect(isDue && size > 40_000)
    }

    @Test func `A check counts trees, and finds damage in them`() throws {
        let fixture = try StoreFixture()
        try fixture.set(#"{"a":1,"b":{"c":true}}"#, at: "/", in: try fixture.tree("two"))
        try fixture.set("1", at: "/", in: try fixture.tree("one"))
        try fixture.store.checkpoint()
        try fixture.set("null", at: "/", in: try fixture.tree("one"))
        try fixture.set("2", at: "/d", in: try fixture.tree("two"))
        fixture.store.stop()
        fixture.disk.killProcess()
        let inspection = try Store.inspect(disk: fixture.disk, directory: "data")
        #expect(inspection.log.isUsable && inspection.trees.map(\.name.description) == ["two"])
        #expect(inspection.trees.map(\.nodes) == [5])

        let checkpoint = try #require(fixture.disk.paths.first { $0.hasSuffix(".chk") })
        fixture.disk.damage(checkpoint, at: 100)
        #expect(try !Store.inspect(disk: fixture.disk, directory: "data").log.damage.isEmpty)
    }
}

private enum TreeKeys {
    static let all = ["a", "m", "z"].compactMap { try? TreeKey($0) }
    static var a: TreeKey { self.all[0] }
    static var m: TreeKey { self.all[1] }
    static var z: TreeKey { self.all[2] }
}
