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
        case .equal: return .bool(try self.equal(one, other))
        case .notEqual: return .bool(!(try self.equal(one, other)))
        case .in: return .bool(try self.isIn(one, other))
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return .bool(try self.compare(known, one, other))
        default: return try Arithmetic.apply(known, one, other, &self.work)
        }
    }

    private mutating func equal(_ one: RuleValue, _ other: RuleValue) throws(EvaluationError) -> Bool {
        guard one.type == other.type else { return RuleValue.equal(one, other) }
        try self.work.spend(on: one)
        // What decodes costs on both sides; everything else ends with the shorter one.
        if case .map(let map) = other, map.decodingWork != nil { try self.work.spend(on: other) }
        return RuleValue.equal(one, other)
    }

    private mutating func isIn(_ value: RuleValue, _ container: RuleValue) throws(EvaluationError) -> Bool {
        switch (value, container) {
        case (_, .list(let elements)):
            try self.work.spend(on: elements)
            return elements.contains { RuleValue.strictlyEqual(value, $0) }
        case (_, .set(let set)):
            try self.work.spend(on: set.elements)
            return set.contains(value)
        case (.string(let key), .map(let map)):
            try self.work.spend(map.lookupWork)
            return map.value(key) != nil
        default: throw .functionNotFound("in")
        }
    }

    private mutating func compare(
        _ known: BinaryOperator,
        _ one: RuleValue,
        _ other: RuleValue
    ) throws(EvaluationError) -> Bool {
        try self.work.spend(on: one)
        guard let order = RuleValue.compare(one, other) else { throw Arithmetic.failure(known, one, other) }
        return switch known {
        case .less: order == .less
        case .lessOrEqual: order == .less || order == .same
        case .greater: order == .greater
        default: order == .greater || order == .same
        }
    }
}
