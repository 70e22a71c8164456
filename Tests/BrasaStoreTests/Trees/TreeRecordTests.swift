import BrasaLog
import BrasaSimulation
import BrasaTree
import Testing

@testable import BrasaStore

/// Trees in records and checkpoints, byte by byte.
@Suite struct TreeRecordTests {
    private func name(_ text: String = "n") throws -> TreeNamespace { try #require(TreeNamespace(text)) }

    private func path(_ text: String) throws -> TreePath { try TreePath(text) }

    private func record(_ changes: [TreeChange]) throws -> [UInt8] {
        var writer = RecordWriter(capacity: 0)
        writer.append(changes: changes, of: try self.name())
        return writer.bytes
    }

    /// Of one node at the root.
    private func record(_ node: [UInt8], isPriority: Bool = false) -> [UInt8] {
        [3, 1] + Array("n".utf8) + [1, 0, 0, 1, isPriority ? 1 : 0, 0] + node
    }

    private func read(_ bytes: [UInt8]) throws -> [TreeChange] {
        try bytes.withUnsafeBytes { bytes in
            var reader = RecordReader(bytes)
            let (kind, name) = (try reader.byte(), try reader.treeName())
            #expect(try kind == RecordKind.tree.rawValue && name == self.name())
            return try reader.treeChanges()
        }
    }

    private func isAccepted(_ bytes: [UInt8], isChunk: Bool = false) -> Bool {
        let documents = VersionedDocuments(configuration: Store.Configuration(), entropy: .seeded(1))
        var recovery = Recovery(into: documents, TreeRegistry(configuration: Store.Configuration()))
        return bytes.withUnsafeBytes { bytes in
            do throws(LogRejection) {
                try recovery.read(isChunk ? .checkpointChunk(bytes) : .record(time: 1_000, bytes))
                try recovery.finish()
                return true
            } catch {
                return false
            }
        }
    }

    @Test func `The example of the format's description is what is written`() throws {
        let node = TreeNode(children: [
            (key: try TreeKey("a"), node: TreeNode(.integer(-1))),
            (key: try TreeKey("b"), node: TreeNode(.string("x"), priority: .number(1))),
        ])
        let change = TreeChange(
            path: try self.path("/p"),
            isUpdate: true,
            placements: [
                .init(location: try TreeLocation("/p/q"), node: node),
                .init(location: try TreeLocation("/p/.priority"), node: .leaf(.string("z"))),
            ]
        )
        let one: [UInt8] = [0, 0, 0, 0, 0, 0, 0xf0, 0x3f]
        let inner: [UInt8] = [6, 2, 1, 0x61, 3, 1, 1, 0x62, 0x15, 4] + one + [1, 0x78]
        let bytes: [UInt8] = [3, 1, 0x6e, 1, 1, 1, 1, 0x70, 2, 0, 1, 1, 0x71] + inner + [1, 0, 5, 1, 0x7a]
        #expect(try self.record([change]) == bytes)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `What is written is read back, and is as long as was said before`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let fixture = try StoreFixture()
        let tree = try fixture.tree("n")
        for _ in 0..<20 {
            var commit = TreeCommit(of: tree)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                try commit.add(PreparedTreeWrite(RandomTreeWrites.next(&random).write), milliseconds: 5)
            }
            let record = TreeRecord(commit)
            var bytes = [UInt8](repeating: 0, count: record.byteCount)
            bytes.withUnsafeMutableBytes { record.write(into: $0) }
            let changes = try self.read(bytes)
            #expect(try self.record(changes) == bytes)
            #expect(changes.map(\.path) == commit.changes.map(\.path))
            #expect(changes.map(\.isUpdate) == commit.changes.map(\.isUpdate))
            let (read, written) = (changes.flatMap(\.placements), commit.changes.flatMap(\.placements))
            #expect(read.map(\.location) == written.map(\.location) && read.map(\.node) == written.map(\.node))
            _ = try fixture.apply([RandomTreeWrites.next(&random).write], to: tree)
        }
    }

    /// Writing traps where a record is not as long as it was measured.
    @Test(arguments: [
        #"{".sv":"timestamp"}"#, #"{".value":{".sv":"timestamp"},".priority":"long enough"}"#,
        #"{".value":"text",".priority":{".sv":"timestamp"}}"#, #"{"a":{".sv":"timestamp"}}"#,
        #"{"a":1,"b":{".sv":{"increment":1.5}},"c":{"d":{".sv":"timestamp"},"e":[1,2,3]},".priority":7}"#,
        #"{"a":{"b":{"c":{".sv":"timestamp"}}},"d":{"e":{"f":{".value":{".sv":"timestamp"},".priority":"p"}}}}"#,
        #"{"a":{"b":1,".priority":{".sv":"timestamp"}},".priority":{".sv":{"increment":3}}}"#,
    ])
    func `What the server works out is measured with what was measured before`(text: String) throws {
        let fixture = try StoreFixture()
        let tree = try fixture.tree("n")
        // More children than one byte counts, once those of the server are there.
        let many = (0..<127).map { "\"k\($0)\":1," }.joined()
        for text in [text, "{\(many)\"z\":\(text)}"] {
            var commit = TreeCommit(of: tree)
            let template = try TreeTemplate(parsing: Array(text.utf8))
            let write = try TreeWrite.set(template, at: TreeLocation("/a"))
            try commit.add(PreparedTreeWrite(write), milliseconds: 1_700_000_000_000)
            let record = TreeRecord(commit)
            var bytes = [UInt8](repeating: 0, count: record.byteCount)
            bytes.withUnsafeMutableBytes { record.write(into: $0) }
            let placements = try self.read(bytes).flatMap(\.placements)
            let node = commit.after.child(try TreeKey("a"))
            #expect(placements.map(\.node) == [node])
        }
    }

    /// They take more memory than bytes.
    @Test func `The places of one record are bounded`() {
        func places(_ count: [UInt8], _ number: Int) -> [UInt8] {
            [3, 1, 0x6e, 1, 0, 0] + count + Array([[UInt8]](repeating: [0, 0, 1], count: number).joined())
        }
        // The write counts as well.
        #expect(self.isAccepted(places([0xff, 0xff, 0x07], (1 << 17) - 1)))
        #expect(!self.isAccepted(places([0x80, 0x80, 0x08], 1 << 17)))
    }

    @Test func `A priority is no longer than a string may be`() {
        func priority(_ length: [UInt8], _ count: Int) -> [UInt8] {
            [0x11, 5] + length + [UInt8](repeating: 0x61, count: count)
        }
        #expect(self.isAccepted(self.record(priority([0x80, 0x80, 0x80, 0x05], 10 << 20))))
        #expect(!self.isAccepted(self.record(priority([0x81, 0x80, 0x80, 0x05], (10 << 20) + 1))))
    }

    @Test(
        arguments: [
            ("an inner node without children", [6, 0]),
            ("children that are not in order", [6, 2, 1, 0x62, 1, 1, 0x61, 1]),
            ("a child that is there twice", [6, 2, 1, 0x61, 1, 1, 0x61, 1]),
            ("a number's key after a text's", [6, 2, 1, 0x61, 1, 1, 0x31, 1]),
            ("a child that is absent", [6, 1, 1, 0x61, 0]),
            ("a key with a dot", [6, 1, 1, 0x2e, 1]),
            ("a key without a byte", [6, 1, 0, 1]),
            ("a key that is not UTF-8", [6, 1, 1, 0xff, 1]),
            ("a string that is not UTF-8", [5, 1, 0xff]),
            ("a kind that there is not", [7]),
            ("an absent node with a priority", [0x10, 5, 0]),
            ("a priority that is a boolean", [0x11, 1]),
            ("a priority that is not finite", [0x11, 4, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f]),
            ("a number that is not finite", [4, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f]),
            ("a number that is an integer's", [4, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]),
            ("a number that is longer than it has to be", [3, 0x80, 0]),
            ("more children than there are bytes", [6, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 0x61, 1]),
            ("something after the end", [1, 0]),
        ] as [(String, [UInt8])]
    )
    func `A record is refused that has`(what: String, node: [UInt8]) {
        #expect(self.isAccepted(self.record([1])))
        #expect(!self.isAccepted(self.record(node)), "\(what)")
    }

    @Test func `Depth and priorities are bounded as they are for clients`() throws {
        func nested(_ levels: Int) -> [UInt8] {
            Array([[UInt8]](repeating: [6, 1, 1, 0x61], count: levels).joined()) + [1]
        }
        #expect(self.isAccepted(self.record(nested(32))) && !self.isAccepted(self.record(nested(33))))
        let name: [UInt8] = [3, 1, 0x6e, 1, 0]
        func path(_ levels: UInt8) -> [UInt8] {
            [levels] + Array([[UInt8]](repeating: [1, 0x61], count: Int(levels)).joined())
        }
        #expect(self.isAccepted(name + path(20) + [1, 0] + path(11) + nested(1)))
        #expect(!self.isAccepted(name + path(20) + [1, 0] + path(11) + nested(2)))
        #expect(!self.isAccepted(name + path(20) + [1, 0] + path(13) + [1]))
        #expect(!self.isAccepted(name + path(33) + [0]))
        #expect(self.isAccepted(self.record([5, 0], isPriority: true)))
        #expect(!self.isAccepted(self.record([1], isPriority: true)))
        #expect(!self.isAccepted(self.record([0x15, 5, 0, 0], isPriority: true)))
    }

    /// A record that is accepted all the same is one that could have been written.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `Cut and changed records are refused, or are records, and never trap`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let placements = try (0..<2).map { number in
            TreeChange.Placement(location: try TreeLocation("/p/\(number)"), node: RandomTreeWrites.node(&random))
        }
        let bytes = try self.record([TreeChange(path: self.path("/p"), isUpdate: true, placements: placements)])
        #expect(self.isAccepted(bytes))
        for count in bytes.indices { #expect(!self.isAccepted(Array(bytes[..<count]))) }
        for index in bytes.indices.dropFirst(3) {
            for flip in [1, 2, 4, 0x10, 0x80, 0xff] as [UInt8] {
                var changed = bytes
                changed[index] ^= flip
                guard self.isAccepted(changed) else { continue }
                #expect(try self.record(self.read(changed)) == changed)
            }
        }
    }

    // MARK: Checkpoints

    private func chunk(_ parts: [UInt8]) -> [UInt8] {
        var chunk = RecordWriter(capacity: 0)
        chunk.append(kind: .trees, snapshotTime: 1_000, creationTime: 256)
        return chunk.bytes + parts
    }

    /// Name, kind, path, priority's flag, count, children.
    @Test(arguments: [
        ("a whole tree", "016e 00 01", true),
        ("two trees", "016e 00 01  016f 00 01", true),
        ("trees that are not in order", "016f 00 01  016e 00 01", false),
        ("a tree twice", "016e 00 01  016e 00 01", false),
        ("a tree that is absent", "016e 00 00", false),
        ("a root in one part", "016e 01 00 00 01 0161 01", true),
        ("a root in two parts", "016e 01 00 00 01 0161 01  016e 02 00 01 0162 01", true),
        ("a root without children", "016e 01 00 00 00", false),
        ("parts that are not in order", "016e 01 00 00 01 0162 01  016e 02 00 01 0161 01", false),
        ("a root that is opened twice", "016e 01 00 00 01 0161 01  016e 01 00 00 01 0162 01", false),
        ("a further part first", "016e 02 00 01 0161 01", false),
        ("a child before its parent", "016e 01 01 0161 00 01 0161 01", false),
        ("an open child", "016e 01 00 00 00  016e 01 01 0161 00 01 0161 01", true),
        ("an open child without children", "016e 01 00 00 00  016e 01 01 0161 00 00", false),
        ("a part of a tree that was whole", "016e 00 01  016e 01 00 00 01 0161 01", false),
        ("a name that is none", "012e 00 01", false),
        ("a kind that there is not", "016e 03 01", false),
    ])
    func `A checkpoint's chunk of trees may have, or not`(what: String, parts: String, isAllowed: Bool) {
        let digits = Array(parts.filter { $0 != " " })
        let parts = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        #expect(self.isAccepted(self.chunk(parts), isChunk: true) == isAllowed, "\(what)")
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `Cut and changed chunks are refused or read, and never trap`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let wide = TreeNode(
            children: try (0..<40).map { (key: try TreeKey("k\($0)"), node: RandomTreeWrites.node(&random)) },
            priority: .string("p")
        )
        var parts = RecordWriter(capacity: 0)
        parts.append(children: [], of: [], opening: TreePriority.none, in: try self.name())
        parts.append(children: Array(wide.children), of: [try TreeKey("x")], opening: .string("p"), in: try self.name())
        parts.append(wholeTree: wide, of: try self.name("o"))
        let bytes = self.chunk(parts.bytes)
        #expect(self.isAccepted(bytes, isChunk: true))
        for index in bytes.indices {
            _ = self.isAccepted(Array(bytes[..<index]), isChunk: true)
            var changed = bytes
            changed[index] ^= UInt8.random(in: 1...255, using: &random)
            _ = self.isAccepted(changed, isChunk: true)
        }
    }
}
