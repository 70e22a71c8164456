import BrasaDocuments
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaWatch

/// Commits that a sink takes only a part of.
@Suite struct CutShortStepTests {
    private func listener(_ world: WatchWorld, _ targets: [TestTarget]) -> TestListener {
        let listener = TestListener(world)
        listener.keepsLog = true
        listener.connect()
        for (index, target) in targets.enumerated() { listener.add(Int32(index + 1), target) }
        world.settle()
        _ = listener.takeLog()
        return listener
    }

    @Test func `a sink is sent no more of a commit than it takes, and the rest when it takes more`() throws {
        let world = try WatchWorld()
        try world.commit((0..<10).map { ("c/\($0)", 0) })
        let listener = self.listener(world, [try target("c"), try target("c", limit: 3)])
        listener.credit = 4
        try world.commit((0..<20).map { ("c/\($0)", 1) })
        world.settle()
        let first = listener.takeLog()
        #expect(first.count == 4)
        #expect(!first.contains("snapshot"))
        listener.grant(.max)
        world.settle()
        let rest = listener.takeLog()
        #expect(rest.filter { $0 == "snapshot" }.count == 1 && rest.last == "snapshot")
        #expect(!rest.contains { $0.hasPrefix("reset") })
        try world.commit("c/0", 2)
        world.settle()
        #expect(listener.takeLog().last == "snapshot")
        #expect(listener.failures.isEmpty)
    }

    /// What was told may be gone, or back to what it was, in every later state: only the step's own tells.
    @Test(arguments: [nil, 2] as [Int32?])
    func `what was told of a commit is completed before anything later is told`(limit: Int32?) throws {
        let world = try WatchWorld()
        try world.commit([("c/z", 9)])
        let listener = self.listener(world, [try target("c", limit: limit), try target("d")])
        listener.credit = 2
        try world.commit([("c/a", 1), ("c/b", 1), ("c/c", 1), ("d/a", 1)])
        world.settle()
        #expect(listener.takeLog().count == 2)
        try world.commit([("c/a", nil), ("c/b", nil), ("c/c", nil), ("d/a", nil)])
        world.settle()
        for _ in 0..<20 {
            listener.grant(1)
            world.settle()
        }
        listener.grant(.max)
        world.settle()
        #expect(listener.failures.isEmpty)
        let last = world.state(at: .latest)
        for target in listener.targets.values { #expect(target.documents == target.target.documents(in: last)) }
        #expect(!listener.takeLog().contains { $0.hasPrefix("reset") })
    }

    @Test func `a sink that stays full in the middle of a commit begins again when its patience ends`() throws {
        let world = try WatchWorld { $0.history = .seconds(10) }
        let listener = self.listener(world, [try target("c")])
        listener.credit = 2
        try world.commit([("c/a", 1), ("c/b", 1), ("c/c", 1)])
        world.settle()
        #expect(listener.takeLog() == ["change c/a [1]", "change c/b [1]"])
        try world.commit("c/a", nil)
        world.clock.advance(microseconds: 61_000_000)
        world.watcher.tick()
        world.settle()
        #expect(world.store.statistics.snapshotPins == 1)
        listener.grant(.max)
        world.settle()
        #expect(
            listener.takeLog() == ["reset [1]", "change c/b [1]", "change c/c [1]", "current [1]", "snapshot"]
        )
        #expect(listener.failures.isEmpty)
    }
}
