/// Values of which none is equal to another, as numbers are equal: 1 and 1.0 are one element. The order is that in which
/// they came.
package struct RuleSet: Sendable {
    package let elements: [RuleValue]

    init(_ values: [RuleValue]) {
        var seen: Set<NumericKey> = []
        self.elements = values.filter { seen.insert(NumericKey($0)).inserted }
    }

    private init(distinct elements: [RuleValue]) {
        self.elements = elements
    }

    var keys: Set<NumericKey> { Set(self.elements.map(NumericKey.init)) }

    func contains(_ value: RuleValue) -> Bool {
        self.elements.contains { RuleValue.equal($0, value) }
    }

    func filtered(_ isKept: (NumericKey) -> Bool) -> RuleSet {
        RuleSet(distinct: self.elements.filter { isKept(NumericKey($0)) })
    }
}

/// A value hashed and compared as sets do: numbers of both kinds by what they are worth, what is inside lists and maps
/// by type as well.
struct NumericKey: Hashable {
    let value: RuleValue

    init(_ value: RuleValue) {
        self.value = value
    }

    static func == (left: NumericKey, right: NumericKey) -> Bool { RuleValue.equal(left.value, right.value) }

    func hash(into hasher: inout Hasher) { self.value.hash(into: &hasher) }
}

/// A value hashed and compared as elements of lists are.
struct StrictKey: Hashable {
    let value: RuleValue

    init(_ value: RuleValue) {
        self.value = value
    }

    static func == (left: StrictKey, right: StrictKey) -> Bool { RuleValue.strictlyEqual(left.value, right.value) }

    func hash(into hasher: inout Hasher) { self.value.hash(into: &hasher) }
}
