import BrasaDocuments
import BrasaSimulation
import Testing

@testable import BrasaWatch

@Suite struct WindowTests {
    private func entry(_ key: Int, _ name: Int, _ time: Int64) throws -> Window.Entry {
        Window.Entry(
            key: [UInt8(key), UInt8(name)],
            path: try path("c/\(name)"),
            updateTime: Timestamp(microseconds: time)
        )
    }

    /// Documents move among few keys; whatever a window says moved makes what was shown before into what is shown now,
    /// and what it shows are the first results.
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `what moved is what differs`(seed: UInt64) throws {
        var random = BrasaSimulation.SeededRandom(seed: seed)
        let offset = random.chance(1, in: 2) ? Int.random(in: 0...3, using: &random) : 0
        let limit = random.chance(1, in: 8) ? nil : Int.random(in: 0...6, using: &random)
        var window = Window(offset: offset, limit: limit)
        var results: [Int: Window.Entry] = [:]
        func sorted() -> [Window.Entry] {
            results.values.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        }
        func fill() {
            let all = sorted()
            let count = window.fillCount ?? all.count
            window.fill(ContiguousArray(all.prefix(count)), isComplete: all.count <= count)
        }
        fill()
        for step in 1...60 as ClosedRange<Int64> {
            let before = window.shownTimes
            var changes: [Window.Relocation] = []
            for name in Set(
                (0..<Int.random(in: 1...5, using: &random)).map { _ in Int.random(in: 0..<20, using: &random) }
            ) {
                let old = results[name]
                results[name] =
                    random.chance(1, in: 3) ? nil : try self.entry(.random(in: 0..<8, using: &random), name, step)
                if old == nil, results[name] == nil { continue }
                changes.append(Window.Relocation(path: try path("c/\(name)"), before: old?.key, after: results[name]))
            }
            guard let moves = window.apply(changes) else {
                fill()
                continue
            }
            let expected = sorted().dropFirst(offset).prefix(limit ?? .max)
            #expect(window.shown.map(\.path) == expected.map(\.path), "seed \(seed), step \(step)")
            var shown = before
            for move in moves {
                shown[move.path] = move.isMember ? expected.first { $0.path == move.path }?.updateTime : nil
            }
            #expect(shown == window.shownTimes, "seed \(seed), step \(step)")
            #expect(Set(moves.map(\.path)).count == moves.count, "seed \(seed), step \(step): nothing moves twice")
            #expect(window.bytes == window.entries.reduce(0) { $0 + $1.bytes })
        }
    }

    @Test func `a window keeps little more than its limit`() throws {
        var window = Window(offset: 0, limit: 10)
        window.fill([], isComplete: true)
        for index in (0..<200).reversed() {
            let change = Window.Relocation(
                path: try path("c/\(index)"),
                before: nil,
                after: try self.entry(index, index, 1)
            )
            #expect(window.apply([change]) != nil)
            #expect(window.entries.count <= 10 + 2 * 4)
        }
        #expect(window.shown.map(\.path) == (try (0..<10).map { try path("c/\($0)") }))
    }

    @Test func `a limit beyond all numbers is no limit`() throws {
        var window = Window(offset: 1, limit: .max)
        #expect(window.fillCount == nil)
        window.fill([try self.entry(1, 1, 1), try self.entry(2, 2, 1)], isComplete: true)
        #expect(window.shown.map(\.path) == [try path("c/2")])
    }
}

@Suite struct RecentNewsTests {
    private func time(_ number: Int) -> Timestamp { Timestamp(microseconds: Int64(number)) }

    @Test func `what changed after a time is known as far back as there is room`() throws {
        var recent = RecentNews(completeAfter: self.time(0))
        for number in 1...2_000 { recent.append(try path("c/\(number)"), time: self.time(number)) }
        #expect(recent.completeAfter == self.time(1_488))
        #expect(recent.paths(after: self.time(1_487)) == nil)
        #expect(recent.paths(after: self.time(1_488))?.count == 512)
        #expect(recent.paths(after: self.time(1_998)) == [try path("c/1999"), try path("c/2000")])
        #expect(recent.paths(after: self.time(2_000)) == [])
    }

    @Test func `a document is named once, and one that changes again and again takes one place`() throws {
        var recent = RecentNews(completeAfter: self.time(0))
        for number in 1...2_000 { recent.append(try path("c/a"), time: self.time(number)) }
        #expect(recent.paths(after: self.time(0)) == [try path("c/a")])
        #expect(recent.paths(after: self.time(1_999)) == [try path("c/a")])
        for number in 2_001...2_010 { recent.append(try path("c/\(number % 2)"), time: self.time(number)) }
        #expect(recent.paths(after: self.time(0)) == [try path("c/a"), try path("c/1"), try path("c/0")])
    }
}
