import BrasaDocuments
import BrasaQueries
import BrasaSimulation
import Testing

@testable import BrasaStore

/// The tree against a sorted array.
@Suite struct IndexTreeTests {
    /// How a run makes its keys.
    enum Keys: CaseIterable {
        case short, sharedPrefixes, extremeBytes, long, mixed

        func make(_ random: inout SeededRandom) -> [UInt8] {
            func run(_ count: Int, _ alphabet: ClosedRange<UInt8>) -> [UInt8] {
                (0..<count).map { _ in UInt8.random(in: alphabet, using: &random) }
            }
            switch self {
            case .short: return run(Int.random(in: 0...4, using: &random), 0...3)
            case .sharedPrefixes:
                let prefix = [UInt8](repeating: 7, count: Int.random(in: 0...3, using: &random) * 20)
                return prefix + run(Int.random(in: 1...9, using: &random), 0...9)
            case .extremeBytes:
                let bytes: [UInt8] = [0, 0, 1, 0xFE, 0xFF, 0xFF]
                return (0..<Int.random(in: 0...7, using: &random)).map { _ in
                    bytes[Int.random(in: 0..<bytes.count, using: &random)]
                }
            case .long:
                let prefix = [UInt8](repeating: 9, count: [0, 10, 500, 6_000][Int.random(in: 0..<4, using: &random)])
                return prefix + run(3, 0...9)
                    + [UInt8](repeating: 1, count: Int.random(in: 0...1, using: &random) * 3_000)
            case .mixed:
                let other = Self.allCases[Int.random(in: 0..<4, using: &random)]
                return other.make(&random)
            }
        }
    }

    /// Keys as an equality and an order have them, in any order: what a node's keys begin with is there once.
    @Test func anEntryWhoseKeyHas42BytesTakesAtMost64() throws {
        var random = SeededRandom(seed: 3)
        let parts = [try FieldPath(names: ["kind"]), try FieldPath(names: ["number"])]
            .map { IndexDefinition.Part($0, .ascending) }
        let definition = IndexDefinition(collectionID: "rows", scope: .collection, parts: parts)
        let tree = IndexTree()
        var keyBytes = 0
        for number in (0..<20_000).shuffled(using: &random) {
            let fields = EncodedFields(encoding: [
                Value.MapEntry(key: "kind", value: .string(UTF8Text("kind-\(number / 50)"))),
                Value.MapEntry(key: "number", value: .integer(Int64(number % 50))),
            ])
            let path = try path("rows/document-\(1_000_000 + number * 7_919 % 20_000)")
            let version = DocumentChain.Version(fields: fields, createTime: 1, time: 1)
            let key = try #require(definition.keys(path: path, fields: fields)?.first)
            keyBytes += key.bytes.count
            tree.insert(key.bytes, DocumentChain(path: path, version: version))
        }
        #expect(tree.count == 20_000)
        #expect(keyBytes / 20_000 == 41)
        #expect(tree.bytes <= 64 * 20_000)
    }

    @Test(arguments: Keys.allCases, 0..<4 as Range<UInt64>)
    func holdsWhatASortedArrayHolds(keys: Keys, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var run = try TreeRun()
        let steps = keys == .long ? 150 : 1_500
        for phase in 0..<4 {
            for _ in 0..<steps {
                if random.chance(phase % 2 == 0 ? 8 : 2, in: 10) {
                    run.insert(keys.make(&random))
                } else if let key = run.anyKey(&random), random.chance(4, in: 5) {
                    run.remove(key)
                } else {
                    run.remove(keys.make(&random))
                }
            }
            run.check(keys, &random)
        }
        while let key = run.anyKey(&random) { run.remove(key) }
        run.check(keys, &random)
        #expect(run.tree.root.isLeaf)
        #expect(run.tree.bytes < 10_000 || keys == .long || keys == .mixed)
    }

    @Test(arguments: [true, false])
    func staysDenseWhenFilledInOrder(ascending: Bool) throws {
        var run = try TreeRun()
        let keys = (0..<20_000 as Range<UInt32>).map { number in
            [UInt8](repeating: 5, count: 10) + withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
        for key in ascending ? keys : keys.reversed() { run.insert(key) }
        run.tree.checkInvariants()
        #expect(run.tree.bytes < 20_000 * (ascending ? 40 : 70))
        for (index, key) in keys.enumerated() {
            run.remove(key)
            if index % 1_000 == 0 { run.tree.checkInvariants() }
        }
        #expect(run.tree.count == 0)
    }

    /// What an entry takes of a tree that grows in no order, with ids as clients make them.
    enum Field: CaseIterable {
        case score, status, sequence, time

        func value(_ number: Int, _ random: inout SeededRandom) -> Value {
            switch self {
            case .score: return .integer(Int64.random(in: 0..<1_000_000, using: &random))
            case .status: return .string(["pending", "done", "failed"].randomElement(using: &random) ?? "")
            case .sequence: return .integer(Int64(number))
            case .time:
                let time = Int64.random(in: 0..<1_000_000_000_000, using: &random)
                return .timestamp(Timestamp(microseconds: 1_700_000_000_000_000 + time))
            }
        }
    }

    @Test(arguments: Field.allCases)
    func anEntryTakesLittleMoreThanItsId(field: Field) throws {
        let (tree, chain) = (IndexTree(), try anyChain())
        var random = SeededRandom(seed: 1)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        let path = try FieldPath(parsing: "f".utf8)
        let definition = IndexDefinition(collectionID: "users", scope: .collection, parts: [.init(path, .ascending)])
        var keys: [[UInt8]] = []
        for number in 0..<20_000 {
            let id = (0..<20).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] }
            let fields = EncodedFields(encoding: [.init(key: "f", value: field.value(number, &random))])
            let name = try ResourcePath(parsing: Array("users/".utf8) + id)
            keys += try definition.keys(path: name, fields: fields).unwrapped().map(\.bytes)
        }
        for key in keys { tree.insert(key, chain) }
        #expect(tree.bytes < 58 * tree.count)
        // Nor is room kept for what is gone.
        for key in keys.shuffled(using: &random).dropFirst(10_000) { tree.remove(key) }
        tree.checkInvariants()
        #expect(tree.bytes < 76 * tree.count)
    }

    @Test func storesTheBeginningOfLongKeysOncePerNode() throws {
        let tree = IndexTree()
        let chain = try anyChain()
        let long = [UInt8](repeating: 0x61, count: 1 << 15)
        // Alike but for their ends, so that a node stores their beginning once; then keys that break it.
        for number in 0..<200 as Range<UInt8> { tree.insert(long + [number], chain) }
        #expect(tree.bytes < 10 << 15)
        for number in 0..<200 as Range<UInt8> { tree.insert([number, 0x62], chain) }
        tree.checkInvariants()
        #expect(tree.count == 400)
        #expect(tree.bytes < 20 << 15)
        for number in 0..<200 as Range<UInt8> { #expect(tree.remove(long + [number])) }
        tree.checkInvariants()
        #expect(tree.count == 200)
    }
}

private func anyChain() throws -> DocumentChain {
    DocumentChain(path: try path("a/b"), version: DocumentChain.Version(fields: .empty, createTime: 1, time: 1))
}

private struct TreeRun {
    let tree = IndexTree()
    private let chain: DocumentChain
    private var model: [[UInt8]] = []

    init() throws {
        self.chain = try anyChain()
    }

    private func place(_ key: [UInt8]) -> (index: Int, isThere: Bool) {
        var (low, high) = (0, self.model.count)
        while low < high {
            let middle = (low + high) / 2
            if self.model[middle].lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
        }
        return (low, low < self.model.count && self.model[low] == key)
    }

    func anyKey(_ random: inout SeededRandom) -> [UInt8]? { self.model.randomElement(using: &random) }

    mutating func insert(_ key: [UInt8]) {
        let (index, isThere) = self.place(key)
        if !isThere { self.model.insert(key, at: index) }
        #expect(self.tree.insert(key, self.chain) == !isThere)
    }

    mutating func remove(_ key: [UInt8]) {
        let (index, isThere) = self.place(key)
        if isThere { self.model.remove(at: index) }
        #expect(self.tree.remove(key) == isThere)
    }

    func check(_ keys: IndexTreeTests.Keys, _ random: inout SeededRandom) {
        self.tree.checkInvariants()
        #expect(self.tree.count == self.model.count)
        var cursor = self.tree.cursor(.start)
        for key in self.model { #expect(cursor.next()?.key == key) }
        #expect(cursor.next() == nil)
        for key in self.model.reversed() { #expect(cursor.previous()?.key == key) }
        #expect(cursor.previous() == nil)
        cursor = self.tree.cursor(.end)
        #expect(cursor.next() == nil)
        for _ in 0..<40 {
            var key = self.anyKey(&random) ?? []
            if random.chance(1, in: 2) { key = keys.make(&random) }
            if random.chance(1, in: 2) { key = Array(key.prefix(Int.random(in: 0...key.count, using: &random))) }
            let position = IndexPosition(prefix: key, isAfter: random.chance(1, in: 2))
            let index = self.model.firstIndex { model in
                !(model.lexicographicallyPrecedes(key) || position.isAfter && model.starts(with: key))
            }
            let place = index ?? self.model.count
            var forward = self.tree.cursor(position)
            let next = forward.next()
            #expect(next?.key == (place < self.model.count ? self.model[place] : nil))
            #expect(next.map { !$0.isBefore(position) } ?? true)
            var backward = self.tree.cursor(position)
            let previous = backward.previous()
            #expect(previous?.key == (place > 0 ? self.model[place - 1] : nil))
            #expect(previous.map { $0.isBefore(position) } ?? true)
        }
    }
}

extension IndexTree {
    /// Separators bound their subtrees, all leaves are equally deep, no node is larger than it may be, and the tree
    /// knows what it takes.
    func checkInvariants() {
        #expect(self.root.check(above: nil, below: nil, isRoot: true) != nil)
        #expect(self.root.totalFootprint == self.bytes)
    }
}

extension IndexNode {
    fileprivate var totalFootprint: Int { self.footprint + self.children.reduce(0) { $0 + $1.totalFootprint } }

    fileprivate func check(above low: [UInt8]?, below high: [UInt8]?, isRoot: Bool) -> Int? {
        let keys = (0..<self.keys.count).map(self.keys.key)
        guard self.entryCount <= Self.entriesMax, isRoot || self.entryCount > 0,
            self.keys.count <= Self.entriesFew + 1
                || self.keys.restBytes <= Self.bytesMax + (keys.map(\.count).max() ?? 0),
            zip(keys, keys.dropFirst()).allSatisfy({ $0.lexicographicallyPrecedes($1) }),
            keys.allSatisfy({ key in
                !(low.map { key.lexicographicallyPrecedes($0) } ?? false)
                    && (high.map { key.lexicographicallyPrecedes($0) } ?? true)
            })
        else { return nil }
        let isTimed = self.endTimes.map { $0.count == self.entryCount } ?? true
        guard isTimed else { return nil }
        guard !self.isLeaf else { return self.chains.count == self.keys.count ? 1 : nil }
        guard self.endTimes.map({ $0 == self.children.map(\.latestEnd) }) ?? true else { return nil }
        guard self.children.count == self.keys.count + 1, self.chains.isEmpty else { return nil }
        var depths: Set<Int> = []
        for (index, child) in self.children.enumerated() {
            let (above, below) = (index == 0 ? low : keys[index - 1], index == keys.count ? high : keys[index])
            guard let depth = child.check(above: above, below: below, isRoot: false) else { return nil }
            depths.insert(depth)
        }
        return depths.count == 1 ? depths.first.map { $0 + 1 } : nil
    }
}
