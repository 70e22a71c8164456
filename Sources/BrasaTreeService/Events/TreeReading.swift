import BrasaStore
import BrasaTransactions
import BrasaTree
import BrasaTreeEngine
import BrasaTreeJudging
import Synchronization

/// What somebody reads on and on, and whether they still may.
final class TreeReading: Sendable {
    private struct Standing {
        /// By which rules, and on which version of the tree, it was judged last. Nil: never.
        var edition: Int?
        var root = TreeNode.absent
        var isAllowed = false
    }

    let target: TreeTarget
    let tree: TreeHandle
    let store: Store
    private let query: TreeQuery?
    private let reader: TreeCaller
    private let book: TreeRuleBook
    private let standing = Mutex(Standing())

    init(
        _ path: TreePath,
        _ query: TreeQuery?,
        of tree: TreeHandle,
        by reader: TreeCaller,
        _ book: TreeRuleBook,
        in store: Store
    ) {
        self.target = TreeTarget(path, query)
        self.query = query
        self.tree = tree
        self.reader = reader
        self.book = book
        self.store = store
    }

    /// By the rules of now. A look at a number while they are those that were asked last.
    var isAllowed: Bool {
        guard self.reader != .administrator else { return true }
        return self.standing.withLock { standing in
            if standing.edition != self.book.editionNumber { _ = self.judge(&standing, in: self.root) }
            return standing.isAllowed
        }
    }

    /// Asks again if the tree has changed, which rules may look at. Returns the work that it took.
    func judge() -> Int {
        guard self.reader != .administrator else { return 0 }
        return self.standing.withLock { standing in
            let root = self.root
            guard standing.edition != self.book.editionNumber || !standing.root.isSame(as: root) else { return 0 }
            return self.judge(&standing, in: root)
        }
    }

    private var root: TreeNode { self.store.root(of: self.tree).root }

    private func judge(_ standing: inout Standing, in root: TreeNode) -> Int {
        standing.edition = self.book.editionNumber
        standing.root = root
        let decision = self.book.reading(
            self.target.path,
            self.query,
            of: self.tree.name,
            in: root,
            by: self.reader,
            milliseconds: self.store.presentTime.milliseconds
        )
        standing.isAllowed = decision.isAllowed
        return decision.work
    }
}
