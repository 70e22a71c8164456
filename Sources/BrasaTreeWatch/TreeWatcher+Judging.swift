import BrasaTree
import BrasaTreeEngine
import BrasaTreeJudging

/// Listens that are to be judged again, in turns. Rules may read anything, so each version of a tree may end a listen; what
/// has to be exact (other rules, another caller) is asked before anything is told.
struct ListensToJudge {
    private var waiting: [(session: TreeSession, target: TreeTarget)] = []
    private var next = 0

    var isEmpty: Bool { self.next == self.waiting.count }

    mutating func add(_ session: TreeSession) {
        for target in session.targets.keys { self.waiting.append((session, target)) }
    }

    mutating func take() -> (session: TreeSession, target: TreeTarget)? {
        guard !self.isEmpty else {
            self.waiting = []
            self.next = 0
            return nil
        }
        defer { self.next += 1 }
        return self.waiting[self.next]
    }
}

extension TreeWatcher {
    /// Once a second: those whose tree, rules or caller have changed since. Next time goes on where this time ended.
    func judgeListens() {
        if self.listensToJudge.isEmpty {
            for session in self.allSessions {
                guard let root = self.existing(session.tree)?.audience.root, session.takesUp(root) else { continue }
                self.listensToJudge.add(session)
            }
        }
        var told: [TreeListenerID: TreeSession] = [:]
        var work = 0
        while work < JudgingTurn.workMax, let (session, target) = self.listensToJudge.take() {
            let judged = session.judgeAgain(target)
            work += judged.work + JudgingTurn.listenerWork
            if !judged.isAllowed { told[session.id] = session }
        }
        for session in told.values { session.listener?.flush() }
    }

    /// Of a session that asks as somebody else, as far as a turn goes. The rest is judged with all others.
    func judgeListens(of session: TreeSession) {
        guard session.isJudged else { return }
        var work = 0
        for target in Array(session.targets.keys) {
            guard work < JudgingTurn.workMax else { break }
            work += session.judgeAgain(target).work + JudgingTurn.listenerWork
        }
        session.listener?.flush()
    }
}
