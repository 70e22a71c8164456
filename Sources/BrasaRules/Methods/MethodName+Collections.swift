internal import BrasaDocuments

extension MethodName {
    /// Nil when lists have no such method, or not for these arguments. Elements compare by type as well as by value.
    func call(on list: [RuleValue], _ arguments: [RuleValue], _ work: inout Work) throws(EvaluationError) -> RuleValue?
    {
        switch (self, arguments.count) {
        case (.size, 0): return .int(Int64(list.count))
        case (.toSet, 0):
            try work.spend(on: list)
            return .set(RuleSet(list))
        case (_, 1): break
        default: return nil
        }
        switch (self, arguments[0]) {
        case (.concat, .list(let other)):
            try work.spend(list.count + other.count)
            return .list(list + other)
        case (.join, .string(let separator)): return .string(try Self.join(list, separator, &work))
        case (.removeAll, .list(let other)):
            try work.spend(on: list)
            try work.spend(on: other)
            let removed = Set(other.map(StrictKey.init))
            return .list(list.filter { !removed.contains(StrictKey($0)) })
        case (.hasAll, let other), (.hasAny, let other), (.hasOnly, let other):
            try work.spend(on: list)
            try work.spend(on: other)
            switch other {
            case .list(let other): return .bool(self.holds(list.map(StrictKey.init), other.map(StrictKey.init)))
            case .set(let other):
                return .bool(self.holds(list.map(NumericKey.init), other.elements.map(NumericKey.init)))
            default: return nil
            }
        default: return nil
        }
    }

    /// Nil when sets have no such method, or not for these arguments. Elements compare by value.
    func call(on set: RuleSet, _ arguments: [RuleValue], _ work: inout Work) throws(EvaluationError) -> RuleValue? {
        if self == .size, arguments.isEmpty { return .int(Int64(set.elements.count)) }
        guard arguments.count == 1 else { return nil }
        try work.spend(on: set.elements)
        try work.spend(on: arguments[0])
        switch (self, arguments[0]) {
        case (.difference, .set(let other)):
            let keys = other.keys
            return .set(set.filtered { !keys.contains($0) })
        case (.intersection, .set(let other)):
            let keys = other.keys
            return .set(set.filtered { keys.contains($0) })
        case (.union, .set(let other)): return .set(RuleSet(set.elements + other.elements))
        case (.hasAll, .set), (.hasAll, .list), (.hasAny, .set), (.hasAny, .list), (.hasOnly, .set), (.hasOnly, .list):
            let others: [RuleValue]
            switch arguments[0] {
            case .set(let other): others = other.elements
            case .list(let other): others = other
            default: return nil
            }
            return .bool(self.holds(set.elements.map(NumericKey.init), others.map(NumericKey.init)))
        default: return nil
        }
    }

    /// Short collections are looked through as they are.
    private static let scannedCountMax = 8

    private func holds<Key: Hashable>(_ own: [Key], _ others: [Key]) -> Bool {
        switch self {
        case .hasAll: Self.containment(own, of: others) { others.allSatisfy($0) }
        case .hasAny: Self.containment(own, of: others) { others.contains(where: $0) }
        default: Self.containment(others, of: own) { own.allSatisfy($0) }
        }
    }

    private static func containment<Key: Hashable>(
        _ whole: [Key],
        of parts: [Key],
        _ decide: ((Key) -> Bool) -> Bool
    ) -> Bool {
        if min(whole.count, parts.count) <= self.scannedCountMax, whole.count <= 64 {
            return decide { whole.contains($0) }
        }
        let set = Set(whole)
        return decide { set.contains($0) }
    }

    private static func join(
        _ list: [RuleValue],
        _ separator: UTF8Text,
        _ work: inout Work
    ) throws(EvaluationError) -> UTF8Text {
        var joined: [UInt8] = []
        for (index, element) in list.enumerated() {
            let size = joined.count
            if index > 0 { joined.append(contentsOf: separator.bytes) }
            guard let text = element.text else {
                throw .type(received: element.type.rawValue, expected: "bool,float,int,null,path,string")
            }
            joined.append(contentsOf: text.bytes)
            try work.spend(1 + (joined.count - size) / 4)
        }
        return UTF8Text(validating: joined) ?? ""
    }
}

extension RuleValue {
    /// What `string()` makes of a value; nil for those that have no text.
    var text: UTF8Text? {
        switch self {
        case .null: "null"
        case .bool(let bool): bool ? "true" : "false"
        case .int(let int): UTF8Text(String(int))
        case .float(let float): UTF8Text(NumberText.text(of: float))
        case .string(let text): text
        case .path(let path): UTF8Text(path.text)
        default: nil
        }
    }
}
