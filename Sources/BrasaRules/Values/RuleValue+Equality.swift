internal import BrasaDocuments

/// The senses in which values are equal. Values of different types never are, but for numbers.
enum Equality {
    /// What `==` says: numbers compare by what they are worth, an integer as a double.
    case operands
    /// As elements of lists, by `in` and the lists' methods: by type as well as by value.
    case elements
    /// Within lists and maps that are operands or elements: zeros by their sign as well.
    case parts
    /// As sets and differences of maps tell values apart, however deep: as documents are ordered, so that numbers compare
    /// exactly and not a number is itself.
    case order

    /// The sense for what is in a list or a map.
    var inside: Equality { self == .order ? .order : .parts }

    func equal(_ left: Int64, _ right: Double) -> Bool {
        switch self {
        case .operands: Double(left) == right
        case .elements, .parts: false
        case .order: Int64(exactly: right) == left
        }
    }

    func equal(_ left: Double, _ right: Double) -> Bool {
        switch self {
        case .operands, .elements: left == right
        case .parts: left == right && left.sign == right.sign
        case .order: left == right || left.isNaN && right.isNaN
        }
    }
}

extension RuleValue {
    /// Recurses as deep as the values nest.
    static func equal(
        _ left: RuleValue,
        _ right: RuleValue,
        as equality: Equality,
        _ work: inout Work
    ) throws(EvaluationError) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.int(let int), .float(let float)), (.float(let float), .int(let int)): equality.equal(int, float)
        case (.float(let left), .float(let right)): equality.equal(left, right)
        case (.string(let left), .string(let right)): try RuleText.equal(left, right, &work)
        case (.bytes(let left), .bytes(let right)): try RuleBytes.equal(left, right, &work)
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.duration(let left), .duration(let right)): left == right
        case (.latlng(let left, let leftLongitude), .latlng(let right, let rightLongitude)):
            Equality.parts.equal(left, right) && Equality.parts.equal(leftLongitude, rightLongitude)
        case (.path(let left), .path(let right)): try RulePath.equal(left, right, &work)
        case (.vector(let left), .vector(let right)): try self.equalVectors(left, right, &work)
        case (.list(let left), .list(let right)): try RuleList.equal(left, right, as: equality.inside, &work)
        case (.set(let left), .set(let right)): try RuleSet.equal(left, right, &work)
        case (.map(let left), .map(let right)): try RuleMap.equal(left, right, as: equality.inside, &work)
        // Two differences are never equal, but as elements of one set they are one.
        case (.mapDiff(let left), .mapDiff(let right)) where equality == .order:
            try RuleMap.equal(left.old, right.old, as: .order, &work)
                ? try RuleMap.equal(left.new, right.new, as: .order, &work) : false
        default: false
        }
    }

    private static func equalVectors(
        _ left: RuleList,
        _ right: RuleList,
        _ work: inout Work
    ) throws(EvaluationError) -> Bool {
        var (one, other) = (left.cursor, right.cursor)
        while true {
            let (one, other) = (try one.next(&work), try other.next(&work))
            guard let one, let other else { return one == nil && other == nil }
            guard one.double == other.double else { return false }
        }
    }

    /// Values that are equal as elements, or in order, have equal hashes.
    func hash(into hasher: inout Hasher, _ work: inout Work) throws(EvaluationError) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let bool): hasher.combine(bool)
        case .int(let int): hasher.combine(Double(int))
        case .float(let float): hasher.combine(float.isNaN ? .nan : float)
        case .string(let text): try text.bytes.hash(into: &hasher, &work)
        case .bytes(let bytes): try bytes.hash(into: &hasher, &work)
        case .timestamp(let time): hasher.combine(time)
        case .duration(let duration): hasher.combine(duration)
        case .latlng(let latitude, let longitude):
            hasher.combine(latitude)
            hasher.combine(longitude)
        case .path(let path): try path.hash(into: &hasher, &work)
        case .list(let list):
            var cursor = list.cursor
            while let element = try cursor.next(&work) { try element.hash(into: &hasher, &work) }
            hasher.combine(3)
        case .map(let map):
            var cursor = map.cursor
            while let entry = try cursor.next(&work) {
                try entry.key.bytes.hash(into: &hasher, &work)
                try entry.value.hash(into: &hasher, &work)
            }
            hasher.combine(4)
        case .set(let set): hasher.combine(try set.list.count(&work))
        case .mapDiff, .vector, .constraint: hasher.combine(self.type)
        }
    }

    /// What `<` and its kin compare; nil when these two have no order. NaN is neither less nor more nor the same.
    enum Comparison {
        case less, same, greater, unordered
    }

    static func compare(
        _ left: RuleValue,
        _ right: RuleValue,
        _ work: inout Work
    ) throws(EvaluationError) -> Comparison? {
        switch (left, right) {
        case (.int(let left), .int(let right)): self.compare(left, right)
        case (.int(let left), .float(let right)): self.compare(Double(left), right)
        case (.float(let left), .int(let right)): self.compare(left, Double(right))
        case (.float(let left), .float(let right)): self.compare(left, right)
        case (.string(let left), .string(let right)): try UTF16Text.compare(left, right, &work)
        case (.bytes(let left), .bytes(let right)):
            switch try RuleBytes.compare(left, right, &work) {
            case .ascending: .less
            case .same: .same
            case .descending: .greater
            }
        case (.timestamp(let left), .timestamp(let right)): self.compare(left.total, right.total)
        case (.duration(let left), .duration(let right)): self.compare(left.total, right.total)
        default: nil
        }
    }

    private static func compare<Number: Comparable>(_ left: Number, _ right: Number) -> Comparison {
        left < right ? .less : left > right ? .greater : left == right ? .same : .unordered
    }
}
