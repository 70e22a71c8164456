package import BrasaPlatform
package import BrasaStore
package import BrasaTransactions
package import BrasaTree
import BrasaTreeRules
import Synchronization

/// Where uploaded rules are kept: in a tree that no client can name, so that they are on the same log as what they are
/// about, in its checkpoints, and in what `brasa check` looks at.
package final class TreeRuleArchive: Sendable {
    package let book: TreeRuleBook
    private let store: Store
    private let transactions: TransactionManager
    private let settings: TreeHandle
    /// From reading to installing by one at a time: else the older of two texts could be the one that stays.
    private let isReading = Mutex(())

    package enum Outcome: Sendable {
        case saved
        /// They are no rules: where, and why.
        case refused(String)
        case tooMany
        case invalid(TreeError)
        case failed(TransactionError)
    }

    /// - Parameter book: gets what was kept by `load`.
    package init(book: TreeRuleBook = TreeRuleBook(), store: Store, transactions: TransactionManager) {
        self.book = book
        self.store = store
        self.transactions = transactions
        self.settings = store.tree(.settings)
    }

    /// Reads what an earlier process kept. Nobody but administrators gets into the trees whose rules cannot be used any
    /// more, which are returned.
    package func load() -> [(tree: TreeNamespace, problem: String)] {
        var problems: [(tree: TreeNamespace, problem: String)] = []
        for (key, _) in self.node(at: "rules").children {
            guard let tree = TreeNamespace(key.utf8) else { continue }
            if let problem = self.takeUp(tree) { problems.append((tree, problem)) }
        }
        return problems
    }

    /// What is in force, wherever it comes from.
    package func text(for tree: TreeNamespace) -> [UInt8] { self.book.rules(for: tree).text }

    /// Replaces the rules of a tree; nil: it has none of its own any more. They are in force when they are durable.
    package func put(
        _ text: [UInt8]?,
        for tree: TreeNamespace,
        isDryRun: Bool = false,
        on mailbox: any Mailbox,
        _ done: @escaping @Sendable (Outcome) -> Void
    ) {
        var node = TreeNode.absent
        if let text {
            do throws(TreeRules.Refused) {
                let rules = try TreeRules(parsing: text)
                node = .leaf(.string(TreeText(String(decoding: rules.text, as: UTF8.self))))
            } catch {
                return done(.refused(error.description))
            }
            guard self.book.hasRoom(for: tree) else { return done(.tooMany) }
        }
        guard !isDryRun else { return done(.saved) }
        let write: TreeWrite
        do throws(TreeError) {
            write = try .set(TreeTemplate(node), at: TreeLocation(Self.place(of: tree)))
        } catch {
            return done(.invalid(error))
        }
        let reply = Reply<BrasaTransactions.TreeOutcome>(mailbox: mailbox) { result in
            switch result {
            case .failure(let error): done(.failed(error))
            case .success(.refused(let error)): done(.invalid(error))
            case .success(.committed), .success(.stale), .success(.denied):
                _ = self.takeUp(tree)
                done(.saved)
            }
        }
        self.transactions.commitTree(TreeOrder([write], to: self.settings), reply: reply)
    }

    /// What is durable now is in force from now on. Returns what is wrong with it.
    private func takeUp(_ tree: TreeNamespace) -> String? {
        self.isReading.withLock { _ in
            guard case .string(let text)? = self.node(at: Self.place(of: tree)).scalar else {
                self.book.install(nil, for: tree)
                return nil
            }
            do throws(TreeRules.Refused) {
                self.book.install(try TreeRules(parsing: text.utf8), for: tree)
                return nil
            } catch {
                self.book.install(.locked, for: tree)
                return error.description
            }
        }
    }

    private static func place(of tree: TreeNamespace) -> String { "rules/\(tree)" }

    private func node(at place: String) -> TreeNode {
        let root = self.store.root(of: self.settings).root
        return (try? TreePath(place)).map { root[$0] } ?? .absent
    }
}
