/// What a client with a large cache says of it: hashes of consecutive ranges of leaves, and the last leaf of each, in key
/// order. What comes after the last leaf has a hash of its own, the empty one.
package struct CompoundHash: Hashable, Sendable {
    /// From the listened node; a priority is a path's last segment.
    package let posts: [LeafPath]
    /// One more than posts.
    package let hashes: [String]

    package init(posts: [LeafPath], hashes: [String]) throws(TreeError) {
        guard posts.count <= TreeLimits.postsMax else { throw TreeError(.tooManyPosts(postsMax: TreeLimits.postsMax)) }
        guard hashes.count == posts.count + 1, zip(posts, posts.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw TreeError(.malformedCompoundHash)
        }
        self.posts = posts
        self.hashes = hashes
    }

    /// Of the node's own leaves, cut where the texts of ranges have reached a size that grows with the node's root.
    package init(of node: TreeNode) {
        var builder = CompoundHashBuilder(.size(Self.splitSize(estimate: node.estimate)))
        builder.add(node)
        (self.posts, self.hashes) = builder.finish()
    }

    private static func splitSize(estimate: Int) -> Int {
        max(512, Int((Double(estimate) * 100).squareRoot()))
    }

    /// The member `ch` of a listen.
    package init(wire value: JSONValue) throws(TreeError) {
        guard case .array(let posts)? = value["ps"], case .array(let hashes)? = value["hs"] else {
            throw TreeError(.malformedCompoundHash)
        }
        guard posts.count <= TreeLimits.postsMax else { throw TreeError(.tooManyPosts(postsMax: TreeLimits.postsMax)) }
        var paths: [LeafPath] = []
        for post in posts {
            guard case .string(let text) = post else { throw TreeError(.malformedCompoundHash) }
            paths.append(try LeafPath(wire: text))
        }
        var texts: [String] = []
        for hash in hashes {
            guard case .string(let text) = hash else { throw TreeError(.malformedCompoundHash) }
            texts.append(text.string)
        }
        try self.init(posts: paths, hashes: texts)
    }

    package var wire: JSONValue {
        .object([
            .init("hs", .array(self.hashes.map { .string(TreeText($0)) })),
            .init("ps", .array(self.posts.map { .string($0.text) })),
        ])
    }

    /// A node's hashes for the same ranges; for what is after the last post, of what is there.
    package func hashes(of node: TreeNode) -> [String] {
        var builder = CompoundHashBuilder(.posts(self.posts))
        builder.add(node)
        return builder.finish().hashes
    }

    /// What the client must replace to have this node: for each range whose hash is another, what it is now. Nil where
    /// that cannot be said and the whole node must be sent: when no range differs, though the simple hashes do, and when
    /// the node has priorities, since those of inner nodes do not always show in a range's hash.
    package func merges(to node: TreeNode) -> [RangeMerge]? {
        guard !node.hasPriorities else { return nil }
        let present = self.hashes(of: node)
        let merges: [RangeMerge] = self.hashes.indices.compactMap { index in
            guard self.hashes[index] != present[index] else { return nil }
            let start = index > 0 ? self.posts[index - 1] : nil
            let end = index < self.posts.count ? self.posts[index] : nil
            return RangeMerge(start: start, end: end, of: node)
        }
        return merges.isEmpty ? nil : merges
    }
}

/// The way to a leaf, of which a priority may be one: the last segment is `.priority` then.
package struct LeafPath: Hashable, Sendable {
    package let segments: [TreeText]

    package init(_ segments: [TreeText]) {
        self.segments = segments
    }

    /// Segments between slashes; `/` for the node itself.
    package init(_ text: TreeText) {
        self.segments = text.utf8.split(separator: UInt8(ascii: "/")).map { TreeText(checked: Array($0)) }
    }

    /// What a client sent: no deeper than a leaf's priority can be, of segments that can be keys by their length.
    init(wire text: TreeText) throws(TreeError) {
        let segments = text.utf8.split(separator: UInt8(ascii: "/"), maxSplits: Self.segmentsMax)
        guard segments.count <= Self.segmentsMax, segments.allSatisfy({ $0.count <= TreeLimits.keyBytesMax }) else {
            throw TreeError(.malformedCompoundHash)
        }
        self.segments = segments.map { TreeText(checked: Array($0)) }
    }

    private static let segmentsMax = TreeLimits.levelsMax + 1

    package var text: TreeText {
        guard !self.segments.isEmpty else { return "/" }
        return TreeText(checked: Array(self.segments.map(\.utf8).joined(separator: [UInt8(ascii: "/")])))
    }
}

extension LeafPath: Comparable {
    /// Segment by segment in key order; the shorter first.
    package static func < (left: LeafPath, right: LeafPath) -> Bool {
        left.segments.lexicographicallyPrecedes(right.segments) { TreeKey.compare($0, $1) < 0 }
    }
}
