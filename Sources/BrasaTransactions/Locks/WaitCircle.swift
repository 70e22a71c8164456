/// Looks for a circle of owners of whom each waits for the next.
enum WaitCircle {
    /// The youngest of a circle that `start` is part of; nil when there is none.
    ///
    /// Complexity: O(waits that `blockers` lists), at worst for all that wait.
    static func youngest(from start: LockOwner, _ search: WaitSearch, blockers: (LockOwner) -> [LockOwner])
        -> LockOwner?
    {
        var path: [LockOwner] = [start]
        var open: [[LockOwner]] = [blockers(start)]
        while !open.isEmpty {
            guard let next = open[open.count - 1].popLast() else {
                open.removeLast()
                path.removeLast()
                continue
            }
            if next === start { return path.max { $0.priority < $1.priority } }
            guard search.visit(next) else { continue }
            path.append(next)
            open.append(blockers(next))
        }
        return nil
    }
}

/// What one search for a circle has seen, so that it looks at each place in a line once, however many wait behind it.
///
/// A commit waits for all who are older and for all holders, a read with an update lock for a part of those, one with a
/// shared lock for a part of that. So what was listed for one of them need not be listed again for a request before it in
/// the line that wants no more.
final class WaitSearch {
    private struct Line {
        /// By `rank`: everybody who is older than this was listed.
        var olderThan: [LockPriority?] = [nil, nil, nil]
        /// The rank for which the holders were listed.
        var holders = 0
    }

    private var visited: Set<ObjectIdentifier> = []
    private var lines: [ObjectIdentifier: Line] = [:]
    /// How many places in lines and holds were looked at.
    private(set) var steps = 0

    /// Whether it is the first visit.
    func visit(_ owner: LockOwner) -> Bool { self.visited.insert(ObjectIdentifier(owner)).inserted }

    func hasVisited(_ owner: LockOwner) -> Bool { self.visited.contains(ObjectIdentifier(owner)) }

    func step() { self.steps += 1 }

    /// Who is older than this in the line was listed already for a request that waits for as many.
    func listed(on entry: LockEntry, for mode: LockMode?) -> LockPriority? {
        self.lines[ObjectIdentifier(entry)]?.olderThan[Self.rank(mode)]
    }

    func hasListedHolders(of entry: LockEntry, for mode: LockMode?) -> Bool {
        (self.lines[ObjectIdentifier(entry)]?.holders ?? 0) >= Self.rank(mode)
    }

    /// All are listed for whom a request of that mode and priority waits there, if its owner holds nothing of it itself.
    func noteListed(on entry: LockEntry, for mode: LockMode?, of priority: LockPriority) {
        let rank = Self.rank(mode)
        var line = self.lines[ObjectIdentifier(entry)] ?? Line()
        for lower in 0...rank { line.olderThan[lower] = max(line.olderThan[lower] ?? .oldest, priority) }
        line.holders = max(line.holders, rank)
        self.lines[ObjectIdentifier(entry)] = line
    }

    private static func rank(_ mode: LockMode?) -> Int {
        switch mode {
        case .shared?: 0
        case .update?: 1
        case nil: 2
        }
    }
}
