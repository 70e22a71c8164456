import BrasaTree
import Testing

struct CompoundHashTests {
    private static let nested = #"{"bar":{"deep":"value"},"foo":{"other-deep":"value"}}"#
    private static let prioritized =
        #"{"foo":{"!beforePriority":"before",".priority":"prio","afterPriority":"after"},"qux":"qux"}"#

    /// The official vectors: a hash for each post. A range that agrees is not merged.
    @Test(arguments: [
        (#"{"foo":"bar"}"#, ["foo"], ["LmKmJmXugtGlEGoulMbz86myDNw="]),
        (#"{"foo":{".value":"bar",".priority":"baz"}}"#, ["foo"], ["Pg7xV/cwDhcX65Z5lEn4rKdDmX0="]),
        (
            prioritized, ["foo/.priority", "qux"],
            ["TNHQ1ppp/lp/iP3WA1GOUetV77U=", "eRF6PqPUdLcnQ/J24B4ofNFSH64="]
        ),
        (
            #"{"1":"one","2":"two","10":"ten"}"#, ["2", "10"],
            ["YkodEihR5l3UXCbbKSqqVp082GU=", "pfduDpANk3ljVHkUt4HdLwrlDao="]
        ),
        (nested, ["bar/deep", "foo/other-deep"], ["Nq6PLLUyjPbRcyM3tpvqXJ5Dzm8=", "YRXpspSj3AnV90ZFjfGLH9lHAp8="]),
        (nested, ["foo/other-deep"], ["0Sio+izRDomUl6XRo4LRM8qfsog="]),
        (#"{"\"":"\\","\"\\\"\\":"\"\\\"\\"}"#, [#""\"\"#], ["IMLSPGVfdnaX4ZxWRGflEMmGTUI="]),
    ])
    func `Compound hashes agree with the official vectors`(_ text: String, _ posts: [String], _ hashes: [String]) throws
    {
        let hash = try CompoundHash(posts: posts.map { LeafPath(TreeText($0)) }, hashes: hashes + [""])
        #expect(hash.merges(to: try node(text)).isEmpty)
        for index in hashes.indices {
            var other = hashes
            other[index] = "other"
            let merges = try CompoundHash(posts: hash.posts, hashes: other + [""]).merges(to: try node(text))
            #expect(merges.map(\.end) == [hash.posts[index]])
            #expect(merges.map(\.start) == [index > 0 ? hash.posts[index - 1] : nil])
        }
    }

    @Test func `A client makes the hashes of what it has`() throws {
        #expect(CompoundHash(of: .absent).wire == ["hs": [""], "ps": []])
        #expect(CompoundHash(of: try node(#""x""#)).wire["ps"] == ["/"])
        let small = CompoundHash(of: try node(Self.nested))
        #expect(small.wire == ["hs": ["0Sio+izRDomUl6XRo4LRM8qfsog=", ""], "ps": ["foo/other-deep"]])
        #expect(try CompoundHash(wire: small.wire) == small)
        let many = TreeNode(
            children: try (0..<500).map {
                (key: try key("k\($0)"), node: TreeNode.leaf(.string(TreeText("text \($0)"))))
            }
        )
        let hash = CompoundHash(of: many)
        #expect(hash.posts.count > 5)
        #expect(hash.merges(to: many).isEmpty)
    }

    @Test(arguments: [
        #"{}"#, #"{"hs":[],"ps":[]}"#, #"{"hs":["a"],"ps":["b"]}"#, #"{"hs":["a","b","c"],"ps":["y","x"]}"#,
        #"{"hs":[1],"ps":[]}"#, #"{"hs":["","",""],"ps":["x","x"]}"#, #"[]"#,
    ])
    func `Malformed compound hashes are refused`(_ text: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(refusal { _ = try CompoundHash(wire: value) }?.reason == .malformedCompoundHash)
    }

    @Test func `Merges carry what is in their range alone`() throws {
        let tree = try node(Self.prioritized)
        let hash = try CompoundHash(
            posts: [LeafPath("foo/!beforePriority"), LeafPath("foo/zzz")],
            hashes: ["x", "y", ""]
        )
        #expect(
            hash.merges(to: tree).map(\.wire) == [
                ["e": "foo/!beforePriority", "m": ["foo": ["!beforePriority": "before"]]],
                [
                    "s": "foo/!beforePriority", "e": "foo/zzz",
                    "m": ["foo": ["afterPriority": "after", ".priority": "prio"]],
                ],
                ["s": "foo/zzz", "m": ["qux": "qux"]],
            ]
        )
    }

    @Test func `A client that takes the merges has the server's tree`() throws {
        var chance = try Chance(seed: 5)
        for round in 0..<600 {
            let held = chance.node(height: 3)
            var there = held
            for _ in 0..<chance.random.below(4) {
                there = there.setting(chance.random.chance(3) ? .absent : chance.node(height: 1), at: chance.path())
            }
            // Without priorities of inner nodes: a hash does not always show them (see the builder).
            let (client, server) = (Self.withoutPriorities(held), Self.withoutPriorities(there))
            var leaves: [LeafPath] = []
            Self.leaves(client, [], &leaves)
            let posts = leaves.filter { $0 == leaves.last || chance.random.chance(2) }
            let own = try Self.hash(of: client, posts)
            var merged = client
            for merge in own.merges(to: server) {
                merged = try RangeMerge(wire: merge.wire).applied(to: merged)
            }
            #expect(
                merged == server,
                "round \(round): \(exported(client)) to \(exported(server)) by \(posts.map(\.text))"
            )
        }
    }

    private static func withoutPriorities(_ node: TreeNode) -> TreeNode {
        guard node.childCount > 0 else { return node.withPriority(.none) }
        return TreeNode(children: node.children.map { (key: $0.key, node: self.withoutPriorities($0.node)) })
    }

    private static func leaves(_ node: TreeNode, _ segments: [TreeText], _ leaves: inout [LeafPath]) {
        if node.scalar != nil { leaves.append(LeafPath(segments)) }
        for child in node.children { self.leaves(child.node, segments + [child.key.text], &leaves) }
    }

    /// What a client that splits at these leaves sends. Whatever is after the last of them it does not vouch for.
    private static func hash(of node: TreeNode, _ posts: [LeafPath]) throws -> CompoundHash {
        let blank = try CompoundHash(posts: posts, hashes: Array(repeating: "?", count: posts.count) + [""])
        return try CompoundHash(posts: posts, hashes: Array(blank.hashes(of: node).dropLast()) + [""])
    }
}
