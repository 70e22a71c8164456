import BrasaSimulation
import Testing

@testable import BrasaStore

@Suite struct OrderedMapTests {
    @Test(arguments: 0..<12 as Range<UInt64>)
    func behavesLikeASortedDictionaryUnderRandomWork(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let map = OrderedMap<Numbered>()
        var model: [Int: Int] = [:]
        let keySpace = [50, 400, 5_000][Int(seed % 3)]
        // Phases that mostly grow and mostly shrink, so that nodes split, borrow and merge.
        for phase in 0..<6 {
            for step in 0..<1_500 {
                let key = Int.random(in: 0..<keySpace, using: &random)
                if random.chance(phase % 2 == 0 ? 8 : 2, in: 10) {
                    #expect(map.insert(Numbered(key, step))?.value == model.updateValue(step, forKey: key))
                } else {
                    #expect(map.remove(key)?.value == model.removeValue(forKey: key))
                }
            }
            self.check(map, model, random: &random, keySpace: keySpace)
        }
        for key in model.keys.shuffled(using: &random) { map.remove(key) }
        self.check(map, [:], random: &random, keySpace: keySpace)
        #expect(map.root.isLeaf)
    }

    @Test(arguments: [true, false])
    func keepsItsInvariantsWhenFilledAndEmptiedInOrder(ascending: Bool) {
        let keys = Array(0..<10_000)
        let map = OrderedMap<Numbered>()
        for key in ascending ? keys : keys.reversed() { map.insert(Numbered(key, key)) }
        map.checkInvariants()
        #expect(map.leafCount <= 10_000 / OrderedMapNode<Numbered>.entriesMax + 1)
        for key in keys {
            #expect(map.remove(key)?.value == key)
            if key % 500 == 0 { map.checkInvariants() }
        }
        #expect(map.isEmpty)
        map.insert(Numbered(1, 1))
        #expect(map.value(for: 1)?.value == 1)
    }

    /// However keys arrive, with the allocator's rounding.
    @Test(arguments: [true, false])
    func leavesHaveRoomForLittleMoreThanTheyHold(ascending: Bool) {
        var random = SeededRandom(seed: 5)
        let map = OrderedMap<Numbered>()
        let keys = Array(0..<10_000)
        for key in ascending ? keys : keys.shuffled(using: &random) { map.insert(Numbered(key, key)) }
        let roomMax = OrderedMapNode<Numbered>.entriesSpare + 2
        #expect(map.root.leaves.allSatisfy { $0.values.capacity <= $0.values.count + roomMax })
    }

    /// Numbers as text come in runs: ten of each length between two of the one before.
    @Test(arguments: [true, false])
    func leavesAreMostlyFullWhenKeysArriveInRunsOrInNoOrder(inRuns: Bool) {
        var random = SeededRandom(seed: 8)
        let texts = (0..<20_000).map { "\($0)" }.sorted()
        var places = Array(repeating: 0, count: texts.count)
        for (place, text) in texts.enumerated() { places[Int(text) ?? 0] = place }
        if !inRuns { places.shuffle(using: &random) }
        let map = OrderedMap<Numbered>()
        for key in places { map.insert(Numbered(key, key)) }
        map.checkInvariants()
        let room = map.leafCount * OrderedMapNode<Numbered>.entriesMax
        #expect(map.count * 100 >= room * (inRuns ? 80 : 70))
    }

    /// Also when they never fall so low that they are joined.
    @Test(arguments: [0.35, 0.6, 0.9])
    func leavesLetTheRoomGoOfWhatIsRemoved(part: Double) {
        var random = SeededRandom(seed: 6)
        let map = OrderedMap<Numbered>()
        let keys = Array(0..<20_000)
        map.fill(keys.map { Numbered($0, $0) })
        for key in keys.shuffled(using: &random).prefix(Int(part * 20_000)) { map.remove(key) }
        map.checkInvariants()
        let spare = OrderedMapNode<Numbered>.entriesSpare + 2
        #expect(map.root.leaves.allSatisfy { $0.values.capacity <= $0.values.count * 3 / 2 + spare })
        let room = map.root.leaves.reduce(0) { $0 + $1.values.capacity }
        #expect(room <= map.count * 3 / 2 + map.leafCount * spare)
    }

    @Test func fillsUpAgainAtTheEndAfterTheEndWasRemoved() {
        let map = OrderedMap<Numbered>()
        for round in 0..<20 {
            for key in 0..<5_000 { map.insert(Numbered(key, round)) }
            for key in (300..<5_000).reversed() { map.remove(key) }
            map.checkInvariants()
            #expect(map.count == 300)
        }
    }

    @Test(arguments: [0, 1, 59, 60, 61, 60 * 60, 60 * 60 + 1, 9_999])
    func isFilledFromBelowAndThenChangesLikeAnyOther(count: Int) {
        var random = SeededRandom(seed: UInt64(count))
        let map = OrderedMap<Numbered>()
        map.fill((0..<count).map { Numbered(2 * $0, $0) })
        #expect(map.leafCount == max(1, (count + 59) / 60))
        var model: [Int: Int] = [:]
        for number in 0..<count { model[2 * number] = number }
        self.check(map, model, random: &random, keySpace: 2 * count)
        for step in 0..<3_000 {
            let key = Int.random(in: -1...(2 * count + 1), using: &random)
            if random.chance(1, in: 2) {
                #expect(map.insert(Numbered(key, step))?.value == model.updateValue(step, forKey: key))
            } else {
                #expect(map.remove(key)?.value == model.removeValue(forKey: key))
            }
        }
        self.check(map, model, random: &random, keySpace: 2 * count)
    }

    @Test func aCursorMovedForwardMeetsWhatAFreshOneMeets() {
        var random = SeededRandom(seed: 7)
        let map = OrderedMap<Numbered>()
        for key in stride(from: 0, to: 9_000, by: 3) { map.insert(Numbered(key, key)) }
        var cursor = map.cursor { _ in false }
        var key = 0
        while key < 9_100 {
            key += Int.random(in: 0..<90, using: &random)
            cursor.seek { $0 < key }
            var fresh = map.cursor { $0 < key }
            let expected = (key + 2) / 3 * 3
            #expect(cursor.next()?.key == (expected < 9_000 ? expected : nil))
            #expect(fresh.next()?.key == (expected < 9_000 ? expected : nil))
            if random.chance(1, in: 3) { _ = cursor.next() }
        }
    }

    private func check(_ map: OrderedMap<Numbered>, _ model: [Int: Int], random: inout SeededRandom, keySpace: Int) {
        map.checkInvariants()
        #expect(map.count == model.count)
        let sorted = model.sorted { $0.key < $1.key }
        var cursor = map.cursor { _ in false }
        for (key, value) in sorted {
            let entry = cursor.next()
            #expect(entry?.key == key && entry?.value == value)
        }
        #expect(cursor.next() == nil)
        for (key, _) in sorted.reversed() { #expect(cursor.previous()?.key == key) }
        #expect(cursor.previous() == nil)
        for _ in 0..<50 {
            let key = Int.random(in: -2...keySpace, using: &random)
            #expect(map.value(for: key)?.value == model[key])
            var cursor = map.cursor { $0 < key }
            #expect(cursor.previous()?.key == sorted.last { $0.key < key }?.key)
            cursor = map.cursor { $0 < key }
            #expect(cursor.next()?.key == sorted.first { $0.key >= key }?.key)
        }
    }
}

private struct Numbered: Keyed {
    let key: Int
    let value: Int

    init(_ key: Int, _ value: Int) {
        self.key = key
        self.value = value
    }
}

extension OrderedMap {
    /// In ascending order.
    fileprivate func fill(_ values: [Value]) {
        var leaves = OrderedMapLeaves<Value>()
        for value in values { leaves.append(value) }
        self.fill(leaves)
    }

    var leafCount: Int { self.root.leafCount }

    /// Separators bound their subtrees, all leaves are equally deep, and only nodes at the right edge are small.
    func checkInvariants() {
        #expect(self.leafCount <= self.count / 8 + 2)
        #expect(self.root.check(above: nil, below: nil, isRightEdge: true) != nil)
    }
}

extension OrderedMapNode {
    var leaves: [OrderedMapNode] { self.isLeaf ? [self] : self.children.flatMap(\.leaves) }
    var leafCount: Int { self.isLeaf ? 1 : self.children.reduce(0) { $0 + $1.leafCount } }

    /// The depth; nil when something is wrong.
    func check(above low: Key?, below high: Key?, isRightEdge: Bool) -> Int? {
        let keys = self.isLeaf ? self.values.map(\.key) : self.separators
        guard self.entryCount <= Self.entriesMax,
            isRightEdge || self.entryCount >= (self.isLeaf ? 1 : Self.entriesMin),
            zip(keys, keys.dropFirst()).allSatisfy({ $0 < $1 }),
            keys.allSatisfy({ key in low.map { $0 <= key } ?? true && high.map { key < $0 } ?? true })
        else { return nil }
        guard !self.isLeaf else { return self.separators.isEmpty ? 1 : nil }
        guard self.children.count == self.separators.count + 1, self.values.isEmpty else { return nil }
        var depths: Set<Int> = []
        for (index, child) in self.children.enumerated() {
            let isLast = index == self.children.count - 1
            guard
                let depth = child.check(
                    above: index == 0 ? low : self.separators[index - 1],
                    below: isLast ? high : self.separators[index],
                    isRightEdge: isRightEdge && isLast
                )
            else { return nil }
            depths.insert(depth)
        }
        return depths.count == 1 ? depths.first.map { $0 + 1 } : nil
    }
}
