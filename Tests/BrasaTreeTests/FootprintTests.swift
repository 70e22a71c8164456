import BrasaQueryModel
import BrasaTree
import Testing

/// What a million leaves take, and what one write among them costs: counted, not timed.
struct FootprintTests {
    /// Twenty bytes, as push ids have.
    private static func key(_ number: Int) -> TreeText {
        let digits = "\(number)"
        return TreeText("-N" + String(repeating: "0", count: 18 - digits.count) + digits)
    }

    private func bytes(of tree: TreeNode) -> Double {
        var footprint = TreeFootprint()
        footprint.add(tree)
        return Double(footprint.bytes)
    }

    @Test func `A million numbers under push ids take less than 50 bytes each, and a write copies a few pages`() throws
    {
        let leaves = 1_000_000
        let tree = TreeNode(
            sorted: (0..<leaves).map { (key: Self.key($0 * 2), node: TreeNode.leaf(.integer(Int64($0)))) }
        )
        #expect(tree.childCount == leaves)
        var footprint = TreeFootprint()
        footprint.add(tree)
        let (bytes, pages) = (footprint.bytes, footprint.pages)
        #expect(bytes < 50 * leaves)

        // Kept, so that no page's memory is that of another version's.
        var versions: [TreeNode] = []
        func cost(_ changed: TreeNode) -> (pages: Int, bytes: Int) {
            versions.append(changed)
            let before = (footprint.pages, footprint.bytes)
            footprint.add(changed)
            return (footprint.pages - before.0, footprint.bytes - before.1)
        }
        let number = TreeNode.leaf(.integer(-1))
        let changed = cost(tree.setting(number, for: try TreeKey(Self.key(1_000_000))))
        #expect(changed.pages <= 4 && changed.bytes < 4_096)
        let grown = cost(tree.setting(number, for: try TreeKey(Self.key(1_000_001))))
        #expect(grown.pages <= 6 && grown.bytes < 8_192)
        let shrunk = cost(tree.setting(.absent, for: try TreeKey(Self.key(1_000_000))))
        #expect(shrunk.pages <= 5 && shrunk.bytes < 8_192)
        print("push ids: \(Double(bytes) / Double(leaves)) bytes a leaf in \(pages) pages")
        print("of a million: a changed number \(changed), a new child \(grown), a removed child \(shrunk)")
    }

    @Test func `Keys that ascend fill pages, in random order they fill most of them`() throws {
        var random = SeededRandom(seed: 6)
        let keys = try (0..<10_000).map { try TreeKey(Self.key($0)) }
        let ascending = keys.reduce(TreeNode.absent) { $0.setting(.leaf(.boolean(true)), for: $1) }
        let shuffled = keys.shuffled(using: &random).reduce(TreeNode.absent) {
            $0.setting(.leaf(.boolean(true)), for: $1)
        }
        #expect(self.bytes(of: ascending) < 50 * 10_000)
        #expect(self.bytes(of: shuffled) < 65 * 10_000)
        print("written one by one: \(self.bytes(of: ascending) / 10_000) bytes a leaf ascending, ", terminator: "")
        print("\(self.bytes(of: shuffled) / 10_000) bytes a leaf in random order")
    }

    @Test func `Priorities count in what a node takes, wherever they are`() throws {
        let priority = TreePriority.string(TreeText(String(repeating: "p", count: 10_000)))
        let leaf = TreeNode(.integer(1), priority: priority)
        let children = [(key: Self.key(1), node: TreeNode.leaf(.integer(1)))]
        let inner = TreeNode(sorted: children, priority: priority)
        let outer = TreeNode(sorted: [(key: Self.key(1), node: inner)])
        for node in [leaf, inner, outer] {
            #expect(node.bytes > 10_000 && abs(Double(node.bytes) - self.bytes(of: node)) < 64)
        }
    }

    @Test func `Hashes that nodes keep are counted before they are there`() throws {
        let node = TreeNode(sorted: (0..<100).map { (key: Self.key($0), node: TreeNode.leaf(.integer(Int64($0)))) })
        let (counted, before) = (Double(node.bytes), self.bytes(of: node))
        _ = node.hash
        let after = self.bytes(of: node)
        #expect(after >= before + 100 && abs(counted - after) < 64 && Double(node.bytes) == counted)
    }

    @Test func `The pages on a path are what a write to it copies`() throws {
        let tree = TreeNode(
            sorted: (0..<100_000).map { (key: Self.key($0), node: TreeNode.leaf(.integer(Int64($0)))) }
        )
        let path = TreePath([try TreeKey(Self.key(50_000))])
        var footprint = TreeFootprint()
        footprint.add(tree)
        let before = footprint.bytes
        let changed = tree.setting(.leaf(.integer(-1)), at: path)
        footprint.add(changed)
        let copied = footprint.bytes - before
        #expect(copied > 1_000 && tree.pathBytes(to: path) >= copied && tree.pathBytes(to: path) < 4 * copied)
        #expect(TreeNode.absent.pathBytes(to: path) == 0)
    }

    @Test func `Records read from one text share their keys`() throws {
        let records = 10_000
        let members = (0..<10).map { "\"field\($0)\":\($0)" }.joined(separator: ",")
        let text = (0..<records).map { "\"r\($0)\":{\(members)}" }.joined(separator: ",")
        let tree = try TreeTemplate(parsing: Array("{\(text)}".utf8)).node
        #expect(tree.nodeCount == 1 + records * 11)
        #expect(self.bytes(of: tree) < 45 * Double(10 * records))
        print("records of ten: \(self.bytes(of: tree) / Double(10 * records)) bytes a leaf")
    }
}
