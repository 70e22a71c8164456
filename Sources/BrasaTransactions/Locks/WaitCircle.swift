/// Looks for a circle of owners of whom each waits for the next.
enum WaitCircle {
    /// The youngest of a circle that `start` is part of; nil when there is none.
    ///
    /// Complexity: O(who waits for whom), at worst over all that wait.
    static func youngest(from start: LockOwner, blockers: (LockOwner) -> [LockOwner]) -> LockOwner? {
        var path: [LockOwner] = [start]
        var open: [[LockOwner]] = [blockers(start)]
        var seen: Set<ObjectIdentifier> = []
        while !open.isEmpty {
            guard let next = open[open.count - 1].popLast() else {
                open.removeLast()
                path.removeLast()
                continue
            }
            if next === start { return path.max { $0.priority < $1.priority } }
            guard seen.insert(ObjectIdentifier(next)).inserted else { continue }
            path.append(next)
            open.append(blockers(next))
        }
        return nil
    }
}
