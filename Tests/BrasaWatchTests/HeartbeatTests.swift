import BrasaDocuments
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaWatch

/// Idle streams are told the time, all of them, and a few at a time: commits wait for the turn.
@Suite struct HeartbeatTests {
    private func listeners(_ world: WatchWorld, _ count: Int) throws -> [TestListener] {
        let listeners = (0..<count).map { _ in TestListener(world) }
        for listener in listeners {
            listener.keepsLog = true
            listener.connect()
            listener.add(1, try target("c"))
        }
        world.settle()
        for listener in listeners { _ = listener.takeLog() }
        return listeners
    }

    /// Runs turn by turn until nothing moves; how many were told the time in each.
    private func turns(_ world: WatchWorld, _ listeners: [TestListener]) -> [Int] {
        var told: [Int] = []
        while world.scheduler.runOne() { told.append(listeners.count { $0.takeLog() == ["snapshot"] }) }
        return told
    }

    @Test func `so many streams are told the time in a turn, and not more`() throws {
        var watch = WatchConfiguration()
        watch.turnBeatsMax = 64
        let world = try WatchWorld(watch: watch)
        let listeners = try self.listeners(world, 200)
        world.clock.advance(microseconds: 31_000_000)
        world.watcher.tick()
        #expect(self.turns(world, listeners) == [64, 64, 64, 8])
        // Who was told lately is not told again.
        world.watcher.tick()
        #expect(self.turns(world, listeners) == [0])
    }

    @Test func `so many streams are looked at in a turn, and not more`() throws {
        var watch = WatchConfiguration()
        watch.turnTicksMax = 64
        let world = try WatchWorld(watch: watch)
        let listeners = try self.listeners(world, 200)
        world.clock.advance(microseconds: 31_000_000)
        world.watcher.tick()
        #expect(self.turns(world, listeners) == [64, 64, 64, 8])
    }

    @Test func `who stays is told however many come and go meanwhile, and ticks do not begin anew`() throws {
        var watch = WatchConfiguration()
        watch.turnBeatsMax = 10
        let world = try WatchWorld(watch: watch)
        var listeners = try self.listeners(world, 100)
        world.clock.advance(microseconds: 31_000_000)
        var told: Set<Int> = []
        world.watcher.tick()
        for turn in 0..<10 {
            #expect(world.scheduler.runOne())
            for index in listeners.indices where listeners[index].takeLog() == ["snapshot"] { told.insert(index) }
            // Streams that were told, that were not, and that come just now.
            listeners[turn].disconnect()
            listeners[99 - turn].disconnect()
            let new = TestListener(world)
            new.connect()
            listeners.append(new)
            world.watcher.tick()
        }
        while world.scheduler.runOne() {
            for index in listeners.indices where listeners[index].takeLog() == ["snapshot"] { told.insert(index) }
        }
        #expect(told.isSuperset(of: 10..<90))
    }
}
