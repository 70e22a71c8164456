import BrasaDocuments
import BrasaSimulation
import BrasaStore
import BrasaTree
import Synchronization
import Testing

@testable import BrasaTransactions

/// Writes to trees that somebody has to allow: asked outside the section, about the tree that is there still.
@Suite struct TreeJudgeTests {
    private let bench: Bench
    private let tree: TreeHandle

    init() throws {
        var configuration = TransactionConfiguration()
        configuration.treeHashRoundsMax = 3
        configuration.treeHashNodesMax = 10
        self.bench = try Bench(configuration: configuration)
        self.tree = self.bench.server.store.tree(try #require(TreeNamespace("one")))
    }

    /// What a judge was asked.
    private final class Asked: Sendable {
        private let proposals = Mutex<[TreeProposal]>([])

        var all: [TreeProposal] { self.proposals.withLock { $0 } }

        /// How often it was asked by now.
        @discardableResult
        func add(_ proposal: TreeProposal) -> Int {
            self.proposals.withLock { proposals in
                proposals.append(proposal)
                return proposals.count
            }
        }
    }

    private func set(_ text: String, at path: String) throws -> TreeWrite {
        try .set(TreeTemplate(parsing: Array(text.utf8)), at: TreeLocation(path))
    }

    private func start(_ write: TreeWrite, allowedBy judge: TreeJudge? = nil) -> Answer<TreeOutcome> {
        let answer = Answer<TreeOutcome>()
        let order = TreeOrder([write], to: self.tree, allowedBy: judge)
        self.bench.transactions.commitTree(order, reply: answer.reply(on: self.bench.mailbox))
        return answer
    }

    private func text(_ node: TreeNode) -> String { String(decoding: node.text(.export), as: UTF8.self) }
    private var stored: String { self.text(self.bench.server.store.root(of: self.tree).root) }

    private func isCommitted(_ answer: Answer<TreeOutcome>) throws -> Bool {
        if case .committed = try answer.value { true } else { false }
    }

    private func isDenied(_ answer: Answer<TreeOutcome>) throws -> Bool {
        if case .denied = try answer.value { true } else { false }
    }

    @Test func `A judge is asked once, about the tree before and after, and what it denies is not written`() throws {
        let asked = Asked()
        let first = self.start(try self.set("1", at: "/n"))
        self.bench.settle()
        #expect(first.isSuccess)
        for (text, isAllowed) in [("2", true), (#"{".sv":"timestamp"}"#, false)] {
            let judge = TreeJudge { proposal in
                asked.add(proposal)
                return isAllowed
            }
            let answer = self.start(try self.set(text, at: "/n"), allowedBy: judge)
            self.bench.settle()
            let (isCommitted, isDenied) = (try self.isCommitted(answer), try self.isDenied(answer))
            #expect(isCommitted == isAllowed && isDenied != isAllowed)
        }
        let proposals = asked.all
        try #require(proposals.count == 2)
        #expect(proposals.map { self.text($0.before) } == [#"{"n":1}"#, #"{"n":2}"#])
        #expect(self.text(proposals[0].after) == #"{"n":2}"#)
        #expect(self.text(proposals[1].after) == "{\"n\":\(proposals[1].milliseconds)}")
        #expect(proposals.allSatisfy { $0.changes.count == 1 })
        #expect(self.stored == #"{"n":2}"#)
        #expect(self.bench.server.store.treeSteps(after: .earliest, limit: 9)?.steps.count == 2)
    }

    @Test func `What is written is what was judged, the server's timestamps too`() throws {
        let asked = Asked()
        let judge = TreeJudge { proposal in
            asked.add(proposal)
            return true
        }
        let answer = self.start(try self.set(#"{".sv":"timestamp"}"#, at: "/at"), allowedBy: judge)
        self.bench.settle()
        #expect(try self.isCommitted(answer) && asked.all.count == 1)
        #expect(self.stored == "{\"at\":\(asked.all[0].milliseconds)}")
    }

    @Test func `That something was denied is said when what it was denied on is durable`() throws {
        let first = self.start(try self.set("1", at: "/n"))
        let denied = self.start(try self.set("2", at: "/n"), allowedBy: TreeJudge { _ in false })
        #expect(!first.isThere && !denied.isThere)
        self.bench.settle()
        #expect(try self.isCommitted(first) && self.isDenied(denied))
        #expect(self.stored == #"{"n":1}"#)
    }

    @Test func `Why something cannot be worked out is told to those who might write there, and not to others`() throws {
        let asked = Asked()
        let write = try self.set("1", at: "/x/.priority")
        let judge = TreeJudge { proposal in
            asked.add(proposal)
            return true
        }
        let answer = self.start(write, allowedBy: judge)
        let denied = self.start(write, allowedBy: TreeJudge { _ in false })
        self.bench.settle()
        #expect(try self.isDenied(denied))
        guard case .refused(let error) = try answer.value else {
            Issue.record("taken")
            return
        }
        #expect(error.reason == .priorityOfAbsentNode)
        let changes = try #require(asked.all.last).changes
        #expect(changes.count == 1 && changes[0].placements.isEmpty && changes[0].path == write.path)
    }

    @Test func `A ruling holds for the root that was judged, and for no other`() throws {
        let store = self.bench.server.store
        let judge = TreeJudge { _ in true }
        let order = TreeOrder([try self.set("1", at: "/n")], to: self.tree, allowedBy: judge)
        let old = TreeRuling(of: order, by: judge, in: store)
        _ = self.start(try self.set("5", at: "/elsewhere"))
        let new = TreeRuling(of: order, by: judge, in: store)
        let answer = Answer<TreeOutcome>()
        let reply = answer.reply(on: self.bench.mailbox)
        for (ruling, isDecided) in [(old, false), (new, true)] {
            let wasDecided = self.bench.transactions.visit { section, visit in
                section.commit(order, nil, ruling, isLast: false, reply, &visit)
            }
            #expect(wasDecided == isDecided)
        }
        self.bench.settle()
        #expect(try self.isCommitted(answer))
        #expect(self.stored == #"{"elsewhere":5,"n":1}"#)
    }

    /// Each time that it is asked outside, somebody else writes.
    @Test(arguments: [(5, true), (50, false)])
    func `A tree that changed after each round is judged in the section, if little is written`(
        size: Int,
        isSmall: Bool
    ) throws {
        let asked = Asked()
        let (transactions, mailbox, tree) = (self.bench.transactions, self.bench.mailbox, self.tree)
        let others = try (0..<3).map { try self.set("\($0)", at: "/other") }
        let judge = TreeJudge { proposal in
            let count = asked.add(proposal)
            if count <= others.count {
                let order = TreeOrder([others[count - 1]], to: tree)
                transactions.commitTree(order, reply: Answer<TreeOutcome>().reply(on: mailbox))
            }
            return true
        }
        let children = (0..<size).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let answer = self.start(try self.set("{\(children)}", at: "/a"), allowedBy: judge)
        self.bench.settle()
        #expect(asked.all.count == (isSmall ? 4 : 3))
        if isSmall {
            #expect(try self.isCommitted(answer))
        } else {
            #expect(answer.error == .tooMuchContention)
        }
        let written = self.bench.server.store.root(of: self.tree).root[try TreePath("/a")]
        #expect(written.childCount == (isSmall ? size : 0))
    }
}
