extension FieldTransform {
    /// The field's new value, and what the write's result says of it.
    package func applied(to old: Value?, requestTime: Timestamp) -> (new: Value, result: Value) {
        switch self.operation {
        case .requestTime:
            return (.timestamp(requestTime), .timestamp(requestTime))
        case .increment(let amount):
            let sum = old.flatMap { Value.sum($0, amount) } ?? amount
            return (sum, sum)
        case .maximum(let bound):
            let greater = Self.chosen(old, bound, when: .descending)
            return (greater, greater)
        case .minimum(let bound):
            let less = Self.chosen(old, bound, when: .ascending)
            return (less, less)
        case .appendMissingElements, .removeAllFromArray:
            var array = ArrayEdit(old)
            self.apply(to: &array)
            return (array.value, .null)
        }
    }

    /// For transforms of arrays only.
    func apply(to array: inout ArrayEdit) {
        switch self.operation {
        case .appendMissingElements(let elements): array.append(elements)
        case .removeAllFromArray(let elements): array.removeAll(elements)
        case .requestTime, .increment, .maximum, .minimum: break
        }
    }

    /// The stored number when it stands in this order to the bound or equals it, else the bound; NaN wins over both.
    private static func chosen(_ old: Value?, _ bound: Value, when wanted: Ordering) -> Value {
        guard let old, old.isNumber else { return bound }
        if old.isNaN || bound.isNaN { return .double(.nan) }
        let order = Value.compare(old, bound)
        return order == wanted || order == .same ? old : bound
    }
}
