import BrasaDocuments
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaWatch

/// A slow listener costs its own freshness, never the server's memory.
@Suite struct SlowStreamTests {
    private func listener(_ world: WatchWorld, _ targets: [TestTarget]) -> TestListener {
        let listener = TestListener(world)
        listener.keepsLog = true
        listener.connect()
        for (index, target) in targets.enumerated() { listener.add(Int32(index + 1), target) }
        world.settle()
        _ = listener.takeLog()
        return listener
    }

    @Test func `a stream that was slow gets the newest state once`() throws {
        let world = try WatchWorld()
        let slow = self.listener(world, [try target("c"), .documents([try path("c/a")])])
        let fast = self.listener(world, [try target("c")])
        slow.credit = 0
        for value in 1...50 as ClosedRange<Int64> { try world.commit([("c/a", value), ("c/b", value)]) }
        try world.commit([("c/b", nil)])
        world.settle()
        #expect(slow.takeLog() == [])
        #expect(fast.takeLog().filter { $0 == "snapshot" }.count == 51)
        slow.grant(.max)
        world.settle()
        #expect(slow.takeLog() == ["change c/a [1]", "change c/a [2]", "snapshot"])
        try world.commit("c/a", 51)
        world.settle()
        #expect(slow.takeLog() == ["change c/a [2, 1]", "snapshot"])
        #expect(slow.failures.isEmpty && fast.failures.isEmpty)
        #expect(world.watcher.counters.current.snapshotsCoalesced == 1)
    }

    @Test func `a stream is brought up to date in pieces while others go on`() throws {
        let world = try WatchWorld()
        try world.commit((0..<300).map { ("c/\($0)", 1) })
        let slow = self.listener(world, [try target("c")])
        slow.credit = 0
        try world.commit((0..<300).map { ("c/\($0)", 2) })
        world.settle()
        var rounds = 0
        while slow.targets[1]?.pending.values.contains(where: { $0.updateTime != world.store.appliedTime }) == true,
            rounds < 100
        {
            rounds += 1
            slow.grant(10)
            world.settle()
            try world.commit("d/\(rounds)", 1)
            world.settle()
            if rounds % 7 == 0 { try world.commit("c/\(rounds)", Int64(rounds)) }
        }
        slow.grant(.max)
        world.settle()
        #expect(slow.failures.isEmpty)
        #expect(slow.targets[1]?.documents == slow.targets[1]?.target.documents(in: world.state(at: .latest)))
    }

    @Test func `what a stalled stream has to be told is not kept in memory`() throws {
        let world = try WatchWorld()
        let slow = self.listener(world, [try target("c")])
        slow.credit = 0
        try world.commit("c/a", 0)
        world.settle()
        let queued = world.watcher.values.eventsSent
        for value in 1...1_000 as ClosedRange<Int64> { try world.commit("c/a", value) }
        world.settle()
        #expect(world.watcher.values.eventsSent == queued)
        #expect(world.watcher.work.isEmpty)
        #expect(world.store.statistics.snapshotPins <= 2)
    }

    @Test func `a stream that stalls for too long keeps no versions, and begins again when they are gone`() throws {
        let world = try WatchWorld { $0.history = .seconds(10) }
        try world.commit([("c/a", 1), ("c/b", 1)])
        let slow = self.listener(world, [try target("c")])
        slow.credit = 0
        try world.commit("c/a", 2)
        world.settle()
        #expect(world.store.statistics.snapshotPins == 2)
        world.clock.advance(microseconds: 61_000_000)
        world.watcher.tick()
        world.settle()
        #expect(world.store.statistics.snapshotPins == 1)
        try world.commit("c/a", 3)
        world.settle()
        while world.store.maintain() {}
        slow.grant(.max)
        world.settle()
        #expect(slow.takeLog() == ["reset [1]", "change c/a [1]", "change c/b [1]", "current [1]", "snapshot"])
        #expect(slow.failures.isEmpty)
    }

    @Test func `a stream that gives up what it was on the way to misses nothing of what it had`() throws {
        let world = try WatchWorld()
        try world.commit([("c/a", 1), ("d/a", 1)])
        let slow = self.listener(world, [try target("c")])
        // Its second target has been told everything, but is not current, when the stream stalls.
        slow.credit = 2
        slow.add(2, try target("d"))
        world.settle()
        #expect(slow.takeLog() == ["add 2", "change d/a [2]"])
        world.clock.advance(microseconds: 61_000_000)
        world.watcher.tick()
        world.settle()
        try world.commit("c/a", 2)
        world.settle()
        slow.grant(.max)
        world.settle()
        #expect(slow.takeLog() == ["change c/a [1]", "current [2]", "snapshot"])
        #expect(slow.failures.isEmpty)
    }

    @Test func `a new target of a stream that never keeps up begins all the same`() throws {
        let world = try WatchWorld()
        try world.commit([("c/a", 0), ("d/a", 0), ("d/b", 0)])
        let slow = self.listener(world, [try target("c")])
        slow.credit = 0
        try world.commit("c/a", 1)
        world.settle()
        slow.add(2, try target("d"))
        for value in 2..<12 as Range<Int64> {
            // Before what it takes is all of its round, there is more.
            slow.grant(1)
            _ = world.scheduler.runOne()
            try world.commit("c/a", value)
            world.settle()
        }
        #expect(slow.targets[2]?.pending.count == 2)
        slow.grant(.max)
        world.settle()
        #expect(slow.failures.isEmpty)
        #expect(slow.targets[2]?.isCurrent == true)
    }

    @Test func `a stream that takes little keeps versions for long, but not for ever`() throws {
        let world = try WatchWorld { $0.history = .seconds(10) }
        try world.commit((0..<100).map { ("c/\($0)", 0) })
        let slow = self.listener(world, [])
        slow.credit = 3
        slow.add(1, try target("c"))
        for value in 0..<13 as Range<Int64> {
            world.settle()
            #expect((world.store.statistics.snapshotPins > 1) == (value < 12))
            world.clock.advance(microseconds: 50_000_000)
            slow.grant(3)
            world.settle()
            world.watcher.tick()
        }
        slow.grant(.max)
        world.settle()
        #expect(slow.failures.isEmpty)
        #expect(slow.targets[1]?.isCurrent == true)
    }

    @Test func `a watcher whose own versions are gone resets a stream once, and goes on before it tells more`() throws {
        var configuration = WatchConfiguration()
        configuration.turnChangesMax = 1
        let world = try WatchWorld(watch: configuration) {
            $0.historyBytesMax = 0
            $0.historyMin = .zero
        }
        try world.commit("c/a", 1)
        let slow = self.listener(world, [try target("c")])
        slow.credit = 0
        try world.commit("c/a", 2)
        world.settle()
        for value in 0..<2_000 as Range<Int64> { try world.commit("d/a", value) }
        while world.store.step() {}
        while world.store.maintain() {}
        // The watcher comes to commits one by one that history has lost already.
        slow.grant(1_000)
        for _ in 0..<2 {
            _ = world.scheduler.runOne()
            #expect(world.watcher.position < world.store.oldestReadTime(in: world.database))
        }
        world.settle()
        #expect(slow.takeLog() == ["reset [1]", "change c/a [1]", "current [1]", "snapshot"])
        #expect(slow.failures.isEmpty)
    }

    @Test func `a step of which much is to be told is told stream by stream, whole to each`() throws {
        var configuration = WatchConfiguration()
        configuration.turnEventsMax = 100
        let world = try WatchWorld(watch: configuration)
        let listeners = try (0..<50).map { _ in self.listener(world, [try target("c"), try target("c", atLeast: 5)]) }
        try world.commit((0..<10).map { ("c/\($0)", Int64($0)) })
        while world.store.step() {}
        _ = world.scheduler.runOne()
        let told = listeners.count { $0.snapshots == 2 }
        #expect(told > 0 && told < 50)
        // What is asked meanwhile waits, and misses nothing.
        let other = TestListener(world)
        other.keepsLog = true
        other.connect()
        other.add(1, try target("c", atLeast: 9))
        listeners[49].remove(2)
        listeners[48].disconnect()
        #expect(other.takeLog() == [])
        world.settle()
        #expect(other.takeLog() == ["add 1", "change c/9 [1]", "current [1]", "snapshot"])
        let changes = (0..<10).map { "change c/\($0) " + ($0 < 5 ? "[1]" : "[1, 2]") }
        for listener in listeners.prefix(48) { #expect(listener.takeLog() == changes + ["snapshot"]) }
        #expect(listeners[49].takeLog() == changes + ["snapshot", "remove 2"])
        #expect(listeners.allSatisfy(\.failures.isEmpty) && other.failures.isEmpty)
        #expect(!world.watcher.isInLargeStep)
    }

    @Test func `a watcher that is behind takes several commits as one`() throws {
        var configuration = WatchConfiguration()
        configuration.turnEventsMax = 4
        let world = try WatchWorld(watch: configuration)
        let listeners = try (0..<4).map { _ in self.listener(world, [try target("c")]) }
        for value in 1...100 as ClosedRange<Int64> { try world.commit("c/a", value) }
        world.settle()
        for listener in listeners {
            #expect(listener.failures.isEmpty)
            #expect(listener.takeLog() == ["change c/a [1]", "snapshot", "change c/a [1]", "snapshot"])
        }
    }

    @Test func `more changes than are remembered lose no state`() throws {
        let world = try WatchWorld { $0.recentChangesMax = 8 }
        let listener = self.listener(world, [try target("c"), try target("c", limit: 3)])
        for value in 1...50 as ClosedRange<Int64> { try world.commit("c/\(value % 20)", value) }
        world.settle()
        #expect(listener.failures.isEmpty)
        let last = world.state(at: .latest)
        for target in listener.targets.values { #expect(target.documents == target.target.documents(in: last)) }
    }

    @Test func `a window that does not fit ends its target and no other`() throws {
        var configuration = WatchConfiguration()
        configuration.windowBytesMax = 1_000
        let world = try WatchWorld(watch: configuration)
        try world.commit((0..<5).map { ("c/\($0)", Int64($0)) })
        let listener = self.listener(world, [try target("c", limit: 1_000), try target("c")])
        #expect(listener.targets.count == 2)
        try world.commit((0..<50).map { ("c/\($0)", 7) })
        world.settle()
        #expect(listener.removals.map(\.id) == [1])
        guard case .windowTooLarge = listener.removals.first?.cause else {
            Issue.record("the cause is \(String(describing: listener.removals.first?.cause))")
            return
        }
        #expect(listener.targets[2]?.documents.count == 50)
        #expect(world.watcher.memory.windowBytes == 0)
        listener.add(3, try target("c", limit: 1_000))
        world.settle()
        #expect(listener.removals.map(\.id) == [1, 3])
        #expect(listener.failures.isEmpty)
    }

    @Test func `targets are bounded per stream and per watcher`() throws {
        var configuration = WatchConfiguration()
        configuration.streamTargetsMax = 2
        configuration.targetsMax = 3
        let world = try WatchWorld(watch: configuration)
        let first = self.listener(world, [try target("a"), try target("b"), try target("c")])
        let second = self.listener(world, [try target("a"), try target("b")])
        #expect(first.removals.map(\.id) == [3])
        #expect(second.removals.map(\.id) == [2])
        first.remove(1)
        second.add(4, try target("b"))
        world.settle()
        #expect(second.targets.keys.sorted() == [1, 4])
    }
}
