import BrasaQueryModel
import Testing

@testable import BrasaTree

/// What a session leaves, against the same by comparing every place with every other.
@Suite struct DisconnectQueueTests {
    private static let keys = ["a", "b", "1", "10"]

    private func location(_ random: inout SeededRandom) throws -> TreeLocation {
        let depth = Int.random(in: 0...3, using: &random)
        let keys = (0..<depth).map { _ in Self.keys[Int.random(in: 0..<Self.keys.count, using: &random)] }
        let path = try TreePath(keys.joined(separator: "/"))
        return TreeLocation(path, isPriority: Int.random(in: 0..<5, using: &random) == 0)
    }

    private func template(_ number: Int, isPriority: Bool) throws -> TreeTemplate {
        let text = isPriority ? "\(number)" : #"{"a":{"a":\#(number),"b":{".sv":"timestamp"}},"b":\#(number)}"#
        return try TreeTemplate(parsing: Array(text.utf8))
    }

    /// A set, or an update of places that do not overlap; nil where drawn places do.
    private func write(_ number: Int, _ random: inout SeededRandom) throws -> TreeWrite? {
        let count = Int.random(in: 1...3, using: &random)
        let locations = try (0..<count).map { _ in try self.location(&random) }
        if count == 1, let location = locations.first {
            return try .set(self.template(number, isPriority: location.isPriority), at: location)
        }
        return try? TreeWrite.update(
            locations.map { (location: $0, template: try self.template(number, isPriority: $0.isPriority)) },
            at: .root
        )
    }

    private func shown(_ writes: [TreeWrite]) -> [[String]] {
        writes.map { write in
            write.assignments.map { "\($0.location) \(String(decoding: $0.template.json.text, as: UTF8.self))" }
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `It is what comparing all places makes it`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var (queue, naive) = (DisconnectQueue(), NaiveQueue())
        for number in 0..<20 {
            if Int.random(in: 0..<4, using: &random) == 0 {
                let path = try self.location(&random).path
                queue.cancel(at: path)
                naive.cancel(at: path)
            } else if let write = try self.write(number, &random) {
                queue.add(write)
                naive.add(write)
            }
            // The children of a set that is taken apart come in no order.
            #expect(self.shown(queue.writes).map { $0.sorted() } == self.shown(naive.writes).map { $0.sorted() })
            #expect(queue.count == queue.writes.reduce(0) { $0 + $1.assignments.count })
        }
    }

    @Test func `Updates of nothing are not kept`() throws {
        var queue = DisconnectQueue()
        queue.add(try .update([], at: try TreePath("/a")))
        #expect(queue.isEmpty)
    }

    /// Ten thousand places over as many would be a hundred million comparisons.
    @Test func `A large update over much that is kept is soon done`() throws {
        func update(_ prefix: String, _ count: Int) throws -> TreeWrite {
            try .update(
                (0..<count).map { (location: try TreeLocation("\(prefix)\($0)/x/y"), template: TreeTemplate(.absent)) },
                at: .root
            )
        }
        var queue = DisconnectQueue()
        queue.add(try update("a", 10_000))
        queue.add(try update("b", 10_000))
        #expect(queue.count == 20_000)
        let time = ContinuousClock().measure { if let write = try? update("a", 10_000) { queue.add(write) } }
        #expect(queue.count == 20_000 && queue.writes.count == 2)
        #expect(time < .seconds(10))
    }
}

private struct NaiveQueue {
    var writes: [TreeWrite] = []

    mutating func add(_ write: TreeWrite) {
        for assignment in write.assignments { self.drop(assignment.location) }
        self.writes.append(write)
    }

    mutating func cancel(at path: TreePath) {
        self.drop(TreeLocation(path))
        self.writes = self.writes.compactMap { write in
            let isAbove = { (location: TreeLocation) in
                !location.isPriority && location.path != path && location.path.contains(path)
            }
            guard write.assignments.contains(where: { isAbove($0.location) }) else { return write }
            return write.replacing { isAbove($0.location) ? $0.without(path) : [$0] }
        }
    }

    private mutating func drop(_ location: TreeLocation) {
        func covers(_ other: TreeLocation) -> Bool {
            location.isPriority ? location == other : location.path.contains(other.path)
        }
        self.writes = self.writes.compactMap { write in
            guard write.assignments.contains(where: { covers($0.location) }) else { return write }
            return write.replacing { covers($0.location) ? [] : [$0] }
        }
    }
}
