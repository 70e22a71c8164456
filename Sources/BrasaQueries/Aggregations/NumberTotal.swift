internal import BrasaDocuments

/// The total of some numbers. Integers are added exactly; doubles are added apart, with the rounding errors kept, so
/// that the order of the documents changes nothing that can be seen.
struct NumberTotal: Sendable {
    private var count = 0
    private var integers: Int128 = 0
    private var doubles = CompensatedSum()
    private var hasDoubles = false

    /// Values that are no numbers count for nothing.
    mutating func add(_ value: Value) {
        switch value {
        case .integer(let integer):
            self.integers += Int128(integer)
            self.count += 1
        case .double(let double):
            self.doubles.add(double)
            self.hasDoubles = true
            self.count += 1
        default: break
        }
    }

    /// An integer while only integers were added and the total is one.
    var sum: Value {
        guard !self.hasDoubles, let sum = Int64(exactly: self.integers) else { return .double(self.double) }
        return .integer(sum)
    }

    /// Null when there is nothing to divide by.
    var average: Value {
        self.count == 0 ? .null : .double(self.double / Double(self.count))
    }

    private var double: Double {
        var sum = self.doubles
        sum.add(Double(self.integers))
        return sum.value
    }
}

/// Neumaier's sum.
struct CompensatedSum: Sendable {
    private var sum = 0.0
    private var compensation = 0.0

    mutating func add(_ double: Double) {
        let total = self.sum + double
        // Beyond the finite numbers there are no rounding errors to keep, and taking differences would make a NaN.
        if total.isFinite {
            let isLarger = abs(self.sum) >= abs(double)
            self.compensation += isLarger ? (self.sum - total) + double : (double - total) + self.sum
        }
        self.sum = total
    }

    var value: Double {
        self.sum.isFinite ? self.sum + self.compensation : self.sum
    }
}
