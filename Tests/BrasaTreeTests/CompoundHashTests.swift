import BrasaQueryModel
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
        let tree = try node(text)
        let hash = try CompoundHash(posts: posts.map { LeafPath(TreeText($0)) }, hashes: hashes + [""])
        #expect(hash.hashes(of: tree) == hashes + [""])
        guard !tree.hasPriorities else { return #expect(hash.merges(to: tree) == nil) }
        for index in hashes.indices {
            var other = hashes
            other[index] = "other"
            let merges = try #require(try CompoundHash(posts: hash.posts, hashes: other + [""]).merges(to: tree))
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
        #expect(hash.hashes(of: many) == hash.hashes)
    }

    @Test(arguments: [
        #"{}"#, #"{"hs":[],"ps":[]}"#, #"{"hs":["a"],"ps":["b"]}"#, #"{"hs":["a","b","c"],"ps":["y","x"]}"#,
        #"{"hs":[1],"ps":[]}"#, #"{"hs":["","",""],"ps":["x","x"]}"#, #"[]"#,
    ])
    func `Malformed compound hashes are refused`(_ text: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(refusal { _ = try CompoundHash(wire: value) }?.reason == .malformedCompoundHash)
    }

    @Test func `A hash of more posts than a client can have, or of deeper ones, is refused`() throws {
        func wire(_ posts: [String]) -> JSONValue {
            [
                "ps": .array(posts.map { .string(TreeText($0)) }),
                "hs": .array(Array(repeating: "x", count: posts.count + 1)),
            ]
        }
        let posts = (0...TreeLimits.postsMax).map { "\($0)" }
        #expect(try CompoundHash(wire: wire(posts.dropLast())).posts.count == TreeLimits.postsMax)
        #expect(
            refusal { _ = try CompoundHash(wire: wire(posts)) }?.reason == .tooManyPosts(postsMax: TreeLimits.postsMax)
        )
        let deep = Array(repeating: "k", count: 32).joined(separator: "/")
        #expect(try CompoundHash(wire: wire([deep + "/.priority"])).posts[0].segments.count == 33)
        #expect(refusal { _ = try CompoundHash(wire: wire([deep + "/k/k"])) }?.reason == .malformedCompoundHash)
        let long = String(repeating: "k", count: 769)
        #expect(refusal { _ = try CompoundHash(wire: wire([long])) }?.reason == .malformedCompoundHash)
        #expect(refusal { _ = try RangeMerge(wire: ["s": .string(TreeText(deep + "/k/k"))]) } != nil)
    }

    @Test(arguments: [
        #"{"foo":{"a":1,".priority":2}}"#, #"{"1":1,".priority":"x"}"#, #"{"a":{".value":1,".priority":2}}"#,
    ])
    func `A node with priorities is sent whole, for their changes do not all show`(_ text: String) throws {
        let tree = try node(text)
        let hash = CompoundHash(of: tree)
        #expect(hash.merges(to: tree) == nil)
        #expect(try CompoundHash(posts: [], hashes: [""]).merges(to: tree) == nil)
    }

    @Test func `A node of which no range differs is sent whole`() throws {
        let tree = try node(Self.nested)
        #expect(CompoundHash(of: tree).merges(to: tree) == nil)
        // The client has a priority that its hashes do not show.
        let held = try node(#"{"1":1,".priority":"x"}"#)
        #expect(CompoundHash(of: held).hashes == CompoundHash(of: held.withPriority(.none)).hashes)
        #expect(CompoundHash(of: held).merges(to: held.withPriority(.none)) == nil)
    }

    @Test(arguments: [12, 200])
    func `Compound hashes agree with what the reference says, priorities included`(_ keyCount: Int) throws {
        var chance = try Chance(seed: 24, keyCount: keyCount)
        for _ in 0..<(keyCount > 12 ? 40 : 400) {
            let tree = chance.node()
            let leaves = Oracle.leaves(Model(tree))
            var posts = leaves.map(\.segments).filter { _ in chance.random.chance(3) }
            if chance.random.chance(2) { posts = Array(posts.prefix(1)) }
            let paths = posts.map { LeafPath($0.map { TreeText($0) }) }
            let hash = try CompoundHash(posts: paths, hashes: Array(repeating: "?", count: posts.count + 1))
            #expect(hash.hashes(of: tree) == Oracle.compoundHashes(leaves, posts))
        }
    }

    @Test func `Merges carry what is in their range alone`() throws {
        let tree = try node(#"{"foo":{"!before":"before","after":"after"},"qux":"qux"}"#)
        let hash = try CompoundHash(posts: [LeafPath("foo/!before"), LeafPath("foo/zzz")], hashes: ["x", "y", ""])
        #expect(
            hash.merges(to: tree)?.map(\.wire) == [
                ["e": "foo/!before", "m": ["foo": ["!before": "before"]]],
                ["s": "foo/!before", "e": "foo/zzz", "m": ["foo": ["after": "after"]]],
                ["s": "foo/zzz", "m": ["qux": "qux"]],
            ]
        )
    }

    @Test(arguments: [12, 200])
    func `A client that takes the merges has the server's tree`(_ keyCount: Int) throws {
        var chance = try Chance(seed: 5, keyCount: keyCount)
        for round in 0..<(keyCount > 12 ? 100 : 600) {
            let held = chance.node()
            var there = held
            for _ in 0..<chance.random.below(4) {
                there = there.setting(chance.random.chance(3) ? .absent : chance.node(height: 1), at: chance.path())
            }
            // Priorities of inner nodes do not always show in a client's hashes; the server sends the whole then.
            let client = round % 3 == 0 ? held : Self.withoutPriorities(held)
            let server = round % 2 == 0 ? there : Self.withoutPriorities(there)
            let leaves = Oracle.leaves(Model(client))
            let posts = leaves.map(\.segments).filter { $0 == leaves.last?.segments || chance.random.chance(2) }
            let hashes = Array(Oracle.compoundHashes(leaves, posts).dropLast()) + [""]
            let own = try CompoundHash(posts: posts.map { LeafPath($0.map { TreeText($0) }) }, hashes: hashes)
            guard client != server, !Self.hasHiddenPriorities(Model(client)) else { continue }
            guard let merges = own.merges(to: server) else {
                #expect(server.hasPriorities || server.isAbsent, "\(exported(client)) to \(exported(server))")
                continue
            }
            var merged = client
            for merge in merges { merged = try RangeMerge(wire: merge.wire).applied(to: merged) }
            #expect(
                merged == server,
                "round \(round): \(exported(client)) to \(exported(server)) by \(posts)"
            )
        }
    }

    private static func withoutPriorities(_ node: TreeNode) -> TreeNode {
        guard node.childCount > 0 else { return node.withPriority(.none) }
        return TreeNode(children: node.children.map { (key: $0.key, node: self.withoutPriorities($0.node)) })
    }

    /// Whether an inner node has a priority.
    private static func hasHiddenPriorities(_ model: Model?) -> Bool {
        guard case .inner(let children, let priority) = model else { return false }
        return priority != .none || children.values.contains(where: self.hasHiddenPriorities)
    }
}
