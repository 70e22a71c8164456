import BrasaQueries
import BrasaQueryModel
import Testing

/// Places among keys, and runs of keys, against lists of short keys.
@Suite struct KeyIntervalTests {
    private static let bytes: [UInt8] = [0, 127, 255]
    private static let keys: [[UInt8]] = Self.bytes.flatMap { first -> [[UInt8]] in
        Self.bytes.flatMap { second -> [[UInt8]] in Self.bytes.map { [first, second, $0] } }
    }

    private func position(_ random: inout SeededRandom) -> IndexPosition {
        let key = Self.keys.randomElement(using: &random) ?? []
        let prefix = Array(key.prefix(Int.random(in: 0...3, using: &random)))
        return IndexPosition(prefix: prefix, isAfter: random.chance(2))
    }

    /// How many keys come before the place.
    private func rank(_ position: IndexPosition) -> Int {
        Self.keys.count { key in
            key.starts(with: position.prefix) ? position.isAfter : key.lexicographicallyPrecedes(position.prefix)
        }
    }

    private func members(_ interval: KeyInterval) -> Set<Int> {
        let (start, end) = (self.rank(interval.start), self.rank(interval.end))
        return start < end ? Set(start..<end) : []
    }

    @Test func placesAreOrderedByWhatComesBeforeThem() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<2_000 {
            let (one, other) = (self.position(&random), self.position(&random))
            if self.rank(one) < self.rank(other) { #expect(one < other, "\(one) \(other)") }
            if one < other { #expect(self.rank(one) <= self.rank(other), "\(one) \(other)") }
            #expect(!(one < other && other < one))
            #expect((one < other) == (other.complemented < one.complemented))
        }
    }

    @Test func intervalsIntersectAndSubtractAsSetsDo() {
        var random = SeededRandom(seed: 2)
        for _ in 0..<2_000 {
            let one = KeyInterval(start: self.position(&random), end: self.position(&random))
            let other = KeyInterval(start: self.position(&random), end: self.position(&random))
            guard !one.isEmpty, !other.isEmpty else { continue }
            let common = [one].intersection(other).map(self.members).reduce(into: Set()) { $0.formUnion($1) }
            #expect(common == self.members(one).intersection(self.members(other)))
            let rest = [one].subtracting(other)
            #expect(
                rest.map(self.members).reduce(into: Set()) { $0.formUnion($1) }
                    == self.members(one).subtracting(self.members(other))
            )
            #expect(zip(rest, rest.dropFirst()).allSatisfy { !($1.start < $0.end) })
        }
    }
}
