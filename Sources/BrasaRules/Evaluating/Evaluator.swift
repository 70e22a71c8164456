internal import BrasaDocuments

/// What a parameter or a `let` holds: an error counts only where the name is used.
enum EvaluatedSlot {
    case value(RuleValue)
    case failure(EvaluationError)
}

/// Evaluates the expressions of a program for one request. Every step down the tree spends an expression, so that the
/// budget bounds the depth of the recursion as well.
struct Evaluator<Observer: EvaluationObserver> {
    let program: Program
    let request: RuleRequest
    let path: TestedPath
    let documents: any RuleDocuments
    /// That of the request, swapped in and out: a copy would be copied again by the first that is written down.
    var ledger = AccessLedger(.single)
    var observer: Observer
    var budget: EvaluationBudget
    /// A query is judged: what is known of its documents may be known in part.
    let isProving: Bool
    /// The block whose statements are tried.
    var match = BlockMatch(block: 0, patternCount: 0, glob: nil)
    var locals: [EvaluatedSlot] = []
    var frame = 0

    init(
        _ program: Program,
        _ request: RuleRequest,
        _ path: TestedPath,
        _ documents: any RuleDocuments,
        _ budget: EvaluationBudget,
        _ observer: Observer
    ) {
        self.program = program
        self.isProving = if case .known = request.stored { true } else { false }
        self.request = request
        self.path = path
        self.documents = documents
        self.observer = observer
        self.budget = budget
    }

    var work: Work {
        get { self.budget.work }
        _modify { yield &self.budget.work }
    }

    mutating func spend(_ expressions: Int) throws(EvaluationError) { try self.budget.spend(expressions) }

    mutating func evaluate(_ id: NodeID) throws(EvaluationError) -> RuleValue {
        guard Observer.isWatching else { return try self.step(id) }
        do throws(EvaluationError) {
            let value = try self.step(id)
            self.observer.evaluated(id, .success(value))
            return value
        } catch {
            self.observer.evaluated(id, .failure(error))
            throw error
        }
    }

    private mutating func step(_ id: NodeID) throws(EvaluationError) -> RuleValue {
        switch self.program.nodes[id] {
        case .constant(let value, let cost):
            try self.spend(cost)
            return value
        case .local(let index):
            try self.spend(1)
            return try self.local(index)
        case .storedField(let field):
            try self.spend(field.cost)
            return try self.field(field, of: self.request.stored)
        case .futureField(let field):
            try self.spend(field.cost)
            guard let future = self.request.future else { throw .undefinedProperty(RequestMember.resource.rawValue) }
            return try self.field(field, of: future)
        case .and(let left, let right): return try self.evaluateAnd(left, right)
        case .or(let left, let right): return try self.evaluateOr(left, right)
        case .binary(let known, let left, let right): return try self.evaluateBinary(known, left, right)
        case .member(let value, let name):
            try self.spend(1)
            return try self.member(name, of: try self.evaluate(value))
        // By its place: a node is not copied.
        default: return try self.stepRarer(id)
        }
    }

    @inline(never)
    private mutating func stepRarer(_ id: NodeID) throws(EvaluationError) -> RuleValue {
        switch self.program.nodes[id] {
        case .not(let operand):
            try self.spend(1)
            return .bool(!(try self.condition(operand)))
        case .conditional(let condition, let yes, let no):
            try self.spend(2)
            return try self.evaluate(try self.condition(condition) ? yes : no)
        case .requestMember(let member):
            try self.spend(2)
            return try self.requestMember(member)
        case .request:
            try self.spend(1)
            return try self.requestValue()
        case .resource:
            try self.spend(1)
            return try self.documentValue(self.request.stored)
        case .capture(let segment):
            try self.spend(1)
            return try self.capture(segment)
        case .unknownName:
            try self.spend(1)
            throw .nullValue
        case .unknownFunction(let name):
            try self.spend(1)
            throw .functionNotFound(name)
        case .wrongCount(let received, let expected):
            try self.spend(1)
            throw .argumentCount(received: received, expected: expected)
        default: return try self.stepRarest(id)
        }
    }

    @inline(never)
    private mutating func stepRarest(_ id: NodeID) throws(EvaluationError) -> RuleValue {
        switch self.program.nodes[id] {
        case .negate(let operand):
            try self.spend(1)
            return try Arithmetic.negate(try self.evaluate(operand))
        case .isType(let operand, let type):
            try self.spend(2)
            let value = try self.evaluate(operand)
            if case .constraint = value { throw .undetermined }
            return .bool(value.is(type))
        case .index(let value, let index): return try self.evaluateIndex(value, index)
        case .slice(let value, let from, let to): return try self.evaluateSlice(value, from, to)
        case .list(let elements):
            try self.spend(1)
            return .list(RuleList(try self.evaluateWhole(elements)))
        case .map(let entries): return try self.evaluateMap(entries)
        case .path(let parts): return try self.evaluatePath(parts)
        case .call(let function, let arguments): return try self.evaluateCall(function, arguments)
        case .function(let function, let arguments):
            try self.spend(1)
            return try function.call(try self.evaluateWhole(arguments), &self.work)
        case .access(let access, let argument): return try self.evaluateAccess(access, argument)
        case .method(let method, let receiver, let arguments, let pattern):
            try self.spend(1)
            let value = try self.evaluate(receiver)
            let arguments = try self.evaluate(arguments)
            if self.isProving, value.isPartial || arguments.contains(where: \.isPartial) {
                return try self.prove(method, on: value, arguments)
            }
            return try method.call(
                on: value,
                arguments,
                pattern: pattern.map { self.program.patterns[$0] },
                &self.work
            )
        default: throw .nullValue
        }
    }

    mutating func evaluate(_ ids: [NodeID]) throws(EvaluationError) -> [RuleValue] {
        var values: [RuleValue] = []
        values.reserveCapacity(ids.count)
        for id in ids { values.append(try self.evaluate(id)) }
        return values
    }

    /// Values that must be known as a whole.
    private mutating func evaluateWhole(_ ids: [NodeID]) throws(EvaluationError) -> [RuleValue] {
        let values = try self.evaluate(ids)
        if self.isProving, values.contains(where: \.isPartial) { throw .undetermined }
        return values
    }

    /// A value that must be a bool.
    mutating func condition(_ id: NodeID) throws(EvaluationError) -> Bool {
        let value = try self.evaluate(id)
        guard case .bool(let bool) = value else {
            throw .type(received: value.type.rawValue, expected: TypeName.bool.rawValue)
        }
        return bool
    }
}
