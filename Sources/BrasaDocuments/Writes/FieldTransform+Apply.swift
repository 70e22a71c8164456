extension FieldTransform {
    /// The field's new value, and what the write's result says of it.
    func applied(to old: Value?, requestTime: Timestamp) -> (new: Value, result: Value) {
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
        case .appendMissingElements(let elements):
            return (.array(Self.appending(elements, to: Self.elements(of: old))), .null)
        case .removeAllFromArray(let elements):
            let removed = Set(elements)
            return (.array(Self.elements(of: old).filter { !removed.contains($0) }), .null)
        }
    }

    /// The stored number when it stands in this order to the bound or equals it, else the bound; NaN wins over both.
    private static func chosen(_ old: Value?, _ bound: Value, when wanted: Ordering) -> Value {
        guard let old, old.isNumber else { return bound }
        if old.isNaN || bound.isNaN { return .double(.nan) }
        let order = Value.compare(old, bound)
        return order == wanted || order == .same ? old : bound
    }

    private static func elements(of value: Value?) -> [Value] {
        if case .array(let elements)? = value { elements } else { [] }
    }

    /// Each element is looked up by hash: both sides may be long.
    private static func appending(_ elements: [Value], to old: [Value]) -> [Value] {
        var present = Set(old)
        var result = old
        for element in elements where present.insert(element).inserted { result.append(element) }
        return result
    }
}
