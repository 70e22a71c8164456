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

    /// Keys as an equality and an order have them, in any order: what a node's keys begin with is there once, and of what
    /// they end with nothing.
    @Test func anEntryWhoseKeyHas42BytesTakesLessThanTheKey() throws {
        var random = SeededRandom(seed: 3)
        let parts = [try FieldPath(names: ["kind"]), try FieldPath(names: ["number"])]
            .map { IndexDefinition.Part($0, .ascending) }
        let definition = IndexDefinition(collectionID: "rows", scope: .collection, parts: parts)
        let tree = IndexTree(.current(definition.scope))
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
        #expect(tree.bytes <= 39 * 20_000)
    }

    /// Whole keys, and such as end with the documents' names, which the tree then has from the documents.
    enum Ends: UInt64, CaseIterable {
        case whole, ids, paths

        var scope: IndexDefinition.Scope? {
            switch self {
            case .whole: nil
            case .ids: .collection
            case .paths: .collectionGroup
            }
        }

        private static let someIDs = [
            "a", "b", "aa", "ab", "__id7__", "__id-7__", "a\u{0}b", "document-1000001", "document-1000002",
        ]

        func make(_ keys: Keys, _ random: inout SeededRandom) throws -> TreeRun.Entry {
            let bytes = keys.make(&random)
            guard let scope = self.scope else { return TreeRun.Entry(key: bytes, chain: try chain(of: "a/b")) }
            let parent = self == .paths && random.chance(1, in: 3) ? "c/d/a/" : "a/"
            let chain = try chain(of: parent + (Self.someIDs.randomElement(using: &random) ?? "a"))
            var key = IndexKey(.bytes(bytes))
            scope.appendName(of: chain.path, to: &key)
            return TreeRun.Entry(key: key.bytes, chain: chain)
        }
    }

    @Test(arguments: Keys.allCases, Ends.allCases)
    func holdsWhatASortedArrayHolds(keys: Keys, ends: Ends) throws {
        for seed in 0..<4 as Range<UInt64> { try self.run(keys, ends, seed) }
    }

    private func run(_ keys: Keys, _ ends: Ends, _ seed: UInt64) throws {
        var random = SeededRandom(seed: seed * 3 + ends.rawValue)
        var run = TreeRun(ends)
        let steps = keys == .long ? 150 : 1_500
        for phase in 0..<4 {
            for _ in 0..<steps {
                if random.chance(phase % 2 == 0 ? 8 : 2, in: 10) {
                    run.insert(try ends.make(keys, &random))
                } else if let entry = run.anyEntry(&random), random.chance(4, in: 5) {
                    run.remove(entry.key)
                } else {
                    run.remove(try ends.make(keys, &random).key)
                }
            }
            try run.check(keys, &random)
        }
        while let entry = run.anyEntry(&random) { run.remove(entry.key) }
        try run.check(keys, &random)
        #expect(run.tree.root.isLeaf)
        #expect(run.tree.bytes < 10_000 || keys == .long || keys == .mixed)
    }

    @Test(arguments: [true, false])
    func staysDenseWhenFilledInOrder(ascending: Bool) throws {
        var run = TreeRun(.whole)
        let chain = try chain(of: "a/b")
        let keys = (0..<20_000 as Range<UInt32>).map { number in
            [UInt8](repeating: 5, count: 10) + withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
        for key in ascending ? keys : keys.reversed() { run.insert(TreeRun.Entry(key: key, chain: chain)) }
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
    func anEntryTakesLittleMoreThanItsValue(field: Field) throws {
        var random = SeededRandom(seed: 1)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        let path = try FieldPath(parsing: "f".utf8)
        let definition = IndexDefinition(collectionID: "users", scope: .collection, parts: [.init(path, .ascending)])
        let tree = IndexTree(.current(definition.scope))
        var keys: [[UInt8]] = []
        for number in 0..<20_000 {
            let id = (0..<20).map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] }
            let fields = EncodedFields(encoding: [.init(key: "f", value: field.value(number, &random))])
            let name = try ResourcePath(parsing: Array("users/".utf8) + id)
            let chain = DocumentChain(path: name, version: .init(fields: fields, createTime: 1, time: 1))
            for key in try definition.keys(path: name, fields: fields).unwrapped() {
                keys.append(key.bytes)
                tree.insert(key.bytes, chain)
            }
        }
        #expect(tree.bytes < 34 * tree.count)
        // Nor is room kept for what is gone.
        for key in keys.shuffled(using: &random).dropFirst(10_000) { tree.remove(key) }
        tree.checkInvariants()
        #expect(tree.bytes < 50 * tree.count)
    }

    @Test func storesTheBeginningOfLongKeysOncePerNode() throws {
        let tree = IndexTree(.current(nil))
        let chain = try chain(of: "a/b")
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

private func chain(of name: String) throws -> DocumentChain {
    DocumentChain(path: try path(name), version: DocumentChain.Version(fields: .empty, createTime: 1, time: 1))
}

struct TreeRun {
    struct Entry {
        let key: [UInt8]
        let chain: DocumentChain
    }

    let tree: IndexTree
    private let ends: IndexTreeTests.Ends
    private var model: [Entry] = []

    init(_ ends: IndexTreeTests.Ends) {
        self.ends = ends
        self.tree = IndexTree(.current(ends.scope))
    }

    private func place(_ key: [UInt8]) -> (index: Int, isThere: Bool) {
        var (low, high) = (0, self.model.count)
        while low < high {
            let middle = (low + high) / 2
            if self.model[middle].key.lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
        }
        return (low, low < self.model.count && self.model[low].key == key)
    }

    func anyEntry(_ random: inout SeededRandom) -> Entry? { self.model.randomElement(using: &random) }

    mutating func insert(_ entry: Entry) {
        let (index, isThere) = self.place(entry.key)
        if !isThere { self.model.insert(entry, at: index) }
        #expect(self.tree.insert(entry.key, entry.chain) == !isThere)
    }

    mutating func remove(_ key: [UInt8]) {
        let (index, isThere) = self.place(key)
        if isThere { self.model.remove(at: index) }
        #expect(self.tree.remove(key) == isThere)
    }

    func check(_ keys: IndexTreeTests.Keys, _ random: inout SeededRandom) throws {
        self.tree.checkInvariants()
        #expect(self.tree.count == self.model.count)
        var cursor = self.tree.cursor(.start)
        for entry in self.model {
            let found = cursor.next()
            #expect(found?.key == entry.key && found?.chain.path == entry.chain.path)
        }
        #expect(cursor.next() == nil)
        for entry in self.model.reversed() { #expect(cursor.previous()?.key == entry.key) }
        #expect(cursor.previous() == nil)
        cursor = self.tree.cursor(.end)
        #expect(cursor.next() == nil)
        for _ in 0..<40 {
            var key = self.anyEntry(&random)?.key ?? []
            if random.chance(1, in: 2) { key = try self.ends.make(keys, &random).key }
            if random.chance(1, in: 2) { key = Array(key.prefix(Int.random(in: 0...key.count, using: &random))) }
            let position = IndexPosition(prefix: key, isAfter: random.chance(1, in: 2))
            let index = self.model.map(\.key).firstIndex { model in
                !(model.lexicographicallyPrecedes(key) || position.isAfter && model.starts(with: key))
            }
            let place = index ?? self.model.count
            var forward = self.tree.cursor(position)
            let next = forward.next()
            #expect(next?.key == (place < self.model.count ? self.model[place].key : nil))
            #expect(next.map { !$0.isBefore(position) } ?? true)
            var backward = self.tree.cursor(position)
            let previous = backward.previous()
            #expect(previous?.key == (place > 0 ? self.model[place - 1].key : nil))
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
        let keys = (0..<self.keys.count).map(self.key)
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
