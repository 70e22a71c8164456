import BrasaDocuments
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaWatch

/// Windows so large that filling them takes several turns, while commits go on.
@Suite struct FillingTests {
    @Test func `a window that is filled while documents change is right when it is shown`() throws {
        var configuration = WatchConfiguration()
        configuration.turnReadsMax = 1
        let world = try WatchWorld(watch: configuration)
        try world.commit((0..<1_500).map { ("c/\($0)", Int64($0)) })
        world.settle()
        let listener = TestListener(world)
        listener.connect()
        listener.add(1, try target("c", limit: 1_000))
        for number in 0..<12 as Range<Int64> {
            try world.commit([
                ("c/\(number * 90)", nil), ("c/\(number * 60 + 1)", 5_000), ("c/x\(number)", number * 80),
            ])
            while world.store.step() {}
            _ = world.scheduler.runOne()
        }
        #expect(listener.targets[1]?.isCurrent == false)
        world.settle()
        try self.check(listener, world)
    }

    @Test func `streams wait while a window is filled again, and miss nothing`() throws {
        var configuration = WatchConfiguration()
        configuration.turnReadsMax = 64
        let world = try WatchWorld(watch: configuration)
        try world.commit((0..<2_200).map { ("c/\($0)", Int64($0)) })
        world.settle()
        let listener = TestListener(world)
        listener.connect()
        listener.add(1, try target("c", limit: 1_200))
        listener.add(2, .documents([try path("c/2199")]))
        world.settle()
        for start in [0, 400] {
            try world.commit((start..<(start + 400)).map { ("c/\($0)", nil) })
            while world.store.step() {}
            _ = world.scheduler.runOne()
            #expect(!world.watcher.fillings.isEmpty)
            for number in 0..<4 {
                _ = world.scheduler.runOne()
                let value = Int64(start + number)
                try world.commit([("c/2199", value), ("c/\(start + 399 + number)", nil), ("c/y\(value)", value)])
                while world.store.step() {}
            }
        }
        world.settle()
        try self.check(listener, world)
    }

    private func turn(_ world: WatchWorld) {
        while world.store.step() {}
        _ = world.scheduler.runOne()
    }

    @Test func `streams are told while windows are filled`() throws {
        var configuration = WatchConfiguration()
        configuration.turnReadsMax = 256
        let world = try WatchWorld(watch: configuration)
        try world.commit((0..<1_500).map { ("c/\($0)", Int64($0)) })
        try world.commit((0..<300).map { ("d/\($0)", Int64($0)) })
        world.settle()
        let greedy = TestListener(world)
        greedy.connect()
        for offset in 1...16 as ClosedRange<Int32> { greedy.add(offset, try target("c", offset: offset)) }
        self.turn(world)
        let other = TestListener(world)
        other.connect()
        other.add(1, try target("d"))
        for _ in 0..<20 { self.turn(world) }
        #expect(!world.watcher.fillings.isEmpty)
        #expect(other.targets[1]?.isCurrent == true)
        world.settle()
        #expect(greedy.failures.isEmpty && other.failures.isEmpty)
        #expect(greedy.targets.values.allSatisfy { $0.isCurrent })
    }

    @Test func `a stream that waits for a window hears that it is alive`() throws {
        var configuration = WatchConfiguration()
        configuration.turnReadsMax = 1
        let world = try WatchWorld(watch: configuration)
        try world.commit((0..<1_500).map { ("c/\($0)", Int64($0)) })
        world.settle()
        let listener = TestListener(world)
        listener.keepsLog = true
        listener.connect()
        listener.add(1, try target("c", offset: 1))
        self.turn(world)
        _ = listener.takeLog()
        for _ in 0..<2 {
            world.clock.advance(microseconds: 31_000_000)
            world.watcher.tick()
            self.turn(world)
            world.watcher.tick()
            self.turn(world)
            #expect(listener.takeLog() == ["alive [1]"])
        }
        world.settle()
        #expect(listener.failures.isEmpty)
        #expect(listener.targets[1]?.isCurrent == true)
    }

    @Test func `a window that changes faster than it is filled is given up`() throws {
        var configuration = WatchConfiguration()
        configuration.turnReadsMax = 1
        configuration.fillingChangesMax = 4
        configuration.fillingRestartsMax = 3
        let world = try WatchWorld(watch: configuration)
        try world.commit((0..<600).map { ("c/\($0)", Int64($0)) })
        world.settle()
        let listener = TestListener(world)
        listener.connect()
        listener.add(1, try target("c", limit: 500))
        for round in 0..<100 as Range<Int64> where listener.removals.isEmpty {
            try world.commit((0..<6).map { ("c/\($0)", 1_000 + round) })
            self.turn(world)
        }
        guard case .windowTooBusy = listener.removals.first?.cause else {
            Issue.record("the cause is \(String(describing: listener.removals.first?.cause))")
            return
        }
        #expect(world.watcher.memory.windowBytes == 0)
        listener.add(2, try target("c", limit: 500))
        world.settle()
        #expect(listener.targets[2]?.isCurrent == true)
        #expect(listener.failures.isEmpty)
    }

    private func check(_ listener: TestListener, _ world: WatchWorld) throws {
        #expect(listener.failures.isEmpty)
        let last = world.state(at: .latest)
        for target in listener.targets.values {
            #expect(target.isCurrent)
            #expect(target.documents == target.target.documents(in: last))
        }
        let window = try #require(listener.stream?.targets.first?.view.window)
        #expect(window.bytes == world.watcher.memory.windowBytes)
    }
}
