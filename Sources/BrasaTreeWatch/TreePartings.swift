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
    private let bounds: TreePartingBounds
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

    /// - Parameter didWrite: called on the mailbox's thread when something is durable, before the session's end is said to be.
    package init(
        store: Store,
        transactions: TransactionManager,
        rules: TreeRuleBook,
        mailbox: any Mailbox,
        bounds: TreePartingBounds = TreePartingBounds(),
        didWrite: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.transactions = transactions
        self.rules = rules
        self.mailbox = mailbox
        self.bounds = bounds
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
        while self.work < self.bounds.turnWorkMax, let parting = self.waiting.popFirst() { self.carryOut(parting) }
        self.isCarryingOut = false
    }

    private func carryOut(_ parting: TreeParting) {
        var parting = parting
        if parting.rounds > 0 { self.keepPossible(&parting) }
        // When the tree changes meanwhile it is judged anew.
        let purse = WorkPurse(unitsMax: self.bounds.partingWorkMax)
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
            reply: Reply(mailbox: self.mailbox) { [parting] result in
                self.settle(parting, TreeWriteResult(result), isUnpaid: purse.wasShort)
            }
        )
        self.work += purse.spent
    }

    private func keepPossible(_ parting: inout TreeParting) {
        let purse = WorkPurse(unitsMax: max(1, self.bounds.partingWorkMax >> parting.thrift))
        let root = self.store.newestRoot(of: parting.tree)
        let now = self.store.presentTime.milliseconds
        parting.keepPossible(on: root, self.rules, milliseconds: now, paying: purse)
        self.work += purse.spent
    }

    /// - Parameter isUnpaid: what is denied is so because it would have taken too much work to find out.
    private func settle(_ parting: TreeParting, _ result: TreeWriteResult, isUnpaid: Bool) {
        var next = parting
        switch result {
        case .written, .stale, .failed(.unknown, _):
            self.didWrite()
            return parting.done()
        case .denied where isUnpaid:
            // What was kept on one version may take more on the next.
            if next.rounds > 0 { next.thrift = min(next.thrift + 1, Self.thriftMax) }
            next.rounds += 1
            guard next.rounds > self.bounds.roundsMax else { return self.add(next) }
            next.rounds = 1
            self.postpone(next)
        case .refused where parting.rounds < self.bounds.roundsMax,
            .denied where parting.rounds < self.bounds.roundsMax:
            next.rounds += 1
            self.add(next)
        case .failed(.unavailable, _): self.postpone(next)
        case .denied, .refused, .failed(.tooLarge, _):
            guard !parting.writes.isEmpty else { return parting.done() }
            // They never will be. A start must not try that again.
            next.writes = []
            self.add(next)
        }
    }

    /// It is tried again in a second, and nobody waits for it.
    private func postpone(_ parting: TreeParting) {
        var next = parting
        next.done = {}
        self.refused.append(next)
        parting.done()
    }

    /// Then the first write is kept, which is judged whatever it takes.
    private static let thriftMax = 30
}

/// What the ends of sessions may take, in units of the rules' work.
package struct TreePartingBounds: Sendable {
    /// In a turn.
    package var turnWorkMax = JudgingTurn.workMax
    /// For one session, whose writes are judged at once. What would take more is left out.
    package var partingWorkMax = 30_000_000
    /// How often one is tried before it waits, or is left out.
    package var roundsMax = 8

    package init() {}
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
