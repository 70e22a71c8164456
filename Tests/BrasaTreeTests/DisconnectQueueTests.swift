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

    private static let values = [
        #"{"a":{"a":N,"b":{".sv":"timestamp"}},"b":N}"#,
        #"{"a":{"a":N,".priority":1},"b":{".value":N,".priority":"x"},".priority":{".sv":"timestamp"}}"#,
        #"{"a":{".value":{".sv":"timestamp"},".priority":2},"1":{"a":N,".priority":{".sv":{"increment":1}}}}"#, "N",
        "null",
    ]

    private func template(_ number: Int, isPriority: Bool) throws -> TreeTemplate {
        let text = isPriority ? "N" : Self.values[number % Self.values.count]
        let pieces = text.split(separator: "N", omittingEmptySubsequences: false)
        return try TreeTemplate(parsing: Array(pieces.joined(separator: "\(number)").utf8))
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
                let place = try self.location(&random)
                let before = self.shown(queue.writes)
                let count = queue.count(cancelling: place, upTo: .max)
                let bounded = queue.count(cancelling: place, upTo: 3)
                queue.cancel(at: place)
                try naive.cancel(at: place)
                #expect(count == (self.shown(queue.writes) == before ? nil : queue.count))
                #expect((bounded ?? 0 <= 3) == (count ?? 0 <= 3))
            } else if let write = try self.write(number, &random) {
                queue.add(write)
                naive.add(write)
            }
            // The children of a set that is taken apart come in no order.
            #expect(self.shown(queue.writes).map { $0.sorted() } == self.shown(naive.writes).map { $0.sorted() })
            #expect(queue.count == queue.writes.reduce(0) { $0 + $1.assignments.count })
        }
    }

    @Test(
        arguments: [
            (#"{"x":1,".priority":5}"#, #"{"x":1}"#), (#"{".value":1,".priority":5}"#, "1"),
            (#"{".value":{".sv":"timestamp"},".priority":5}"#, #"{".sv":"timestamp"}"#),
            (#"{"x":1,".priority":{".sv":"timestamp"}}"#, #"{"x":1}"#), (#"{"x":1}"#, nil), ("null", nil), ("1", nil),
        ] as [(String, String?)]
    )
    func `Of a priority that is taken back, the write of its node stays`(_ written: String, _ left: String?) throws {
        for (place, wrapped) in [("/a", written), ("/", #"{"a":\#(written)}"#)] {
            var queue = DisconnectQueue()
            queue.add(try .set(TreeTemplate(parsing: Array(wrapped.utf8)), at: TreeLocation(place)))
            let count = queue.count(cancelling: try TreeLocation("/a/.priority"), upTo: 10)
            #expect((count == 1) == (left != nil))
            queue.cancel(at: try TreeLocation("/a/.priority"))
            let rest = left ?? written
            let expected = try TreeTemplate(parsing: Array((place == "/" ? #"{"a":\#(rest)}"# : rest).utf8))
            #expect(self.shown(queue.writes) == [["\(place) \(String(decoding: expected.json.text, as: UTF8.self))"]])
        }
        var queue = DisconnectQueue()
        queue.add(try .set(TreeTemplate(parsing: Array("1".utf8)), at: TreeLocation("/a")))
        queue.add(try .set(TreeTemplate(parsing: Array("2".utf8)), at: TreeLocation("/a/.priority")))
        queue.cancel(at: try TreeLocation("/a/.priority"))
        #expect(self.shown(queue.writes) == [["/a 1"]])
    }

    /// JSON of a few bytes a level is pages of some hundred.
    @Test(arguments: ["1", #"{".sv":"timestamp"}"#, #"{".value":1,".priority":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#])
    func `What it keeps is counted as it is in memory`(_ leaf: String) throws {
        var queue = DisconnectQueue()
        var footprint = TreeFootprint()
        for number in 0..<20 {
            let text = String(repeating: #"{"k":"#, count: 28) + leaf + String(repeating: "}", count: 28)
            let template = try TreeTemplate(parsing: Array(text.utf8))
            footprint.add(template.node)
            queue.add(try .set(template, at: TreeLocation("/long-key-that-stands-by-itself/\(number)")))
        }
        // A level of what the server works out is an object and an array at least.
        let valueBytes = leaf.contains(".sv") ? 20 * 28 * 128 : 0
        #expect(queue.keptBytes >= footprint.bytes + valueBytes + 20 * 128)
        #expect(queue.keptBytes > 5 * queue.bytes)
    }

    /// Each of many requests would take it apart.
    @Test func `How many places there would be is found out without taking a large set apart`() throws {
        let wide = "{" + (0..<60_000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
        var queue = DisconnectQueue()
        queue.add(try .set(TreeTemplate(parsing: Array(wide.utf8)), at: TreeLocation("/a")))
        let place = try TreeLocation("/a/k7/x")
        #expect(queue.count(cancelling: place, upTo: .max) == 60_000)
        let time = ContinuousClock().measure {
            for _ in 0..<1_000 { _ = queue.count(cancelling: place, upTo: 2_000) }
        }
        #expect(time < .seconds(5))
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

    mutating func cancel(at place: TreeLocation) throws {
        self.drop(place)
        let path = place.path
        guard !place.isPriority else {
            self.writes = try self.writes.map { write in
                let assignments = try write.assignments.map { assignment in
                    guard !assignment.location.isPriority, let way = assignment.location.path.relative(path) else {
                        return assignment
                    }
                    let json = Self.withoutPriority(assignment.template.json, at: way.keys[...])
                    return .init(location: assignment.location, template: try TreeTemplate(json))
                }
                return write.replacing { old in assignments.filter { $0.location == old.location } } ?? write
            }
            return
        }
        self.writes = self.writes.compactMap { write in
            let isAbove = { (location: TreeLocation) in
                !location.isPriority && location.path != path && location.path.contains(path)
            }
            guard write.assignments.contains(where: { isAbove($0.location) }) else { return write }
            return write.replacing { isAbove($0.location) ? $0.without(place) : [$0] }
        }
    }

    private static func withoutPriority(_ value: JSONValue, at keys: ArraySlice<TreeKey>) -> JSONValue {
        guard case .object(let members) = value else { return value }
        guard let key = keys.first else { return .object(members.filter { $0.key != ".priority" }) }
        return .object(
            members.map {
                $0.key == key.text ? .init($0.key, self.withoutPriority($0.value, at: keys.dropFirst())) : $0
            }
        )
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
