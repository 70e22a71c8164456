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
