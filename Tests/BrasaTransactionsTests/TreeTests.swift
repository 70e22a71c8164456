import BrasaDocuments
import BrasaLog
import BrasaPlatform
import BrasaSimulation
import BrasaStore
import BrasaTree
import Synchronization
import Testing

@testable import BrasaTransactions

/// Writes to trees: all or none, by condition, answered once durable.
@Suite struct TreeTests {
    private let bench: Bench
    private let tree: TreeHandle

    init() throws {
        var configuration = TransactionConfiguration()
        configuration.treeHashNodesMax = 100
        self.bench = try Bench(configuration: configuration)
        self.tree = self.bench.server.store.tree(try #require(TreeNamespace("one")))
    }

    private func set(_ text: String, at path: String) throws -> TreeWrite {
        try .set(TreeTemplate(parsing: Array(text.utf8)), at: TreeLocation(path))
    }

    private func update(_ entries: [(String, String)]) throws -> TreeWrite {
        try .update(
            entries.map { (location: try TreeLocation($0), template: try TreeTemplate(parsing: Array($1.utf8))) },
            at: .root
        )
    }

    private func start(_ writes: TreeWrite..., onlyIf condition: TreeCondition? = nil) -> Answer<TreeOutcome> {
        self.start(writes: writes, onlyIf: condition)
    }

    private func start(writes: [TreeWrite], onlyIf condition: TreeCondition? = nil) -> Answer<TreeOutcome> {
        let answer = Answer<TreeOutcome>()
        let order = TreeOrder(writes, to: self.tree, onlyIf: condition)
        self.bench.transactions.commitTree(order, reply: answer.reply(on: self.bench.mailbox))
        return answer
    }

    private func commit(_ writes: TreeWrite..., onlyIf condition: TreeCondition? = nil) throws -> TreeOutcome {
        let answer = Answer<TreeOutcome>()
        let order = TreeOrder(writes, to: self.tree, onlyIf: condition)
        self.bench.transactions.commitTree(order, reply: answer.reply(on: self.bench.mailbox))
        self.bench.settle()
        #expect(answer.count == 1)
        return try answer.value
    }

    private func committed(_ outcome: TreeOutcome) throws -> TreeCommitted {
        guard case .committed(let committed) = outcome else {
            throw Unexpected(outcome: outcome)
        }
        return committed
    }

    private struct Unexpected: Error {
        let outcome: TreeOutcome
    }

    private func text(_ node: TreeNode) -> String { String(decoding: node.text(.export), as: UTF8.self) }
    private var stored: String { self.text(self.bench.server.store.root(of: self.tree).root) }

    @Test func `A write is answered when it is durable, with what it did`() throws {
        let answer = self.start(try self.set(#"{"n":{".sv":{"increment":2}},"at":{".sv":"timestamp"}}"#, at: "/a"))
        #expect(!answer.isThere && self.stored == "null")
        self.bench.settle()
        let committed = try self.committed(answer.value)
        let milliseconds = committed.time.microseconds / 1_000
        #expect(self.stored == "{\"a\":{\"at\":\(milliseconds),\"n\":2}}")
        #expect(self.text(committed.root) == self.stored && committed.changes.count == 1)
        #expect(self.text(committed.changes[0].placements[0].node) == "{\"at\":\(milliseconds),\"n\":2}")
    }

    @Test func `Several writes happen at one time, each on what the one before left, or none does`() throws {
        let outcome = try self.commit(
            self.set("1", at: "/n"),
            self.set(#"{".sv":{"increment":1}}"#, at: "/n"),
            self.update([("n", #"{".sv":{"increment":5}}"#), ("m", "true")])
        )
        #expect(try self.committed(outcome).changes.count == 3 && self.stored == #"{"m":true,"n":7}"#)
        let steps = self.bench.server.store.treeSteps(after: .earliest, limit: 9)?.steps
        #expect(steps?.count == 1 && steps?.first?.changes.count == 3)
        // A priority for what is not there refuses the others as well.
        guard case .refused(let error) = try self.commit(self.set("9", at: "/n"), self.set("1", at: "/x/.priority"))
        else {
            Issue.record("taken")
            return
        }
        #expect(error.reason == .priorityOfAbsentNode && self.stored == #"{"m":true,"n":7}"#)
    }

    @Test func `What is not durable yet is waited for by everything that shows it`() throws {
        let first = self.start(try self.set("1", at: "/n"))
        let same = self.start(try self.set("1", at: "/n"))
        let stale = self.start(try self.set("2", at: "/n"), onlyIf: TreeCondition(path: .root, hash: ""))
        let refused = self.start(try self.set("1", at: "/x/.priority"))
        #expect([first, same, stale, refused].allSatisfy { !$0.isThere })
        self.bench.settle()
        let time = try self.committed(first.value).time
        #expect(try self.committed(same.value).time == time)
        guard case .stale(let node) = try stale.value, case .refused = try refused.value else {
            Issue.record("taken")
            return
        }
        #expect(self.text(node) == #"{"n":1}"#)
        // Nothing was written but the first.
        #expect(self.bench.server.store.treeSteps(after: .earliest, limit: 9)?.steps.count == 1)
        let late = self.start(try self.set("1", at: "/n"))
        #expect(late.isThere)
    }

    @Test func `A condition holds for the node that was seen, with its priorities, and for nothing else`() throws {
        let path = try TreePath("/a")
        let absent = TreeCondition(path: path, hash: "")
        #expect(try self.committed(self.commit(self.set("1", at: "/a"), onlyIf: absent)).changes.count == 1)
        guard case .stale(let one) = try self.commit(self.set("2", at: "/a"), onlyIf: absent) else {
            Issue.record("taken")
            return
        }
        #expect(one == .leaf(.integer(1)))
        // Beside it anything may change.
        _ = try self.commit(self.set("5", at: "/b"))
        let seen = TreeCondition(path: path, hash: one.hash)
        _ = try self.committed(self.commit(self.set("2", at: "/a"), onlyIf: seen))
        _ = try self.commit(self.set("1", at: "/a"), self.set("7", at: "/a/.priority"))
        guard case .stale = try self.commit(self.set("3", at: "/a"), onlyIf: seen) else {
            Issue.record("taken")
            return
        }
        let node = self.bench.server.store.root(of: self.tree).root[path]
        #expect(node.scalar == .integer(1) && node.priority == .number(7))
    }

    /// The node is hashed outside the section; inside, it counts whether it is the same one still.
    @Test(arguments: [(10, true), (200, false)])
    func `A node that changed after it was hashed is hashed again, in the end inside if it is small`(
        size: Int,
        isSmall: Bool
    ) throws {
        let children = (0..<size).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        _ = try self.commit(self.set("{\(children)}", at: "/a"))
        let store = self.bench.server.store
        let before = store.newestRoot(of: self.tree)
        _ = try self.commit(self.set("-1", at: "/a/k1"))
        let now = store.newestRoot(of: self.tree)
        let condition = TreeCondition(path: try TreePath("/a"), hash: now[try TreePath("/a")].hash)
        let order = TreeOrder([try self.set("true", at: "/done")], to: self.tree, onlyIf: condition)
        let old = condition.judgement(of: before)
        #expect(!old.holds && condition.judgement(of: now).holds)
        let answer = Answer<TreeOutcome>()
        let reply = answer.reply(on: self.bench.mailbox)
        for _ in 0..<3 {
            #expect(
                !self.bench.transactions.visit { section, visit in
                    section.commit(order, old, isLast: false, reply, &visit)
                }
            )
        }
        #expect(!answer.isThere)
        #expect(
            self.bench.transactions.visit { section, visit in section.commit(order, old, isLast: true, reply, &visit) }
        )
        self.bench.settle()
        if case .committed = try answer.value { #expect(isSmall) } else { #expect(!isSmall) }
        // By the ordinary way, a node of any size.
        _ = try self.committed(self.commit(self.set("1", at: "/other"), onlyIf: condition))
    }

    @Test func `Too many paths are refused before anything is done`() throws {
        var configuration = TransactionConfiguration()
        configuration.treePlacementsMax = 3
        let bench = try Bench(configuration: configuration)
        let tree = bench.server.store.tree(self.tree.name)
        for (text, isTaken) in [
            (#"{".sv":"timestamp"}"#, true), (#"[{".sv":"timestamp"},{".sv":"timestamp"}]"#, false),
        ] {
            let answer = Answer<TreeOutcome>()
            let order = TreeOrder([try self.update([("a", "1"), ("b", text)])], to: tree)
            bench.transactions.commitTree(order, reply: answer.reply(on: bench.mailbox))
            bench.settle()
            #expect(answer.isSuccess == isTaken)
            #expect(isTaken || answer.error == .tooManyWrites(allowed: 3))
        }
    }

    @Test func `A request of writes that name no place is bounded as well`() throws {
        let nothing = try TreeWrite.update([], at: .root)
        let answer = self.start(writes: [TreeWrite](repeating: nothing, count: 10_001))
        #expect(answer.error == .tooManyWrites(allowed: 10_000))
        let fewer = self.start(writes: [TreeWrite](repeating: nothing, count: 10_000))
        self.bench.settle()
        #expect(fewer.isSuccess)
    }

    /// The store would refuse it as well, in the section, and count that.
    @Test(arguments: ["", #","at":{".sv":"timestamp"}"#])
    func `What does not fit a record is refused before the section`(further: String) throws {
        var store = SimulatedServer.smallStore
        store.log.recordBytesMax = 10_000
        let bench = try Bench(store: store)
        let tree = bench.server.store.tree(self.tree.name)
        for (length, isTaken) in [(9_000, true), (10_001, false)] {
            let text = "{\"x\":\"\(String(repeating: "x", count: length))\"\(further)}"
            let answer = Answer<TreeOutcome>()
            let order = TreeOrder([try self.set(text, at: "/a")], to: tree)
            bench.transactions.commitTree(order, reply: answer.reply(on: bench.mailbox))
            bench.settle()
            #expect(answer.isSuccess == isTaken && (isTaken || answer.error == .commitTooLarge))
        }
        #expect(bench.server.store.statistics.refusals.allSatisfy { $0.count == 0 })
    }

    /// Few nodes may be many bytes.
    @Test func `A long string that changed after it was hashed is not hashed in the section`() throws {
        func string(_ length: Int) -> String { "\"\(String(repeating: "x", count: length))\"" }
        for (length, isSmall) in [(1_000, true), (100_000, false)] {
            _ = try self.commit(self.set(string(length), at: "/a"))
            let before = self.bench.server.store.newestRoot(of: self.tree)
            _ = try self.commit(self.set(string(length + 1), at: "/a"))
            let now = self.bench.server.store.newestRoot(of: self.tree)
            let path = try TreePath("/a")
            let condition = TreeCondition(path: path, hash: now[path].hash)
            let order = TreeOrder([try self.set("true", at: "/done")], to: self.tree, onlyIf: condition)
            let old = condition.judgement(of: before)
            let answer = Answer<TreeOutcome>()
            let reply = answer.reply(on: self.bench.mailbox)
            let isDecided = self.bench.transactions.visit { section, visit in
                section.commit(order, old, isLast: true, reply, &visit)
            }
            self.bench.settle()
            #expect(isDecided)
            if case .committed = try answer.value { #expect(isSmall) } else { #expect(!isSmall) }
        }
    }

    @Test func `A log that fails before the record is durable leaves the outcome open`() throws {
        let disk = SimulatedDisk(seed: 1)
        let bench = try Bench(disk: disk)
        let tree = bench.server.store.tree(self.tree.name)
        func start() throws -> Answer<TreeOutcome> {
            let answer = Answer<TreeOutcome>()
            let order = TreeOrder([try self.set("1", at: "/a")], to: tree)
            bench.transactions.commitTree(order, reply: answer.reply(on: bench.mailbox))
            return answer
        }
        disk.faults.failedSyncs = 1_000
        let first = try start()
        bench.settle()
        let second = try start()
        bench.settle()
        #expect(first.error?.code == .dataLoss)
        #expect(second.error?.code == .unavailable && bench.server.store.root(of: tree).root.isAbsent)
    }

    /// Runs what is posted at once, on the poster's thread.
    private final class Inline: Mailbox {
        func post(_ work: @escaping @Sendable () -> Void) { work() }
    }

    @Test(.timeLimit(.minutes(10)))
    func `Counts by condition from eight tasks all count, beside commits to documents`() async throws {
        let (bench, tree) = (self.bench, self.tree)
        bench.server.store.start()
        let path = try TreePath("/count")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for _ in 0..<25 {
                        if task == 7 {
                            _ = bench.commit(nil, try bench.increment("c/a", by: 1))
                            continue
                        }
                        var node = bench.server.store.root(of: tree).root[path]
                        var isDone = false
                        while !isDone {
                            var count: Int64 = 0
                            if case .integer(let number)? = node.scalar { count = number }
                            let write = try TreeWrite.set(
                                TreeTemplate(.leaf(.integer(count + 1))),
                                at: TreeLocation(path)
                            )
                            let order = TreeOrder([write], to: tree, onlyIf: TreeCondition(path: path, hash: node.hash))
                            let result: Result<TreeOutcome, TransactionError> = await withCheckedContinuation {
                                continuation in
                                bench.transactions.commitTree(
                                    order,
                                    reply: Reply(mailbox: Inline()) { continuation.resume(returning: $0) }
                                )
                            }
                            switch try result.get() {
                            case .committed: isDone = true
                            case .stale(let newer): node = newer
                            case .refused(let error): throw error
                            case .denied: throw Unexpected(outcome: .denied)
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        bench.server.store.stop()
        #expect(bench.server.store.root(of: tree).root[path].scalar == .integer(175))
    }
}
