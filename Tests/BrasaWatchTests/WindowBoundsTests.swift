import BrasaDocuments
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaWatch

/// What windows take is bounded, however many there are and however far each one is.
@Suite struct WindowBoundsTests {
    /// What a view's window takes, and what was gathered to fill it.
    private func bytes(_ view: View) -> Int {
        guard case .running(let filling) = view.filling else { return view.window?.bytes ?? 0 }
        return (view.window?.bytes ?? 0) + filling.bytes
    }

    private func bytes(_ listener: TestListener) -> Int {
        listener.stream?.targets.reduce(0) { $0 + self.bytes($1.view) } ?? 0
    }

    private func isRunning(_ target: WatchTarget) -> Bool {
        if case .running = target.view.filling { true } else { false }
    }

    @Test func `windows that are being filled take no more together than windows may`() throws {
        var configuration = WatchConfiguration()
        configuration.windowBytesMax = 200_000
        configuration.fillingsMax = 4
        configuration.turnReadsMax = 256
        let world = try WatchWorld(watch: configuration)
        try world.commit((0..<1_000).map { ("c/\($0)", Int64($0)) })
        world.settle()
        let listener = TestListener(world)
        listener.connect()
        for offset in 1...20 as ClosedRange<Int32> { listener.add(offset, try target("c", offset: offset)) }
        // A piece of a filling, and the room that its array has to grow.
        let slack = 256 * 128
        while world.scheduler.runOne() {
            let held = self.bytes(listener)
            #expect(held <= configuration.windowBytesMax + slack)
            #expect(held == world.watcher.memory.windowBytes)
            #expect(listener.stream?.targets.count(where: self.isRunning) ?? 0 <= 4)
        }
        let refused = listener.removals.count
        #expect(refused > 0 && refused < 20)
        for removal in listener.removals {
            guard case .windowTooLarge = removal.cause else {
                Issue.record("the cause is \(String(describing: removal.cause))")
                continue
            }
        }
        for target in listener.targets.values { #expect(target.isCurrent) }
        listener.disconnect()
        #expect(world.watcher.memory.windowBytes == 0)
        #expect(listener.failures.isEmpty)
    }

    @Test func `names kept while a window is filled count as well`() throws {
        var configuration = WatchConfiguration()
        configuration.turnReadsMax = 1
        let world = try WatchWorld(watch: configuration)
        try world.commit((0..<600).map { ("c/\($0)", Int64($0)) })
        world.settle()
        let listener = TestListener(world)
        listener.connect()
        listener.add(1, try target("c", limit: 500))
        _ = world.scheduler.runOne()
        let before = world.watcher.memory.windowBytes
        let long = String(repeating: "x", count: 1_000)
        try world.commit((0..<50).map { ("c/\(long)\($0)", 1) })
        while world.store.step() {}
        _ = world.scheduler.runOne()
        #expect(world.watcher.memory.windowBytes > before + 50_000)
        world.settle()
        #expect(world.watcher.memory.windowBytes < before + 500 * 1_200)
        #expect(listener.targets[1]?.isCurrent == true)
        #expect(listener.failures.isEmpty)
    }

    @Test func `large windows leave room for small ones`() throws {
        var configuration = WatchConfiguration()
        configuration.windowBytesMax = 100_000
        configuration.smallWindowBytesMax = 2_000
        let world = try WatchWorld(watch: configuration)
        try world.commit((0..<100).map { ("c/\(100 + $0)", 1) })
        world.settle()
        let greedy = TestListener(world)
        greedy.connect()
        for offset in 1...20 as ClosedRange<Int32> { greedy.add(offset, try target("c", offset: offset)) }
        world.settle()
        #expect(greedy.removals.count > 0 && greedy.targets.count > 0)
        let modest = TestListener(world)
        modest.connect()
        for offset in 1...10 as ClosedRange<Int32> { modest.add(offset, try target("d", limit: 10, offset: offset)) }
        world.settle()
        try world.commit((0..<10).map { ("d/\($0)", 1) })
        world.settle()
        #expect(modest.removals.isEmpty)
        #expect(modest.targets.count == 10)
        #expect(greedy.failures.isEmpty && modest.failures.isEmpty)
    }

    @Test func `one window has a bound of its own`() throws {
        var configuration = WatchConfiguration()
        configuration.viewWindowBytesMax = 5_000
        let world = try WatchWorld(watch: configuration)
        try world.commit((0..<40).map { ("c/\($0)", 1) })
        world.settle()
        let listener = TestListener(world)
        listener.connect()
        listener.add(1, try target("c", offset: 1))
        listener.add(2, try target("c", limit: 5))
        world.settle()
        #expect(listener.removals.isEmpty)
        try world.commit((40..<80).map { ("c/\($0)", 1) })
        world.settle()
        listener.add(3, try target("c", offset: 2))
        world.settle()
        #expect(listener.removals.map(\.id) == [1, 3])
        #expect(listener.failures.isEmpty)
    }

    @Test func `targets on their way share what their window showed`() throws {
        let world = try WatchWorld()
        try world.commit((0..<600).map { ("c/\(1_000 + $0)", Int64($0)) })
        world.settle()
        let listener = TestListener(world)
        listener.connect()
        for id in 1...30 as ClosedRange<Int32> { listener.add(id, try target("c", limit: 500)) }
        world.settle()
        listener.credit = 0
        try world.commit([("c/1001", 900), ("c/1002", 5)])
        world.settle()
        listener.grant(1)
        world.settle()
        guard case .round(let round)? = listener.stream?.course else {
            Issue.record("the stream is in no round")
            return
        }
        let shown = round.ways.compactMap { way in
            way.passage?.shown?.withUnsafeBufferPointer { $0.baseAddress }
        }
        #expect(shown.count == 30)
        #expect(Set(shown).count == 1)
        #expect(world.watcher.memory.shownBytes == listener.stream?.targets.first?.view.window?.bytes)
        try world.commit([("c/1003", nil), ("c/1004", 6)])
        world.settle()
        listener.grant(.max)
        world.settle()
        #expect(listener.failures.isEmpty)
        #expect(world.watcher.memory.shownBytes == 0)
        let last = world.state(at: .latest)
        for target in listener.targets.values { #expect(target.documents == target.target.documents(in: last)) }
    }

    /// Each stops in the middle of another state.
    @Test func `streams that stop on their way keep no more windows than is allowed`() throws {
        var configuration = WatchConfiguration()
        configuration.formerWindowBytesMax = 100_000
        let world = try WatchWorld(watch: configuration)
        try world.commit((0..<300).map { ("c/\(1_000 + $0)", Int64($0)) })
        world.settle()
        let listeners = (0..<20).map { _ in TestListener(world) }
        for (index, listener) in listeners.enumerated() {
            listener.connect()
            listener.credit = index % 3 == 0 ? 5 : .max
            listener.add(1, try target("c", limit: 200))
        }
        world.settle()
        let window = try #require(listeners[0].stream?.targets.first?.view.window)
        #expect(window.bytes > 20_000)
        var most = 0
        for (index, listener) in listeners.enumerated() {
            listener.credit = 0
            try world.commit([("c/\(1_000 + index)", nil), ("c/\(1_100 + index)", Int64(index)), ("c/x\(index)", 7)])
            world.settle()
            listener.grant(1)
            world.settle()
            most = max(most, world.watcher.memory.shownBytes)
        }
        #expect(most > 50_000 && most <= configuration.formerWindowBytesMax + window.bytes * 2)
        for listener in listeners { listener.grant(.max) }
        world.settle()
        let last = world.state(at: .latest)
        for listener in listeners {
            #expect(listener.failures.isEmpty)
            #expect(listener.targets[1]?.documents == listener.targets[1]?.target.documents(in: last))
        }
        #expect(world.watcher.memory.shownBytes == 0)
    }
}
