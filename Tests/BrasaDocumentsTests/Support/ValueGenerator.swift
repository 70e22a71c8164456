import BrasaDocuments
import BrasaQueryModel

/// Random values with a liking for edges and for near-equal neighbours.
struct ValueGenerator {
    var random: SeededRandom

    init(seed: UInt64) {
        self.random = SeededRandom(seed: seed)
    }

    mutating func value(depth: Int = 0, inArray: Bool = false) -> Value {
        switch self.random.below(depth < 4 ? 13 : 9) {
        case 0: return .null
        case 1: return .boolean(self.random.chance(2))
        case 2: return .integer(self.integer())
        case 3: return .double(self.double())
        case 4: return .timestamp(self.timestamp())
        case 5: return .string(UTF8Text(self.text()))
        case 6:
            return .bytes((0..<self.random.below(4)).map { _ in self.random.pick([0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF]) })
        case 7: return .reference(self.reference())
        case 8:
            return .geoPoint(
                latitude: self.random.pick([-90, -0.0, 0, 1.5, 90]),
                longitude: self.random.pick([-180, -0.0, 0, 7, 180])
            )
        case 9 where !inArray:
            return .array((0..<self.random.below(4)).map { _ in self.value(depth: depth + 1, inArray: true) })
        case 10 where !inArray:
            return .vector((0...self.random.below(3)).map { _ in Double(self.integer()) })
        default:
            return .map(sorting: self.entries(depth: depth + 1))
        }
    }

    mutating func entries(depth: Int = 0) -> [Value.MapEntry] {
        (0..<self.random.below(5)).map { _ in
            Value.MapEntry(key: UTF8Text(self.key()), value: self.value(depth: depth))
        }
    }

    mutating func key() -> String { self.random.pick(["a", "b", "aa", "é", "a.b", "_", "a\u{0}", "😀", "Z", "__x"]) }

    mutating func text() -> String {
        let pieces = ["", "a", "b", "\u{0}", "\u{1}", "\u{FFFF}", "😀", "é", "e\u{301}", "/"]
        return (0..<self.random.below(4)).map { _ in self.random.pick(pieces) }.joined()
    }

    mutating func integer() -> Int64 {
        let edges: [Int64] = [0, 1, -1, .max, .min, 1 << 53, 1 << 62, -(1 << 53), 1000]
        return self.random.pick(edges) &+ Int64(self.random.below(5) - 2)
    }

    mutating func double() -> Double {
        switch self.random.below(4) {
        case 0:
            return self.random.pick([
                0, -0.0, .nan, .infinity, -.infinity, 0x1p63, -0x1p63, 0x1p53, .leastNonzeroMagnitude,
            ])
        case 1: return Double(self.integer())
        case 2: return Double(self.integer()).nextUp
        default: return Double(bitPattern: self.random.next())
        }
    }

    mutating func timestamp() -> Timestamp {
        let base = self.random.pick([Timestamp.earliest.microseconds, Timestamp.latest.microseconds, 0, -1_000_000])
        let shifted = base + Int64(self.random.below(5) - 2)
        return Timestamp(
            microseconds: min(max(shifted, Timestamp.earliest.microseconds), Timestamp.latest.microseconds)
        )
    }

    mutating func reference() -> DocumentName {
        document(
            self.documentPath(),
            in: database(self.random.pick(["p", "p-", "q"]), self.random.pick(["d", "(default)", "e"]))
        )
    }

    mutating func documentPath() -> String {
        (0...self.random.below(3)).map { _ in "\(self.collectionID())/\(self.documentID())" }.joined(separator: "/")
    }

    mutating func collectionID() -> String { self.random.pick(["a", "a-", "a\u{0}", "b", "é", "aa", "😀", "____"]) }

    mutating func documentID() -> String {
        self.random.pick([
            "__id5__", "__id-5__", "__id12__", "__id\(Int64.min)__", "__id\(Int64.max)__", "12", "7", "a", "a-", "a b",
            "__id", "__id1_", "_id1__", "a\u{0}", "\u{FFFF}", "😀",
        ])
    }
}
