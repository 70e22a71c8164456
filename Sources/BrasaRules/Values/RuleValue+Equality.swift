internal import BrasaDocuments

extension RuleValue {
    /// What `==` says: no type is wrong. Numbers of both kinds compare by what they are worth (the integer as a double),
    /// but not inside lists and maps.
    static func equal(_ left: RuleValue, _ right: RuleValue, _ work: inout Work) throws(EvaluationError) -> Bool {
        switch (left, right) {
        case (.int(let left), .float(let right)): Double(left) == right
        case (.float(let left), .int(let right)): left == Double(right)
        default: try self.strictlyEqual(left, right, &work)
        }
    }

    /// Equality inside lists and maps. Recurses as deep as the values nest.
    static func strictlyEqual(
        _ left: RuleValue,
        _ right: RuleValue,
        _ work: inout Work
    ) throws(EvaluationError) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.float(let left), .float(let right)): left == right
        case (.string(let left), .string(let right)): try RuleText.equal(left, right, &work)
        case (.bytes(let left), .bytes(let right)): try RuleBytes.equal(left, right, &work)
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.duration(let left), .duration(let right)): left == right
        case (.latlng(let left, let leftLongitude), .latlng(let right, let rightLongitude)):
            left == right && leftLongitude == rightLongitude
        case (.path(let left), .path(let right)): try RulePath.equal(left, right, &work)
        case (.vector(let left), .vector(let right)): try self.equalVectors(left, right, &work)
        case (.list(let left), .list(let right)): try RuleList.equal(left, right, &work)
        case (.set(let left), .set(let right)): try RuleSet.equal(left, right, &work)
        case (.map(let left), .map(let right)): try RuleMap.equal(left, right, &work)
        case (.mapDiff(let left), .mapDiff(let right)):
            try RuleMap.equal(left.old, right.old, &work) ? try RuleMap.equal(left.new, right.new, &work) : false
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

    /// Equal values of either equality have equal hashes.
    func hash(into hasher: inout Hasher, _ work: inout Work) throws(EvaluationError) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let bool): hasher.combine(bool)
        case .int(let int): hasher.combine(Double(int))
        case .float(let float): hasher.combine(float)
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
