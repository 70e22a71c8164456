import BrasaDocuments
import BrasaLog
import BrasaSimulation
import BrasaStore
import Testing

@testable import BrasaWatch

@Suite struct ResumeTests {
    private func listener(_ world: WatchWorld) -> TestListener {
        let listener = TestListener(world)
        listener.keepsLog = true
        listener.connect()
        return listener
    }

    private func heard(_ listener: TestListener, _ world: WatchWorld) -> [String] {
        world.settle()
        #expect(listener.failures.isEmpty)
        return listener.takeLog()
    }

    @Test(arguments: [true, false])
    func `a resumed target hears what changed and nothing else`(isViewKept: Bool) throws {
        let world = try WatchWorld()
        try world.commit([("c/a", 1), ("c/b", 2), ("c/x", 9), ("c/y", 8)])
        let listener = self.listener(world)
        let other = self.listener(world)
        // While somebody else has the same target, the view itself knows what changed.
        if isViewKept { other.add(1, try target("c", atLeast: 2)) }
        listener.add(2, try target("c", atLeast: 2))
        #expect(self.heard(listener, world).count == 6)
        listener.disconnect()
        try world.commit([("c/a", 3), ("c/x", 0), ("d/z", 7)])
        try world.commit([("c/y", nil), ("c/w", 1)])
        try world.commit("c/w", nil)
        world.settle()
        listener.connect()
        listener.resume(2)
        let heard = self.heard(listener, world)
        #expect(heard.first == "add 2")
        #expect(heard.suffix(2) == ["current [2]", "snapshot"])
        #expect(Set(heard.dropFirst().dropLast(2)) == ["change c/a [2]", "change c/x [] -[2]", "delete c/y -[2]"])
        #expect(heard.count == 6)
    }

    @Test func `a resumed target of which nothing changed hears just that`() throws {
        let world = try WatchWorld()
        try world.commit([("c/a", 1), ("c/b", 2)])
        let listener = self.listener(world)
        for (id, target) in [
            (1, TestTarget.documents([try path("c/a"), try path("c/n")])), (2, try target("c")),
            (3, try target("c", limit: 1)),
        ] as [(Int32, TestTarget)] {
            listener.add(id, target)
        }
        _ = self.heard(listener, world)
        listener.disconnect()
        try world.commit("d/a", 1)
        listener.connect()
        for id in [1, 2, 3] as [Int32] { listener.resume(id) }
        let heard = self.heard(listener, world)
        #expect(!heard.contains { $0.hasPrefix("change") || $0.hasPrefix("delete") || $0.hasPrefix("reset") })
        #expect(heard.last == "snapshot")
    }

    @Test func `a window is resumed with those who came and went, whether they changed or not`() throws {
        let world = try WatchWorld()
        try world.commit([("c/a", 1), ("c/b", 2), ("c/c", 3), ("c/d", 4)])
        let listener = self.listener(world)
        listener.add(2, try target("c", limit: 2))
        _ = self.heard(listener, world)
        listener.disconnect()
        try world.commit("c/a", 9)
        world.settle()
        listener.connect()
        listener.resume(2)
        #expect(
            self.heard(listener, world) == ["add 2", "change c/a [] -[2]", "change c/c [2]", "current [2]", "snapshot"]
        )
    }

    @Test func `resuming works across a restart`() throws {
        let world = try WatchWorld()
        try world.commit([("c/a", 1), ("c/b", 2)])
        let listener = self.listener(world)
        listener.add(2, try target("c"))
        _ = self.heard(listener, world)
        listener.disconnect()
        try world.commit([("c/b", nil), ("c/e", 1)])
        world.settle()
        try world.restart()
        listener.connect()
        listener.resume(2)
        let heard = self.heard(listener, world)
        #expect(Set(heard) == ["add 2", "delete c/b -[2]", "change c/e [2]", "current [2]", "snapshot"])
    }

    @Test func `a token's commit that is lost makes it of no use, whatever came after`() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let world = try WatchWorld(seed: seed) { $0.log.durability = .os }
            try world.commit([("c/a", 1), ("c/b", 1)])
            world.settle()
            let listener = self.listener(world)
            listener.add(2, try target("c"))
            _ = self.heard(listener, world)
            try world.commit([("c/a", 2), ("c/x", 1), ("c/b", nil)])
            _ = self.heard(listener, world)
            listener.disconnect()
            let isLost = try world.restart(losingPower: true) != nil
            try world.commit("c/c", 1)
            world.clock.advance(microseconds: 60_000_000)
            world.settle()
            listener.connect()
            listener.resume(2)
            #expect(self.heard(listener, world).contains("reset [2]") == isLost)
            #expect(listener.targets[2]?.documents == (try target("c")).documents(in: world.state(at: .latest)))
        }
    }

    @Test(arguments: [false, true])
    func `commits of a clock that was set back are told`(hasCheckpoint: Bool) throws {
        let world = try WatchWorld()
        try world.commit([("c/a", 1), ("c/b", 2)])
        let listener = self.listener(world)
        listener.add(2, try target("c"))
        world.settle()
        world.clock.advance(microseconds: 40_000_000)
        world.watcher.tick()
        _ = self.heard(listener, world)
        listener.disconnect()
        if hasCheckpoint { try world.store.checkpoint() }
        world.clock.step(microseconds: -30_000_000)
        try world.restart()
        try world.commit([("c/b", nil), ("c/e", 1)])
        world.settle()
        listener.connect()
        listener.resume(2)
        let heard = self.heard(listener, world)
        #expect(Set(heard) == ["add 2", "delete c/b -[2]", "change c/e [2]", "current [2]", "snapshot"])
    }

    @Test func `tokens that are of no use start over with a reset`() throws {
        let world = try WatchWorld()
        try world.commit([("c/a", 1)])
        world.settle()
        let (store, life) = (world.store.creationTime, world.store.life)
        let (now, name) = (world.store.watermark, WatchWorld.databaseName)
        func token(
            _ time: Int64,
            _ name: DatabaseName = name,
            _ store: Timestamp = store,
            commit: Int64? = nil,
            life: UInt64 = life
        ) -> [UInt8] {
            let commit = commit.map { Timestamp(microseconds: $0) }
            let time = Timestamp(microseconds: time)
            return ResumeToken(time: time, commit: commit, life: life, database: name, store: store).bytes
        }
        // As they were made before they had a commit and a life.
        let version1 = [1] + token(now.microseconds)[1..<29]
        let other = try DatabaseName(project: "p", database: "other")
        let useless: [[UInt8]] = [
            [1], Array("forged".utf8), token(now.microseconds, other),
            token(now.microseconds, name, Timestamp(microseconds: store.microseconds - 1)),
            token(store.microseconds - 1), token(now.microseconds + 60_000_000), token(.max), token(.min),
            Array(token(now.microseconds).dropLast()), version1,
            token(now.microseconds, commit: now.microseconds - 1, life: life ^ 1),
            token(now.microseconds - 1, commit: now.microseconds, life: life ^ 1),
            token(now.microseconds, life: life ^ 1), token(.max, commit: .max, life: life ^ 1),
        ]
        for bytes in useless {
            let listener = self.listener(world)
            let request = TargetRequest(id: 2, selection: try target("c").selection, start: .token(bytes))
            try listener.stream?.add(request)
            world.settle()
            #expect(listener.takeLog() == ["add 2", "reset [2]", "change c/a [2]", "current [2]", "snapshot"])
        }
        let listener = self.listener(world)
        try listener.stream?.add(TargetRequest(id: 2, selection: try target("c").selection, start: .token([])))
        world.settle()
        #expect(listener.takeLog() == ["add 2", "change c/a [2]", "current [2]", "snapshot"])
    }

    @Test func `a read time is a start like a token's`() throws {
        let world = try WatchWorld()
        let first = try #require(try world.commit([("c/a", 1)]))
        try world.commit([("c/b", 1)])
        world.settle()
        let listener = self.listener(world)
        try listener.stream?.add(TargetRequest(id: 2, selection: try target("c").selection, start: .time(first)))
        world.settle()
        #expect(listener.takeLog() == ["add 2", "change c/b [2]", "current [2]", "snapshot"])
    }

    @Test func `a token goes on however old it is while nothing has changed`() throws {
        let world = try WatchWorld { $0.history = .seconds(10) }
        try world.commit([("c/a", 1)])
        let listener = self.listener(world)
        listener.add(2, try target("c"))
        _ = self.heard(listener, world)
        listener.disconnect()
        world.clock.advance(microseconds: 60_000_000)
        while world.store.maintain() {}
        try world.commit([("c/b", 2)])
        world.settle()
        listener.connect()
        listener.resume(2)
        #expect(self.heard(listener, world) == ["add 2", "change c/b [2]", "current [2]", "snapshot"])
    }

    @Test func `a token older than history starts over`() throws {
        let world = try WatchWorld { $0.history = .seconds(10) }
        try world.commit([("c/a", 1)])
        let listener = self.listener(world)
        listener.add(2, try target("c"))
        _ = self.heard(listener, world)
        listener.disconnect()
        try world.commit([("c/a", 2)])
        world.settle()
        world.clock.advance(microseconds: 60_000_000)
        while world.store.maintain() {}
        listener.connect()
        listener.resume(2)
        #expect(
            self.heard(listener, world) == ["add 2", "reset [2]", "change c/a [2]", "current [2]", "snapshot"]
        )
    }

    @Test(arguments: [false, true])
    func `a client whose count is wrong is told who belongs to the target`(isLimited: Bool) throws {
        let world = try WatchWorld()
        try world.commit([("c/a", 1), ("c/b", 2), ("c/c", 3)])
        let listener = self.listener(world)
        listener.add(2, try target("c", limit: isLimited ? 10 : nil))
        _ = self.heard(listener, world)
        let known = try #require(listener.targets[2])
        listener.disconnect()
        listener.connect()
        let request = TargetRequest(
            id: 2,
            selection: known.target.selection,
            start: .token(known.token),
            expectedCount: 5
        )
        try listener.stream?.add(request)
        #expect(self.heard(listener, world) == ["add 2", "filter 2 3", "current [2]", "snapshot"])
        listener.disconnect()
        listener.connect()
        listener.resume(2, isCounting: true)
        #expect(self.heard(listener, world) == ["add 2", "current [2]", "snapshot"])
    }

    @Test func `a wrong count is seen even when changes make it right`() throws {
        let world = try WatchWorld()
        try world.commit([("c/a", 1), ("c/b", 2), ("c/c", 3)])
        let listener = self.listener(world)
        listener.add(2, try target("c"))
        _ = self.heard(listener, world)
        let known = try #require(listener.targets[2])
        listener.disconnect()
        try world.commit("c/d", 4)
        world.settle()
        listener.connect()
        // It has a fourth one that was not there then.
        let request = TargetRequest(
            id: 2,
            selection: known.target.selection,
            start: .token(known.token),
            expectedCount: 4
        )
        try listener.stream?.add(request)
        #expect(self.heard(listener, world) == ["add 2", "change c/d [2]", "filter 2 4", "current [2]", "snapshot"])
    }
}
