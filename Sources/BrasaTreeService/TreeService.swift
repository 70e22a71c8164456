package import BrasaPlatform
package import BrasaStore
package import BrasaTransactions
import BrasaTree
package import BrasaTreeJudging

/// Carries out the calls of the Realtime Database's REST that come in on one event loop.
package final class TreeService: Sendable {
    /// What a query by value, child or priority may go through in one turn. By key it goes through what it finds.
    package static let queryChildrenMax = 200_000
    /// Of children that event streams of a loop have in an order of their own, when another order is begun.
    package static let indexEntriesMax = 2_000_000
    /// What is hashed for an ETag in one turn, where nobody has hashed it before.
    package static let hashNodesMax = 200_000

    package static let eventBytesMax = TreeLimits.eventBytesMax

    let store: Store
    let transactions: TransactionManager
    let rules: TreeRuleArchive
    let mailbox: any Mailbox
    let pushIDs: PushIDSource
    let bounds: TreeServiceBounds
    private let clock: Clock

    package init(
        store: Store,
        transactions: TransactionManager,
        rules: TreeRuleArchive,
        mailbox: any Mailbox,
        pushIDs: PushIDSource,
        bounds: TreeServiceBounds = TreeServiceBounds(),
        clock: Clock = .system
    ) {
        self.store = store
        self.transactions = transactions
        self.rules = rules
        self.mailbox = mailbox
        self.pushIDs = pushIDs
        self.bounds = bounds
        self.clock = clock
    }

    /// Answers once, at once or later on the mailbox; a write when it is durable.
    package func answer(_ call: TreeCall, _ done: @escaping @Sendable (TreeAnswer) -> Void) {
        let began = self.clock.monotonic()
        do throws(TreeCallRefusal) {
            let options = try TreeCallOptions(call)
            guard call.method == .get else { return try self.write(call, options, done) }
            let answer = try self.read(call, options)
            if let timeout = options.timeout, self.clock.monotonic() - began > timeout {
                throw TreeCallRefusal("the read has taken longer than its timeout")
            }
            done(answer)
        } catch {
            done(error.answer)
        }
    }

    /// The ETag of a node; nil when it would take too long to work out.
    static func etag(of node: TreeNode) -> String? {
        if node.isAbsent { return "null_etag" }
        guard node.hasKeptHash || node.nodeCount <= Self.hashNodesMax else { return nil }
        return node.hash
    }
}

extension TreeNode {
    /// What stands at a place; a priority as the leaf that it would be.
    func part(_ location: TreeLocation) -> TreeNode {
        let node = self[location.path]
        return location.isPriority ? node.priority.scalar.map { TreeNode($0) } ?? .absent : node
    }
}
