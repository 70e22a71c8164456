import BrasaDocuments
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaWatch

/// What targets select takes memory too, and is bounded.
@Suite struct SelectionBoundsTests {
    private func names(_ count: Int, length: Int = 10) throws -> TestTarget {
        let long = String(repeating: "x", count: length)
        return .documents(try (0..<count).map { try path("c/\(long)\($0)") })
    }

    private func listener(_ world: WatchWorld) -> TestListener {
        let listener = TestListener(world)
        listener.connect()
        return listener
    }

    @Test func `a target may not name more documents than is allowed`() throws {
        let world = try WatchWorld()
        let listener = self.listener(world)
        listener.add(1, try self.names(1_000))
        listener.add(2, try self.names(1_001))
        world.settle()
        #expect(listener.removals.map(\.id) == [2])
        guard case .tooManyDocuments(max: 1_000) = listener.removals.first?.cause else {
            Issue.record("the cause is \(String(describing: listener.removals.first?.cause))")
            return
        }
        #expect(listener.targets[1]?.isCurrent == true)
        #expect(listener.failures.isEmpty)
    }

    @Test func `what a stream's targets select is bounded together, and given back`() throws {
        let world = try WatchWorld()
        let listener = self.listener(world)
        for id in 1...10 as ClosedRange<Int32> { listener.add(id, try self.names(1_000 - Int(id), length: 700)) }
        world.settle()
        #expect(listener.removals.map(\.id) == [5, 6, 7, 8, 9, 10])
        #expect(world.watcher.memory.selectionBytes <= world.watcher.configuration.streamSelectionBytesMax)
        listener.remove(1)
        world.settle()
        listener.add(11, try self.names(900, length: 700))
        world.settle()
        #expect(listener.targets.keys.sorted() == [2, 3, 4, 11])
        listener.disconnect()
        #expect(world.watcher.memory.selectionBytes == 0)
        #expect(listener.failures.isEmpty)
    }

    @Test func `what all views select is bounded, equal ones once`() throws {
        var configuration = WatchConfiguration()
        configuration.selectionBytesMax = 80_000
        let world = try WatchWorld(watch: configuration)
        let listeners = (0..<10).map { _ in self.listener(world) }
        for listener in listeners { listener.add(1, try self.names(200)) }
        world.settle()
        #expect(listeners.allSatisfy { $0.targets[1]?.isCurrent == true })
        listeners[0].add(2, try self.names(100))
        listeners[1].add(2, try self.names(150))
        world.settle()
        #expect(listeners[0].removals.isEmpty)
        #expect(listeners[1].removals.map(\.id) == [2])
        guard case .selectionTooLarge = listeners[1].removals.first?.cause else {
            Issue.record("the cause is \(String(describing: listeners[1].removals.first?.cause))")
            return
        }
        for listener in listeners { listener.disconnect() }
        #expect(world.watcher.memory.selectionBytes == 0)
    }
}
