import BrasaPlatform

/// Which of a stream's targets have a token of a state before what they were told. While all are current each snapshot's own
/// token is for all; else they are given theirs one by one.
struct DueTokens {
    private var targets: ContiguousArray<WatchTarget> = []
    /// When all current targets were last given a token while others were not current.
    private var allGiven: MonotonicTime?

    private static let interval: Duration = .seconds(1)

    /// The target is told something: an older token would be wrong for what the client has then.
    mutating func note(_ target: WatchTarget) {
        if target.isAhead { return }
        target.isAhead = true
        self.targets.append(target)
    }

    /// It gets a token of its own, or has ended.
    mutating func clear(_ target: WatchTarget) {
        guard target.isAhead else { return }
        target.isAhead = false
        self.targets.removeAll { $0 === target }
    }

    /// Every target gets a token.
    mutating func clear() {
        if self.targets.isEmpty { return }
        for target in self.targets { target.isAhead = false }
        self.targets.removeAll(keepingCapacity: true)
    }

    /// The ids of those that are given one while others are not current: those that are due, and now and then all that are
    /// current. All of them each time would cost, while many are added one after the other, the square of their number,
    /// here and in the client.
    mutating func take(among all: ContiguousArray<WatchTarget>, now: MonotonicTime) -> [Int32] {
        let isForAll = self.allGiven.map { now - $0 >= Self.interval } ?? true
        let current = (isForAll ? all : self.targets).filter(\.isCurrent)
        self.targets.removeAll { target in
            if target.isCurrent { target.isAhead = false }
            return !target.isAhead
        }
        if isForAll, !current.isEmpty { self.allGiven = now }
        return current.map(\.id)
    }
}
