package import BrasaPlatform
package import BrasaStore
package import BrasaTransactions
import BrasaTree
import BrasaTreeEngine
package import BrasaTreeJudging
import Synchronization

/// Writes what sessions left, each as one commit that is also what forgets it: so it is done once, whenever the process ends.
/// Many are done in turns of bounded work, between which the thread does something else.
///
/// All that wait here are noted in the store, where all that sessions leave is bounded together.
package final class TreePartings: @unchecked Sendable {
    // Sendable, because replies carry it to the mailbox's thread, where all of it is used.

    private let store: Store
    private let transactions: TransactionManager
    private let rules: TreeRuleBook
    private let mailbox: any Mailbox
    private let didWrite: @Sendable () -> Void
    /// To be begun, in their order.
    private var waiting = FirstInFirstOut<TreeParting>()
    /// For which there was no room.
    private var refused: [TreeParting] = []
    /// Of this turn.
    private var work = 0
    private var isTurnOpen = false
    /// Answers may come before a call returns.
    private var isCarryingOut = false

    /// Units of the rules' work for one session, whose writes are judged at once. What would take more is left out.
    private static let partingWorkMax = 30_000_000
    private static let roundsMax = 8

    /// - Parameter didWrite: called on the mailbox's thread when something is durable, before the session's end is said to be.
    package init(
        store: Store,
        transactions: TransactionManager,
        rules: TreeRuleBook,
        mailbox: any Mailbox,
        didWrite: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.transactions = transactions
        self.rules = rules
        self.mailbox = mailbox
        self.didWrite = didWrite
    }

    package func add(_ parting: TreeParting) {
        self.waiting.append(parting)
        self.goOn()
    }

    /// What sessions left that were open when the process before ended: they have ended with it. To be called before anybody
    /// is let in.
    ///
    /// - Parameter done: called on the mailbox's thread when all of it is durable, or is to be tried again.
    package func endSessionsOfBefore(then done: @escaping @Sendable () -> Void) {
        let wills = self.store.treeWills
        guard !wills.isEmpty else { return done() }
        let countdown = Countdown(wills.count, then: done)
        for (id, will) in wills {
            let caller = TreeCaller(author: will.author)
            self.add(TreeParting(id, of: will.tree, will.queue.writes, by: caller) { countdown.step() })
        }
    }

    /// To be called every second or so: those for which there was no room are tried again.
    package func retry() {
        let refused = self.refused
        self.refused = []
        for parting in refused { self.add(parting) }
    }

    /// A turn is over when the mailbox comes to what is posted at its beginning.
    private func goOn() {
        if !self.isTurnOpen {
            self.isTurnOpen = true
            self.work = 0
            self.mailbox.post {
                self.isTurnOpen = false
                if !self.waiting.isEmpty { self.goOn() }
            }
        }
        guard !self.isCarryingOut else { return }
        self.isCarryingOut = true
        while self.work < JudgingTurn.workMax, let parting = self.waiting.popFirst() { self.carryOut(parting) }
        self.isCarryingOut = false
    }

    private func carryOut(_ parting: TreeParting) {
        var parting = parting
        let purse = WorkPurse(unitsMax: Self.partingWorkMax)
        if parting.rounds > 0 {
            let root = self.store.newestRoot(of: parting.tree)
            let now = self.store.presentTime.milliseconds
            parting.keepPossible(on: root, self.rules, milliseconds: now, paying: purse)
        }
        let judge = self.rules.judge(of: parting.tree.name, for: parting.caller, paying: purse)
        let order = TreeOrder(
            parting.writes,
            to: parting.tree,
            allowedBy: parting.writes.isEmpty ? nil : judge,
            ending: parting.will
        )
        self.work += parting.work
        self.transactions.commitTree(
            order,
            reply: Reply(mailbox: self.mailbox) { [parting] result in self.settle(parting, TreeWriteResult(result)) }
        )
        self.work += purse.spent
    }

    private func settle(_ parting: TreeParting, _ result: TreeWriteResult) {
        var next = parting
        switch result {
        case .written, .stale, .failed(.unknown, _):
            self.didWrite()
            return parting.done()
        case .refused where parting.rounds < Self.roundsMax, .denied where parting.rounds < Self.roundsMax:
            next.rounds += 1
            self.add(next)
        case .failed(.unavailable, _):
            next.done = {}
            self.refused.append(next)
            parting.done()
        case .denied, .refused, .failed(.tooLarge, _):
            guard !parting.writes.isEmpty else { return parting.done() }
            // They never will be. A start must not try that again.
            next.writes = []
            self.add(next)
        }
    }
}

private final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let done: @Sendable () -> Void

    init(_ count: Int, then done: @escaping @Sendable () -> Void) {
        self.left = Atomic(count)
        self.done = done
    }

    func step() {
        if self.left.wrappingSubtract(1, ordering: .relaxed).newValue == 0 { self.done() }
    }
}
