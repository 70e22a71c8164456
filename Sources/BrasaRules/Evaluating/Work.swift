internal import BrasaDocuments

/// What one decision may still cost beyond the number of its expressions: a single expression can compare, hash or search
/// megabytes. One unit is about what it takes to look at an element, a state of a pattern, or a few bytes.
struct Work {
    private(set) var left: Int

    init(_ units: Int) {
        self.left = units
    }

    mutating func spend(_ units: Int) throws(EvaluationError) {
        let (left, overflow) = self.left.subtractingReportingOverflow(units)
        guard !overflow, left >= 0 else {
            self.left = 0
            throw .workExceeded
        }
        self.left = left
    }

    /// What it takes to look at all of a value once, however often its parts are shared.
    mutating func spend(on value: RuleValue) throws(EvaluationError) {
        switch value {
        case .string(let text): try self.spend(1 + text.bytes.count / 8)
        case .bytes(let bytes): try self.spend(1 + bytes.count / 8)
        case .vector(let components): try self.spend(1 + components.count)
        case .path(let path): try self.spend(1 + path.segments.count)
        case .list(let elements): try self.spend(on: elements)
        case .set(let set): try self.spend(on: set.elements)
        case .map(let map): try self.spend(on: map)
        case .mapDiff(let diff):
            try self.spend(on: diff.old)
            try self.spend(on: diff.new)
        default: try self.spend(1)
        }
    }

    mutating func spend(on elements: [RuleValue]) throws(EvaluationError) {
        try self.spend(1)
        for element in elements { try self.spend(on: element) }
    }

    mutating func spend(on map: RuleMap) throws(EvaluationError) {
        if let decoding = map.decodingWork { return try self.spend(decoding) }
        try self.spend(1)
        for entry in map.entries {
            try self.spend(1 + entry.key.bytes.count / 8)
            try self.spend(on: entry.value)
        }
    }

    static func forDecoding(_ fields: EncodedFields) -> Int { 1 + fields.bytes.count / 8 }
}
