internal import BrasaDocuments

extension Compiler {
    /// Compiles an expression, and says what types its value may have. As deep as the tree, which the parser bounds.
    mutating func compile(_ id: ExpressionID, in scope: Int) -> (NodeID, TypeSet) {
        let syntax = self.syntax.expressions[id]
        let range = syntax.range
        switch syntax.kind {
        case .null: return self.literal(.null, range)
        case .boolean(let bool): return self.literal(.bool(bool), range)
        case .integer(let int): return self.literal(.int(int), range)
        case .float(let float): return self.literal(.float(float), range)
        case .string(let text): return self.literal(.string(RuleText(text)), range)
        case .bytes(let bytes): return self.literal(.bytes(RuleBytes(bytes)), range)
        case .name(let name): return self.compileName(name, scope, at: range)
        case .list(let elements): return self.compileList(elements, scope, range)
        case .map(let entries):
            let nodes = entries.map { self.compile($0, in: scope).0 }
            return (self.draft.add(.map(nodes), at: range), .map)
        case .path(let segments): return self.compilePath(segments, scope, range)
        case .member(let value, let name):
            if let chain = self.compileChain(id, scope) { return chain }
            let (node, _) = self.compile(value, in: scope)
            return (self.draft.add(.member(node, RuleText(UTF8Text(name))), at: range), .any)
        case .index(let value, let index):
            let (value, types) = self.compile(value, in: scope)
            let (index, _) = self.compile(index, in: scope)
            return (self.draft.add(.index(value, index), at: range), types == .string ? .string : .any)
        case .slice(let value, let from, let to):
            let (value, types) = self.compile(value, in: scope)
            let from = from.map { self.compile($0, in: scope).0 }
            let to = to.map { self.compile($0, in: scope).0 }
            return (self.draft.add(.slice(value, from: from, to: to), at: range), types)
        case .call, .packageCall, .method: return self.compileCall(syntax, scope)
        case .not(let operand):
            let node = self.compileCondition(operand, scope)
            return (self.draft.add(.not(node), at: range), .bool)
        case .negate(let operand): return self.compileNegation(operand, scope, range)
        case .binary(let known, let left, let right): return self.compile(known, left, right, scope, range)
        case .isType(let operand, let type):
            let (node, _) = self.compile(operand, in: scope)
            return (self.draft.add(.isType(node, type), at: range), .bool)
        case .conditional(let condition, let yes, let no):
            let condition = self.compileCondition(condition, scope)
            let (yes, yesTypes) = self.compile(yes, in: scope)
            let (no, noTypes) = self.compile(no, in: scope)
            return (self.draft.add(.conditional(condition, yes, no), at: range), yesTypes.union(noTypes))
        case .invalid: return (self.draft.add(.unknownName, at: range), .any)
        }
    }

    private mutating func literal(_ value: RuleValue, _ range: SourceRange) -> (NodeID, TypeSet) {
        (self.draft.add(.constant(value, cost: 1), at: range), TypeSet(value.type))
    }

    private mutating func compileList(
        _ elements: [ExpressionID],
        _ scope: Int,
        _ range: SourceRange
    ) -> (NodeID, TypeSet) {
        let nodes = elements.map { self.compile($0, in: scope).0 }
        let constants = nodes.compactMap { self.draft.constant($0) }
        if constants.count == nodes.count {
            let cost = constants.reduce(1) { $0 + $1.cost }
            return (self.draft.add(.constant(.list(RuleList(constants.map(\.value))), cost: cost), at: range), .list)
        }
        return (self.draft.add(.list(nodes), at: range), .list)
    }

    /// A name in braces is a variable of the path, unless it means something where the path is written.
    private mutating func compilePath(
        _ segments: [PathSegmentSyntax],
        _ scope: Int,
        _ range: SourceRange
    ) -> (NodeID, TypeSet) {
        var parts: [PathPart] = []
        var literals: [RulePath.Segment] = []
        for segment in segments {
            switch segment {
            case .literal(let text):
                parts.append(.literal(RuleText(text)))
                literals.append(.simple(RuleText(text)))
            case .interpolation(let expression): parts.append(.expression(self.compile(expression, in: scope).0))
            case .variable(let name, let isGlob):
                if !isGlob, self.meaning(of: name, in: scope) != nil {
                    parts.append(.expression(self.compileName(name, scope, at: range).0))
                } else {
                    let name = RuleText(UTF8Text(name))
                    parts.append(isGlob ? .glob(name) : .variable(name))
                }
            }
        }
        if literals.count == parts.count {
            let path = RuleValue.path(RulePath(literals))
            return (self.draft.add(.constant(path, cost: 1 + literals.count), at: range), .path)
        }
        return (self.draft.add(.path(parts), at: range), .path)
    }

    private mutating func compileNegation(
        _ operand: ExpressionID,
        _ scope: Int,
        _ range: SourceRange
    ) -> (NodeID, TypeSet) {
        let (node, types) = self.compile(operand, in: scope)
        switch self.draft.constant(node)?.value {
        case .int(let int) where int != .min:
            return (self.draft.add(.constant(.int(-int), cost: 2), at: range), .int)
        case .float(let float): return (self.draft.add(.constant(.float(-float), cost: 2), at: range), .float)
        default: break
        }
        self.expect(types, [.number, .duration], at: self.syntax.expressions[operand].range)
        return (self.draft.add(.negate(node), at: range), types)
    }

    /// An operand that must be a bool.
    private mutating func compileCondition(_ id: ExpressionID, _ scope: Int) -> NodeID {
        let (node, types) = self.compile(id, in: scope)
        self.expect(types, .bool, at: self.syntax.expressions[id].range)
        return node
    }

    mutating func expect(_ types: TypeSet, _ expected: TypeSet, at range: SourceRange) {
        guard types.isDisjoint(with: expected) else { return }
        let received = types.names.joined(separator: ",")
        let wanted = expected.names.joined(separator: ",")
        self.diagnostics.warn("Invalid type. Received one of [\(received)]. Expected one of [\(wanted)].", at: range)
    }

    private mutating func compile(
        _ known: BinaryOperator,
        _ left: ExpressionID,
        _ right: ExpressionID,
        _ scope: Int,
        _ range: SourceRange
    ) -> (NodeID, TypeSet) {
        if known == .and || known == .or {
            let left = self.compileCondition(left, scope)
            let right = self.compileCondition(right, scope)
            return (self.draft.add(known == .and ? .and(left, right) : .or(left, right), at: range), .bool)
        }
        let (leftNode, leftTypes) = self.compile(left, in: scope)
        let (rightNode, rightTypes) = self.compile(right, in: scope)
        let node = self.draft.add(.binary(known, leftNode, rightNode), at: range)
        switch known {
        case .equal, .notEqual:
            self.checkComparable(leftTypes, rightTypes, known, range)
            return (node, .bool)
        case .in:
            self.expect(rightTypes, [.list, .set, .map], at: self.syntax.expressions[right].range)
            return (node, .bool)
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            let ordered: TypeSet = [.number, .string, .bytes, .duration, .timestamp]
            self.expect(leftTypes, ordered, at: self.syntax.expressions[left].range)
            self.expect(rightTypes, ordered, at: self.syntax.expressions[right].range)
            return (node, .bool)
        default:
            let operands = known.operandTypes
            self.expect(leftTypes, operands, at: self.syntax.expressions[left].range)
            self.expect(rightTypes, operands, at: self.syntax.expressions[right].range)
            return (node, leftTypes == rightTypes && leftTypes.isSubset(of: .int) ? .int : operands)
        }
    }

    private mutating func checkComparable(
        _ left: TypeSet,
        _ right: TypeSet,
        _ known: BinaryOperator,
        _ range: SourceRange
    ) {
        func widened(_ types: TypeSet) -> TypeSet { types.isDisjoint(with: .number) ? types : types.union(.number) }
        guard widened(left).isDisjoint(with: widened(right)) else { return }
        self.diagnostics.warn(
            "The sub-expressions are not comparable, so this comparison will always return \(known == .notEqual).",
            at: range
        )
    }
}

extension BinaryOperator {
    /// What an arithmetic operator takes.
    var operandTypes: TypeSet {
        switch self {
        case .plus: [.number, .string, .duration, .timestamp]
        case .minus: [.number, .duration, .timestamp]
        case .times, .divide, .modulo: .number
        default: .any
        }
    }
}
