import BrasaDocuments
import BrasaQueryModel
import Testing

struct ValueOrderTests {
    /// Strictly ascending.
    static let ascending: [Value] = [
        .null, false, true, .double(.nan), .double(-.infinity), .double(-0x1p63.nextUp * 2), .integer(.min),
        .integer(.min + 1), -1.5, -1, .double(-.leastNonzeroMagnitude), 0, .double(.leastNonzeroMagnitude), 0.5, 1,
        .double(1.0.nextUp), 9_007_199_254_740_992, 9_007_199_254_740_993, .double(0x1p53 + 2), .integer(.max - 1),
        .integer(.max),
        .double(0x1p63), .double(.infinity), .timestamp(.earliest), .timestamp(Timestamp(microseconds: -1)),
        .timestamp(Timestamp(microseconds: 0)), .timestamp(.latest), "", "\u{0}", "\u{0}\u{0}", "\u{0}\u{1}", "a",
        "a\u{0}",
        "ab", "b", "\u{FFFF}", "😀", .bytes([]), .bytes([0]), .bytes([0, 0]), .bytes([0, 1]), .bytes([1]),
        .bytes([0xFF]),
        .reference(document("a/b")), .reference(document("a/b/c/d")), .reference(document("a-c/d")),
        .reference(document("a/b", in: database("p", "e"))), .reference(document("a/b", in: database("p-", "a"))),
        .geoPoint(latitude: -90, longitude: 180), .geoPoint(latitude: 0, longitude: -180),
        .geoPoint(latitude: 0, longitude: 0),
        .geoPoint(latitude: 90, longitude: 0), .array([]), .array([.null]), .array([.null, .null]), .array([1]),
        .array([1, 2]), .array([2]), .vector([]), .vector([.nan]), .vector([-1]), .vector([9]), .vector([0, 0]),
        .vector([0, 1]), map([:]), map(["a": 1]), map(["a": 1, "b": 0]), map(["a": 2]), map(["b": 0]),
    ]

    @Test func `Every class and every edge has its place`() {
        for (low, left) in Self.ascending.enumerated() {
            for (high, right) in Self.ascending.enumerated() {
                #expect(Value.compare(left, right) == Ordering(low, high), "\(left) \(right)")
                #expect(
                    Ordering(OrderPreservingKey(left), OrderPreservingKey(right)) == Ordering(low, high),
                    "\(left) \(right)"
                )
            }
        }
    }

    @Test(
        arguments: [
            (0, 0.0, .same), (0, -0.0, .same), (1 << 53, 0x1p53, .same), ((1 << 53) + 1, 0x1p53, .descending),
            (.max, 0x1p63, .ascending), (.min, -0x1p63, .same), (.min, (-0x1p63).nextDown, .descending),
            (.max, 0x1p63.nextDown, .descending), (1, 1.5, .ascending), (-1, -1.5, .descending), (2, 1.5, .descending),
            (-2, -1.5, .ascending), (0, .nan, .descending), (0, .infinity, .ascending), (0, -.infinity, .descending),
            (3, 3.0, .same), (0, .leastNonzeroMagnitude, .ascending),
        ] as [(Int64, Double, Ordering)]
    )
    func `An integer and a double are compared exactly`(integer: Int64, double: Double, expected: Ordering) {
        #expect(Value.compare(.integer(integer), .double(double)) == expected)
        #expect(Value.compare(.double(double), .integer(integer)) == expected.reversed)
        #expect(Ordering(OrderPreservingKey(.integer(integer)), OrderPreservingKey(.double(double))) == expected)
    }

    @Test func `The order is total and is the keys' order`() {
        for seed in 0..<300 as Range<UInt64> {
            var generator = ValueGenerator(seed: seed)
            let values = (0..<10).map { _ in generator.value() }
            for left in values {
                for right in values {
                    let order = Value.compare(left, right)
                    #expect(order == Value.compare(right, left).reversed, "seed \(seed)")
                    #expect(
                        order == Ordering(OrderPreservingKey(left), OrderPreservingKey(right)),
                        "seed \(seed): \(left) \(right)"
                    )
                    #expect((left.hashValue == right.hashValue) || order != .same, "seed \(seed)")
                    for third in values where order != .descending && Value.compare(right, third) != .descending {
                        #expect(Value.compare(left, third) != .descending, "seed \(seed)")
                    }
                }
            }
        }
    }

    @Test func `Numbers close to each other keep their order in keys`() {
        for seed in 0..<300 as Range<UInt64> {
            var generator = ValueGenerator(seed: seed)
            let integer = Int64(bitPattern: generator.random.next()) >> Int64(generator.random.below(64))
            let near = [Double(integer).nextDown, Double(integer), Double(integer).nextUp].map { Value.double($0) }
            for left in near + [.integer(integer), .integer(integer &+ 1)] {
                for right in near + [.integer(integer), .integer(integer &- 1)] {
                    #expect(
                        Value.compare(left, right) == Ordering(OrderPreservingKey(left), OrderPreservingKey(right)),
                        "seed \(seed): \(left) \(right)"
                    )
                }
            }
        }
    }

    @Test func `A descending part reverses the order and parts follow each other`() {
        func key(_ first: Value, _ second: Value) -> OrderPreservingKey {
            var key = OrderPreservingKey(first)
            key.appendDescending(OrderPreservingKey(second))
            return key
        }
        #expect(key("a", 1) < key("ab", 9))
        #expect(key("a", 2) < key("a", 1))
        #expect(key(.array([]), "b") < key(.array([1]), "a"))
        #expect(key(.bytes([0]), 1) < key(.bytes([0]), 0))
    }
}
