internal import BrasaDocuments

extension RuleValue {
    /// What `==` says: never an error. Numbers of both kinds compare by what they are worth (the integer as a double),
    /// but not inside lists and maps.
    static func equal(_ left: RuleValue, _ right: RuleValue) -> Bool {
        switch (left, right) {
        case (.int(let left), .float(let right)): Double(left) == right
        case (.float(let left), .int(let right)): left == Double(right)
        default: self.strictlyEqual(left, right)
        }
    }

    /// Equality inside lists and maps. Recurses as deep as the values nest.
    static func strictlyEqual(_ left: RuleValue, _ right: RuleValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.float(let left), .float(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.bytes(let left), .bytes(let right)): ByteOrder.equal(left, right)
        case (.timestamp(let left), .timestamp(let right)): left == right
        case (.duration(let left), .duration(let right)): left == right
        case (.latlng(let left, let leftLongitude), .latlng(let right, let rightLongitude)):
            left == right && leftLongitude == rightLongitude
        case (.path(let left), .path(let right)): left == right
        case (.vector(let left), .vector(let right)): left == right
        case (.list(let left), .list(let right)):
            left.count == right.count && zip(left, right).allSatisfy { self.strictlyEqual($0, $1) }
        case (.set(let left), .set(let right)): self.equal(left, right)
        case (.map(let left), .map(let right)): self.equal(left.entries, right.entries)
        case (.mapDiff(let left), .mapDiff(let right)):
            self.equal(left.old.entries, right.old.entries) && self.equal(left.new.entries, right.new.entries)
        default: false
        }
    }

    private static func equal(_ left: RuleSet, _ right: RuleSet) -> Bool {
        guard left.elements.count == right.elements.count else { return false }
        let keys = right.keys
        return left.elements.allSatisfy { keys.contains(NumericKey($0)) }
    }

    private static func equal(_ left: [RuleMap.Entry], _ right: [RuleMap.Entry]) -> Bool {
        left.count == right.count
            && zip(left, right).allSatisfy { $0.key == $1.key && self.strictlyEqual($0.value, $1.value) }
    }

    /// Equal values of either equality have equal hashes.
    func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let bool): hasher.combine(bool)
        case .int(let int): hasher.combine(Double(int))
        case .float(let float): hasher.combine(float)
        case .string(let text): hasher.combine(text)
        case .bytes(let bytes): hasher.combine(bytes)
        case .timestamp(let time): hasher.combine(time)
        case .duration(let duration): hasher.combine(duration)
        case .latlng(let latitude, let longitude):
            hasher.combine(latitude)
            hasher.combine(longitude)
        case .path(let path): hasher.combine(path)
        case .vector(let components): hasher.combine(components)
        case .list(let elements): elements.forEach { $0.hash(into: &hasher) }
        case .set(let set): hasher.combine(set.elements.count)
        case .map(let map):
            for entry in map.entries {
                hasher.combine(entry.key)
                entry.value.hash(into: &hasher)
            }
        case .mapDiff: hasher.combine(1)
        case .constraint: hasher.combine(2)
        }
    }

    /// What `<` and its kin compare; nil when these two have no order. NaN is neither less nor more nor the same.
    enum Comparison {
        case less, same, greater, unordered
    }

    static func compare(_ left: RuleValue, _ right: RuleValue) -> Comparison? {
        switch (left, right) {
        case (.int(let left), .int(let right)): self.compare(left, right)
        case (.int(let left), .float(let right)): self.compare(Double(left), right)
        case (.float(let left), .int(let right)): self.compare(left, Double(right))
        case (.float(let left), .float(let right)): self.compare(left, right)
        case (.string(let left), .string(let right)): UTF16Text.compare(left, right)
        case (.bytes(let left), .bytes(let right)):
            switch ByteOrder.compare(left, right) {
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
