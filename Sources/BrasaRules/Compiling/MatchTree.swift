internal import BrasaDocuments

/// A match block with its whole pattern: those of the blocks around it, and its own.
struct MatchBlock: Sendable {
    enum Segment: Sendable {
        case literal(UTF8Text)
        case capture
        case glob
    }

    var pattern: [Segment]
    var statements: [Program.Statement]

    var glob: Int? {
        self.pattern.firstIndex { if case .glob = $0 { true } else { false } }
    }
}

/// A block that covers a path, and how.
struct BlockMatch {
    var block: Int
    /// Segments of the pattern, and the place of the one for many among them.
    var patternCount: Int
    var glob: Int?
}

/// All blocks by the segments of their patterns up to the one that stands for many, so that a path meets only the blocks
/// that may cover it.
struct MatchTree: Sendable {
    private struct Branch: Sendable {
        /// Sorted by name.
        var literals: [(name: UTF8Text, branch: Int)] = []
        var capture: Int?
        /// Blocks whose patterns end here.
        var ends: [Int] = []
        /// Blocks that go on with a segment for many, and what their patterns have behind it.
        var globs: [(block: Int, tail: [MatchBlock.Segment])] = []
        /// What it costs to come here, and each block that may cover a path: its end is compared, its place sorted.
        var work: Int { Work.expression + 120 * (self.ends.count + self.globs.count) }
    }

    private var branches = [Branch()]
    private let patternCounts: [Int]
    private let globPlaces: [Int?]
    /// How many segments the one for many stands for at least.
    private let globMin: Int

    init(_ blocks: [MatchBlock], version: Int) {
        self.patternCounts = blocks.map(\.pattern.count)
        self.globPlaces = blocks.map(\.glob)
        self.globMin = version == 1 ? 1 : 0
        for (index, block) in blocks.enumerated() where !block.statements.isEmpty {
            // In the first version nothing below such a segment is ever reached.
            if version == 1, let glob = block.glob, glob < block.pattern.count - 1 { continue }
            self.insert(index, block.pattern)
        }
    }

    private mutating func insert(_ block: Int, _ pattern: [MatchBlock.Segment]) {
        var branch = 0
        for (index, segment) in pattern.enumerated() {
            switch segment {
            case .glob:
                self.branches[branch].globs.append((block, Array(pattern[(index + 1)...])))
                return
            case .capture:
                let next = self.branches[branch].capture ?? self.newBranch()
                self.branches[branch].capture = next
                branch = next
            case .literal(let name):
                let (place, isThere) = name.bytes.withUnsafeBytes { self.place(of: $0, in: branch) }
                if isThere {
                    branch = self.branches[branch].literals[place].branch
                } else {
                    let next = self.newBranch()
                    self.branches[branch].literals.insert((name, next), at: place)
                    branch = next
                }
            }
        }
        self.branches[branch].ends.append(block)
    }

    private mutating func newBranch() -> Int {
        self.branches.append(Branch())
        return self.branches.count - 1
    }

    /// Where a name stands among the branch's literals, or would stand.
    private func place(of name: UnsafeRawBufferPointer, in branch: Int) -> (index: Int, isThere: Bool) {
        var (low, high) = (0, self.branches[branch].literals.count)
        while low < high {
            let middle = (low + high) / 2
            let order = self.branches[branch].literals[middle].name.bytes.withUnsafeBytes { literal in
                ByteOrder.compare(literal, name)
            }
            switch order {
            case .ascending: low = middle + 1
            case .same: return (middle, true)
            case .descending: high = middle
            }
        }
        return (low, false)
    }

    /// The blocks that cover the path, in the order of the source.
    func matches(_ path: TestedPath, _ work: inout Work) throws(EvaluationError) -> [BlockMatch] {
        var matches: [BlockMatch] = []
        try self.collect(path, from: 0, branch: 0, &matches, &work)
        if matches.count > 1 { matches.sort { $0.block < $1.block } }
        return matches
    }

    private func match(_ block: Int) -> BlockMatch {
        BlockMatch(block: block, patternCount: self.patternCounts[block], glob: self.globPlaces[block])
    }

    /// Every branch is reached in one way only, so that this visits each at most once. As deep as patterns are long.
    private func collect(
        _ path: TestedPath,
        from index: Int,
        branch: Int,
        _ matches: inout [BlockMatch],
        _ work: inout Work
    ) throws(EvaluationError) {
        // Its arrays are looked at where they are: a copy of the branch would count references to each.
        try work.spend(self.branches[branch].work)
        for place in self.branches[branch].globs.indices {
            let glob = self.branches[branch].globs[place]
            if self.covers(glob.tail, path, from: index) { matches.append(self.match(glob.block)) }
        }
        if index == path.count {
            if !path.isGroup { for block in self.branches[branch].ends { matches.append(self.match(block)) } }
            return
        }
        // A group is anywhere below its parent: only a segment for many reaches it.
        if path.isGroup, index == path.knownCount { return }
        if let next = self.literal(path, at: index, in: branch) {
            try self.collect(path, from: index + 1, branch: next, &matches, &work)
        }
        if let capture = self.branches[branch].capture {
            try self.collect(path, from: index + 1, branch: capture, &matches, &work)
        }
    }

    /// Where it goes on with the path's segment by its name.
    private func literal(_ path: TestedPath, at index: Int, in branch: Int) -> Int? {
        guard !self.branches[branch].literals.isEmpty,
            let (place, isThere) = path.withSegment(index, { self.place(of: $0, in: branch) }), isThere
        else { return nil }
        return self.branches[branch].literals[place].branch
    }

    /// Whether the path's end is what stands behind the segment for many.
    private func covers(_ tail: [MatchBlock.Segment], _ path: TestedPath, from index: Int) -> Bool {
        let limit = path.isGroup ? path.count - path.knownCount : path.count - index - self.globMin
        guard tail.count <= limit, !path.isGroup || self.globMin == 0 else { return false }
        for (offset, segment) in tail.enumerated() {
            guard case .literal(let name) = segment else { continue }
            let isSame = path.withSegment(path.count - tail.count + offset) { given in
                name.bytes.withUnsafeBytes { ByteOrder.equal($0, given) }
            }
            guard isSame ?? false else { return false }
        }
        return true
    }
}
