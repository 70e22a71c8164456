internal import BrasaDocuments

extension MethodName {
    /// Nil when lists have no such method, or not for these arguments. Elements compare by type as well as by value.
    func call(on list: RuleList, _ arguments: [RuleValue], _ work: inout Work) throws(EvaluationError) -> RuleValue? {
        switch (self, arguments.count) {
        case (.size, 0): return .int(Int64(try list.count(&work)))
        case (.toSet, 0): return .set(try RuleSet(list, &work))
        case (_, 1): break
        default: return nil
        }
        switch (self, arguments[0]) {
        case (.concat, .list(let other)):
            return .list(RuleList(try list.elements(&work) + (try other.elements(&work))))
        case (.join, .string(let separator)): return .string(try Self.join(list, separator, &work))
        case (.removeAll, .list(let other)):
            var removed = KeyTable(.elements)
            try removed.insert(other, &work)
            var kept: [RuleValue] = []
            var cursor = list.cursor
            while let element = try cursor.next(&work) {
                if try removed.index(of: element, &work) == nil { kept.append(element) }
            }
            return .list(RuleList(kept))
        case (.hasAll, .list(let other)), (.hasAny, .list(let other)), (.hasOnly, .list(let other)):
            return .bool(try self.compare(list, with: other, .elements, &work))
        case (.hasAll, .set(let other)), (.hasAny, .set(let other)), (.hasOnly, .set(let other)):
            return .bool(try self.compare(list, with: other.list, .order, &work))
        default: return nil
        }
    }

    /// Nil when sets have no such method, or not for these arguments. Elements compare by value.
    func call(on set: RuleSet, _ arguments: [RuleValue], _ work: inout Work) throws(EvaluationError) -> RuleValue? {
        if self == .size, arguments.isEmpty { return .int(Int64(try set.list.count(&work))) }
        guard arguments.count == 1 else { return nil }
        switch (self, arguments[0]) {
        case (.difference, .set(let other)), (.intersection, .set(let other)):
            var table = KeyTable(.order)
            try table.insert(other.list, &work)
            return .set(try set.filtered(table, areIn: self == .intersection, &work))
        case (.union, .set(let other)):
            let all = try set.list.elements(&work) + (try other.list.elements(&work))
            return .set(try RuleSet(RuleList(all), &work))
        case (.hasAll, .list(let other)), (.hasAny, .list(let other)), (.hasOnly, .list(let other)):
            return .bool(try self.compare(set.list, with: other, .order, &work))
        case (.hasAll, .set(let other)), (.hasAny, .set(let other)), (.hasOnly, .set(let other)):
            return .bool(try self.compare(set.list, with: other.list, .order, &work))
        default: return nil
        }
    }

    /// `hasAll`, `hasAny` and `hasOnly`: each element of both is looked at once.
    private func compare(
        _ own: RuleList,
        with others: RuleList,
        _ equality: Equality,
        _ work: inout Work
    ) throws(EvaluationError) -> Bool {
        var table = KeyTable(equality)
        try table.insert(others, &work)
        return switch self {
        case .hasAll: try table.isCovered(by: own, &work)
        case .hasAny: try table.containsAny(of: own, &work)
        default: try table.containsAll(of: own, &work)
        }
    }

    private static func join(
        _ list: RuleList,
        _ separator: RuleText,
        _ work: inout Work
    ) throws(EvaluationError) -> RuleText {
        var joined: [UInt8] = []
        var cursor = list.cursor
        var isFirst = true
        while let element = try cursor.next(&work) {
            guard let text = try element.text(&work) else {
                throw .type(received: element.type.rawValue, expected: "bool,float,int,null,path,string")
            }
            if !isFirst { joined.append(contentsOf: try separator.all(.block, &work)) }
            isFirst = false
            joined.append(contentsOf: try text.all(.block, &work))
        }
        return RuleText(validated: joined)
    }
}
