package import BrasaDocuments

/// A value that a rule computes with: those that documents hold, and those that only rules know.
package enum RuleValue: Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case float(Double)
    case string(UTF8Text)
    case bytes([UInt8])
    case timestamp(RuleTimestamp)
    case duration(RuleDuration)
    case latlng(latitude: Double, longitude: Double)
    case path(RulePath)
    case list([RuleValue])
    case set(RuleSet)
    case map(RuleMap)
    case mapDiff(RuleMapDiff)
    case vector([Double])
    /// What is known of a value that only the query's answer would show.
    case constraint(RuleConstraint)

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
    /// A stored value as rules see it. Recurses as deep as the value nests, which documents bound.
    package init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .boolean(let bool): self = .bool(bool)
        case .integer(let int): self = .int(int)
        case .double(let float): self = .float(float)
        case .timestamp(let time): self = .timestamp(RuleTimestamp(time))
        case .string(let text): self = .string(text)
        case .bytes(let bytes): self = .bytes(bytes)
        case .reference(let name):
            self = .path(RulePath(database: name.database.database, path: name.path))
        case .geoPoint(let latitude, let longitude): self = .latlng(latitude: latitude, longitude: longitude)
        case .array(let elements): self = .list(elements.map { RuleValue($0) })
        case .map(let entries):
            if let components = value.vectorComponents {
                self = .vector(components)
            } else {
                self = .map(RuleMap(sorted: entries.map { RuleMap.Entry(key: $0.key, value: RuleValue($0.value)) }))
            }
        }
    }
}
