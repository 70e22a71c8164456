import BrasaTree
import Testing

/// What a million leaves take, and what one write among them costs, counted and not timed.
struct FootprintTests {
    private static let leaves = 1_000_000

    private static func pushIDs(_ count: Int) -> [TreeKey] {
        var random = SeededRandom(seed: 4)
        var generator = PushIDGenerator()
        return (0..<count).map { generator.next(milliseconds: 1_700_000_000_000 + Int64($0), using: &random) }
    }

    private func bytesPerLeaf(_ tree: TreeNode, _ leaves: Int = FootprintTests.leaves) -> Double {
        var footprint = TreeFootprint()
        footprint.add(tree)
        return Double(footprint.bytes) / Double(leaves)
    }

    @Test func `A million numbers under push ids take less than 50 bytes each, and a write copies a few pages`() throws
    {
        let keys = Self.pushIDs(Self.leaves)
        let tree = keys.enumerated().reduce(TreeNode.absent) { tree, entry in
            tree.setting(.leaf(.integer(Int64(entry.offset))), for: entry.element)
        }
        #expect(tree.childCount == Self.leaves)
        var footprint = TreeFootprint()
        footprint.add(tree)
        let (bytes, pages) = (footprint.bytes, footprint.pages)
        #expect(bytes < 50 * Self.leaves)

        let changed = tree.setting(.leaf(.integer(-1)), for: keys[500_000])
        footprint.add(changed)
        #expect(footprint.pages - pages <= 4)
        #expect(footprint.bytes - bytes < 4_096)
        let afterChange = (footprint.bytes, footprint.pages)

        let grown = tree.setting(.leaf(.integer(-1)), for: try TreeKey("-middle"))
        footprint.add(grown)
        #expect(footprint.pages - afterChange.1 <= 5)
        #expect(footprint.bytes - afterChange.0 < 8_192)
        print(
            "push ids: \(Double(bytes) / Double(Self.leaves)) bytes a leaf; a changed number: "
                + "\(afterChange.1 - pages) pages, \(afterChange.0 - bytes) bytes; a new child: "
                + "\(footprint.pages - afterChange.1) pages, \(footprint.bytes - afterChange.0) bytes"
        )
    }

    @Test func `A million numbers in records of ten share their keys`() throws {
        var text = Array("{".utf8)
        for record in 0..<(Self.leaves / 10) {
            text += Array("\(record == 0 ? "" : ",")\"r\(record)\":{".utf8)
            text +=
                Array((0..<10).map { "\"field\($0)\":\(record + $0)" }.joined(separator: ",").utf8) + Array("}".utf8)
        }
        text += Array("}".utf8)
        let tree = try TreeTemplate(parsing: text).node
        #expect(tree.nodeCount == 1 + Self.leaves / 10 * 11)
        let bytes = self.bytesPerLeaf(tree)
        #expect(bytes < 45)
        print("records of ten: \(bytes) bytes a leaf")
    }

    @Test func `Keys in random order cost no more than half again`() throws {
        var random = SeededRandom(seed: 6)
        let keys = Self.pushIDs(100_000).shuffled(using: &random)
        let tree = keys.reduce(TreeNode.absent) { $0.setting(.leaf(.boolean(true)), for: $1) }
        let bytes = self.bytesPerLeaf(tree, 100_000)
        #expect(bytes < 75)
        print("random order: \(bytes) bytes a leaf")
    }
}
