import BrasaDocuments
import BrasaPlatform
import BrasaStore

/// All targets of a stream on their way to one state, after which it is told of the snapshot.
final class Round {
    struct Way {
        let target: WatchTarget
        /// Nil when there is nothing to be told, or no longer.
        fileprivate(set) var passage: Passage?
    }

    let goal: Base
    private(set) var ways: ContiguousArray<Way>
    /// Whether targets that were current have missed states.
    let isCatchingUp: Bool
    let began: MonotonicTime
    private var index = 0

    init(to goal: Base, _ ways: ContiguousArray<Way>, isCatchingUp: Bool, began: MonotonicTime) {
        self.goal = goal
        self.ways = ways
        self.isCatchingUp = isCatchingUp
        self.began = began
    }

    /// Goes on along one target's way after the other; whether all targets have come to the goal.
    func advance() -> Bool {
        while self.index < self.ways.count {
            let way = self.ways[self.index]
            if let passage = way.passage {
                do throws(StoreError) {
                    guard try passage.walk() else { return false }
                    way.target.phase = .behind(WatchTarget.Known(base: self.goal, isCurrent: way.target.isCurrent))
                } catch {
                    way.target.restart()
                }
                self.ways[self.index].passage = nil
            }
            self.index += 1
        }
        return true
    }

    /// The target has ended: its way holds no versions any more.
    func leave(_ target: WatchTarget) {
        for index in self.ways.indices where self.ways[index].target === target { self.ways[index].passage = nil }
    }
}
