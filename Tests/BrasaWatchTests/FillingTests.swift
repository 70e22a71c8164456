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

    private func check(_ listener: TestListener, _ world: WatchWorld) throws {
        #expect(listener.failures.isEmpty)
        let last = world.state(at: .latest)
        for target in listener.targets.values {
            #expect(target.isCurrent)
            #expect(target.documents == target.target.documents(in: last))
        }
        let window = try #require(listener.stream?.targets.first?.view.window)
        #expect(window.bytes == world.watcher.windowBytes)
    }
}
