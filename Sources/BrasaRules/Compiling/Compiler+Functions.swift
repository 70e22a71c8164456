internal import BrasaDocuments

extension Compiler {
    mutating func compileCall(_ syntax: ExpressionSyntax, _ scope: Int) -> (NodeID, TypeSet) {
        switch syntax.kind {
        case .call(let name, let arguments):
            if let function = self.function(name, from: scope) {
                return self.compileOwnCall(function, arguments, scope, syntax.range)
            }
            if let access = AccessFunction(rawValue: name) {
                return self.compileAccess(access, arguments, scope, syntax.range)
            }
            return self.compileBuiltIn(name, arguments, scope, syntax.range)
        case .packageCall(let package, let name, let arguments):
            return self.compileBuiltIn("\(package).\(name)", arguments, scope, syntax.range)
        case .method(let receiver, let name, let arguments):
            return self.compileMethod(receiver, name, arguments, scope, syntax.range)
        default: return (self.draft.add(.unknownName, at: syntax.range), .any)
        }
    }

    private mutating func compileOwnCall(
        _ function: Int,
        _ arguments: [ExpressionID],
        _ scope: Int,
        _ range: SourceRange
    ) -> (NodeID, TypeSet) {
        let nodes = arguments.map { self.compile($0, in: scope).0 }
        if self.currentFunction != function { self.functions[function].isUsed = true }
        if let caller = self.currentFunction, !self.functions[caller].calls.contains(function) {
            self.functions[caller].calls.append(function)
        }
        let callee = self.functions[function].syntax
        guard nodes.count == callee.parameters.count else {
            let parameters = callee.parameters.map(\.text).joined(separator: ", ")
            return self.wrongCount(callee.name.text, nodes.count, "\(callee.name.text)(\(parameters))", range)
        }
        return (self.draft.add(.call(function, nodes), at: range), .any)
    }

    private mutating func wrongCount(
        _ name: String,
        _ received: Int,
        _ expected: String,
        _ range: SourceRange
    ) -> (NodeID, TypeSet) {
        self.diagnostics.warn("Incorrect number of arguments supplied to function: \(name).", at: range)
        return (self.draft.add(.wrongCount(received: received, expected: expected), at: range), .any)
    }

    private mutating func compileAccess(
        _ access: AccessFunction,
        _ arguments: [ExpressionID],
        _ scope: Int,
        _ range: SourceRange
    ) -> (NodeID, TypeSet) {
        if scope == 0 {
            self.diagnostics.warn(
                "Call to service function '\(access.rawValue)' occurs outside of defining scope.",
                at: range
            )
        }
        let compiled = arguments.map { self.compile($0, in: scope) }
        guard compiled.count == 1 else {
            return self.wrongCount(access.rawValue, compiled.count, "\(access.rawValue)(path)", range)
        }
        self.expect(compiled[0].1, .path, at: self.syntax.expressions[arguments[0]].range)
        let node = self.draft.add(.access(access, compiled[0].0), at: range)
        return (node, access.givesDocument ? [.map, .null] : .bool)
    }

    private mutating func compileBuiltIn(
        _ name: String,
        _ arguments: [ExpressionID],
        _ scope: Int,
        _ range: SourceRange
    ) -> (NodeID, TypeSet) {
        let compiled = arguments.map { self.compile($0, in: scope) }
        guard let function = RuleFunction(rawValue: name) else {
            self.diagnostics.warn("Invalid function name: \(name).", at: range)
            return (self.draft.add(.unknownFunction(name), at: range), .any)
        }
        let parameters = function.parameters
        guard compiled.count == parameters.count else {
            let expected = parameters.map(\.text).joined(separator: ", ")
            return self.wrongCount(name, compiled.count, "\(name)(\(expected))", range)
        }
        for (index, argument) in compiled.enumerated() {
            self.expect(argument.1, parameters[index], at: self.syntax.expressions[arguments[index]].range)
        }
        let result = function == .debug ? compiled[0].1 : function.result
        return (self.draft.add(.function(function, compiled.map(\.0)), at: range), result)
    }

    private mutating func compileMethod(
        _ receiver: ExpressionID,
        _ name: String,
        _ arguments: [ExpressionID],
        _ scope: Int,
        _ range: SourceRange
    ) -> (NodeID, TypeSet) {
        let (value, types) = self.compile(receiver, in: scope)
        let nodes = arguments.map { self.compile($0, in: scope).0 }
        guard let method = MethodName(rawValue: name) else {
            self.diagnostics.warn("Invalid function name: \(name).", at: range)
            return (self.draft.add(.unknownFunction(name), at: range), .any)
        }
        let possible = method.signatures.filter { types.contains(TypeSet($0.receiver)) }
        if possible.isEmpty {
            self.diagnostics.warn("Invalid function name: \(name).", at: range)
        } else if !possible.contains(where: { $0.parameters.count == nodes.count }) {
            self.diagnostics.warn("Incorrect number of arguments supplied to function: \(name).", at: range)
        }
        let pattern = self.literalPattern(of: method, nodes, arguments)
        let result = possible.reduce(into: TypeSet()) { $0.formUnion($1.result) }
        let node = self.draft.add(.method(method, value, nodes, pattern), at: range)
        return (node, possible.isEmpty ? .any : result)
    }

    /// A literal pattern is compiled once, and refused if it is none.
    private mutating func literalPattern(
        of method: MethodName,
        _ nodes: [NodeID],
        _ arguments: [ExpressionID]
    ) -> Int? {
        guard method == .matches || method == .split || method == .replace, let first = nodes.first,
            case .string(let pattern)? = self.draft.constant(first)?.value
        else { return nil }
        do throws(EvaluationError) {
            guard self.patternSize <= Self.patternSizeMax else { throw .workExceeded }
            let expression = try RegularExpression(pattern, &self.patternWork)
            self.patternSize += expression.instructions.count
            self.draft.patterns.append(expression)
            return self.draft.patterns.count - 1
        } catch {
            self.diagnostics.error(
                EvaluationError.invalidPattern(pattern.excerpt(1_000)).message,
                at: self.syntax.expressions[arguments[0]].range
            )
            return nil
        }
    }
}
