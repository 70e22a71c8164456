package import BrasaDocuments

/// A value that a rule computes with: those that documents hold, and those that only rules know.
package enum RuleValue: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case float(Double)
    case string(RuleText)
    case bytes(RuleBytes)
    case timestamp(RuleTimestamp)
    case duration(RuleDuration)
    case latlng(latitude: Double, longitude: Double)
    case path(RulePath)
    case list(RuleList)
    case set(RuleSet)
    case map(RuleMap)
    indirect case mapDiff(RuleMapDiff)
    /// Its components: numbers.
    case vector(RuleList)
    /// What is known of a value that only the query's answer would show.
    indirect case constraint(RuleConstraint)

    var type: TypeName {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int: .int
        case .float: .float
        case .string: .string
        case .bytes: .bytes
        case .timestamp: .timestamp
        case .duration: .duration
        case .latlng: .latlng
        case .path: .path
        case .list: .list
        case .set: .set
        case .map: .map
        case .mapDiff: .mapDiff
        case .vector: .vector
        case .constraint: .constraint
        }
    }

    func `is`(_ type: TypeName) -> Bool {
        type == .number ? self.type == .int || self.type == .float : self.type == type
    }
}

extension RuleValue {
    /// A stored value as rules see it, without what is in it.
    init(_ stored: BytePart, _ work: inout Work) throws(EvaluationError) {
        switch EncodedPart(canonical: stored) {
        case .null: self = .null
        case .boolean(let bool): self = .bool(bool)
        case .integer(let int): self = .int(int)
        case .double(let float): self = .float(float)
        case .timestamp(let time): self = .timestamp(RuleTimestamp(time))
        case .string(let bytes): self = .string(RuleText(validated: RuleBytes(bytes)))
        case .bytes(let bytes): self = .bytes(RuleBytes(bytes))
        case .reference(let name): self = .path(try RulePath(reference: RuleBytes(name), &work))
        case .geoPoint(let latitude, let longitude): self = .latlng(latitude: latitude, longitude: longitude)
        case .array(let elements): self = .list(RuleList(elements))
        case .map(let entries): self = .map(RuleMap(entries))
        case .vector(let components): self = .vector(RuleList(components))
        }
    }

    /// A decoded value as rules see it: what comes with a request, before it is judged. Recurses as deep as the value
    /// nests, which documents bound.
    package init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .boolean(let bool): self = .bool(bool)
        case .integer(let int): self = .int(int)
        case .double(let float): self = .float(float)
        case .timestamp(let time): self = .timestamp(RuleTimestamp(time))
        case .string(let text): self = .string(RuleText(text))
        case .bytes(let bytes): self = .bytes(RuleBytes(bytes))
        case .reference(let name):
            self = .path(RulePath(database: name.database.database, path: name.path))
        case .geoPoint(let latitude, let longitude): self = .latlng(latitude: latitude, longitude: longitude)
        case .array(let elements): self = .list(RuleList(elements.map { RuleValue($0) }))
        case .map(let entries):
            if let components = value.vectorComponents {
                self = .vector(RuleList(components.map { .float($0) }))
            } else {
                self = .map(RuleMap(sorted: entries.map { RuleMap.Entry(key: $0.key, value: RuleValue($0.value)) }))
            }
        }
    }
}
