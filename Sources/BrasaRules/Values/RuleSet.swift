/// Values of which none is equal to another as documents are ordered: 1 and 1.0 are one element. Their own order is that in which
/// they came.
package struct RuleSet: Sendable {
    let list: RuleList

    init(_ values: RuleList, _ work: inout Work) throws(EvaluationError) {
        var table = KeyTable(.order)
        try table.insert(values, &work)
        self.list = RuleList(table.values)
    }

    init(distinct elements: [RuleValue]) {
        self.list = RuleList(elements)
    }

    func contains(_ value: RuleValue, _ work: inout Work) throws(EvaluationError) -> Bool {
        var cursor = self.list.cursor
        while let element = try cursor.next(&work) {
            if try RuleValue.equal(element, value, as: .order, &work) { return true }
        }
        return false
    }

    /// The elements that are in a table, or that are not.
    func filtered(
        _ table: KeyTable,
        areIn: Bool,
        _ work: inout Work
    ) throws(EvaluationError) -> RuleSet {
        var kept: [RuleValue] = []
        var cursor = self.list.cursor
        while let element = try cursor.next(&work) {
            if (try table.index(of: element, &work) != nil) == areIn { kept.append(element) }
        }
        return RuleSet(distinct: kept)
    }

    static func equal(_ left: RuleSet, _ right: RuleSet, _ work: inout Work) throws(EvaluationError) -> Bool {
        guard try left.list.count(&work) == right.list.count(&work) else { return false }
        var table = KeyTable(.order)
        try table.insert(right.list, &work)
        return try table.containsAll(of: left.list, &work)
    }
}
