import BrasaPlatform
import BrasaSimulation
import BrasaStore
import BrasaTree
import BrasaTreeEngine
import BrasaTreeJudging
import BrasaTreeRules
import BrasaTreeWatch
import Testing

@testable import BrasaTransactions

/// What it takes to judge what sessions leave.
@Suite struct PartingTests {
    /// Places that are left by one session, of which the first is denied at the end.
    private func endOfTen(bounds: (_ unit: Int) -> Int) throws -> String {
        let rules = try TreeRules(
            parsing: Array(#"{"rules":{"online":{"$k":{".write":"!root.child('frozen').child($k).exists()"}}}}"#.utf8)
        )
        let life = try Life(on: SimulatedDisk(seed: 1))
        life.rules.install(rules)
        let session = try life.open(as: "ada")
        for number in 0..<10 { try life.leave("1", at: "/online/k\(number)", by: session) }
        life.server.settle()
        let administrator = try life.open()
        administrator.write(try set("true", at: "/frozen/k0")) { _ in }
        life.server.settle()

        let next = try life.crash()
        next.rules.install(rules)
        var limits = TreePartingBounds()
        limits.partingWorkMax = bounds(try self.unit(of: rules))
        let partings = TreePartings(
            store: next.server.store,
            transactions: next.server.transactions,
            rules: next.rules,
            mailbox: next.server.scheduler.mailbox(),
            bounds: limits
        )
        let ended = Answers()
        partings.endSessionsOfBefore { ended.isDone = true }
        next.server.settle()
        #expect(ended.isDone && next.server.store.treeWillCount == 0)
        let online = next.server.store.root(of: try next.tree).root[try TreePath("/online")]
        return online.children.map { key, _ in key.text.string }.joined(separator: " ")
    }

    /// What one of their decisions takes.
    private func unit(of rules: TreeRules) throws -> Int {
        let book = TreeRuleBook()
        book.install(rules)
        let purse = WorkPurse(unitsMax: 1)
        let change = TreeChange(
            path: try TreePath("/online/k1"),
            isUpdate: false,
            placements: [.init(location: try TreeLocation("/online/k1"), node: .leaf(.integer(1)))]
        )
        let tree = try #require(TreeNamespace("one"))
        let root = try TreeTemplate(parsing: Array(#"{"frozen":{"k0":true}}"#.utf8)).node
        let caller = TreeCaller.client(.null)
        _ = book.allowed(change, to: tree, from: root, by: caller, milliseconds: 0, paying: purse)
        return purse.spent
    }

    @Test func `What finding out what is possible has cost is not missing when the rest is judged`() throws {
        let written = try self.endOfTen { unit in unit * 15 }
        #expect(written == "k1 k2 k3 k4 k5 k6 k7 k8 k9")
    }

    @Test func `Of what costs too much to judge the first writes are written`() throws {
        let written = try self.endOfTen { unit in unit * 9 / 2 }
        #expect(written == "k1 k2 k3 k4")
    }

    @Test func `A judge that is asked again has as much for it as the first time, but not for ever`() throws {
        let server = try SimulatedServer()
        let rules = TreeRuleBook()
        rules.install(.open)
        let tree = server.store.tree(try #require(TreeNamespace("one")))
        func verdict(of count: Int, _ judge: TreeJudge) throws -> Bool {
            let order = TreeOrder(try (0..<count).map { try set("1", at: "/k\($0)") }, to: tree, allowedBy: judge)
            if case .allowed = TreeRuling(of: order, by: judge, in: server.store).verdict { return true }
            return false
        }
        let purse = WorkPurse(unitsMax: 1)
        let judge = try #require(rules.judge(of: tree.name, for: .client(.null), paying: purse))
        for _ in 0..<2 { #expect(try verdict(of: 1, judge) && !purse.wasShort) }
        let spent = purse.spent
        #expect(try !verdict(of: 1, judge) && purse.wasShort && purse.spent == spent)
    }

    @Test func `A judge that had not enough says so, and has as much once more`() throws {
        let server = try SimulatedServer()
        let rules = TreeRuleBook()
        rules.install(.open)
        let tree = server.store.tree(try #require(TreeNamespace("one")))
        let purse = WorkPurse(unitsMax: 1)
        let judge = try #require(rules.judge(of: tree.name, for: .client(.null), paying: purse))
        for count in [2, 1] {
            let order = TreeOrder(try (0..<count).map { try set("1", at: "/k\($0)") }, to: tree, allowedBy: judge)
            let verdict = TreeRuling(of: order, by: judge, in: server.store).verdict
            if case .allowed = verdict { #expect(count == 1) } else { #expect(count == 2) }
            #expect(purse.wasShort == (count == 2))
        }
    }

    @Test func `Once what was set aside for it is spent, rules allow nothing more`() throws {
        let rules = TreeRuleBook()
        rules.install(.open)
        let purse = WorkPurse(unitsMax: 1)
        let tree = try #require(TreeNamespace("one"))
        let change = TreeChange(
            path: .root,
            isUpdate: false,
            placements: [.init(location: TreeLocation(.root), node: .leaf(.boolean(true)))]
        )
        func isAllowed() -> Bool {
            let caller = TreeCaller.client(.null)
            return rules.allowed(change, to: tree, from: .absent, by: caller, milliseconds: 0, paying: purse) != nil
        }
        #expect(isAllowed() && purse.spent > 0 && !isAllowed())
    }
}
