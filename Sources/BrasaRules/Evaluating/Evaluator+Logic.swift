extension Evaluator {
    /// False on either side decides, even against an error on the other.
    mutating func evaluateAnd(_ left: NodeID, _ right: NodeID) throws(EvaluationError) -> RuleValue {
        .bool(try self.decide(left, right, by: false))
    }

    /// True on either side decides, even against an error on the other.
    mutating func evaluateOr(_ left: NodeID, _ right: NodeID) throws(EvaluationError) -> RuleValue {
        .bool(try self.decide(left, right, by: true))
    }

    private mutating func decide(_ left: NodeID, _ right: NodeID, by deciding: Bool) throws(EvaluationError) -> Bool {
        try self.spend(1)
        var failure: EvaluationError?
        do throws(EvaluationError) {
            if try self.condition(left) == deciding { return deciding }
        } catch {
            if error.endsDecision { throw error }
            failure = error
        }
        try self.spend(1)
        do throws(EvaluationError) {
            if try self.condition(right) == deciding { return deciding }
        } catch {
            throw error.endsDecision ? error : failure ?? error
        }
        if let failure { throw failure }
        return !deciding
    }

    mutating func evaluateBinary(
        _ known: BinaryOperator,
        _ left: NodeID,
        _ right: NodeID
    ) throws(EvaluationError) -> RuleValue {
        try self.spend(1)
        let one = try self.evaluate(left)
        let other = try self.evaluate(right)
        if self.isProving, one.isPartial || other.isPartial { return try self.prove(known, one, other) }
        switch known {
        case .equal: return .bool(try RuleValue.equal(one, other, as: .operands, &self.work))
        case .notEqual: return .bool(!(try RuleValue.equal(one, other, as: .operands, &self.work)))
        case .in: return .bool(try self.isIn(one, other))
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return .bool(try self.compare(known, one, other))
        default: return try Arithmetic.apply(known, one, other, &self.work)
        }
    }

    private mutating func isIn(_ value: RuleValue, _ container: RuleValue) throws(EvaluationError) -> Bool {
        switch (value, container) {
        case (_, .list(let elements)):
            var cursor = elements.cursor
            while let element = try cursor.next(&self.work) {
                if try RuleValue.equal(value, element, as: .elements, &self.work) { return true }
            }
            return false
        case (_, .set(let set)): return try set.contains(value, &self.work)
        case (.string(let key), .map(let map)): return try map.value(key, &self.work) != nil
        default: throw .functionNotFound("in")
        }
    }

    private mutating func compare(
        _ known: BinaryOperator,
        _ one: RuleValue,
        _ other: RuleValue
    ) throws(EvaluationError) -> Bool {
        guard let order = try RuleValue.compare(one, other, &self.work) else {
            throw .unsupported(.binary(known, one.type, other.type))
        }
        return switch known {
        case .less: order == .less
        case .lessOrEqual: order == .less || order == .same
        case .greater: order == .greater
        default: order == .greater || order == .same
        }
    }
}
