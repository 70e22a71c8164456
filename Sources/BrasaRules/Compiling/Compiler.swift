internal import BrasaDocuments

/// Resolves names, checks what can be checked, and makes the program. What is wrong with types or names is told, but
/// only fails when it is evaluated: so do the rules that people have.
struct Compiler {
    let syntax: RulesetSyntax
    var diagnostics: DiagnosticList
    var draft = ProgramDraft()
    var scopes: [Scope] = []
    var functions: [FunctionDeclaration] = []
    /// While a function's body is compiled.
    var locals: Locals?
    var currentFunction: Int?
    /// Instructions of all literal patterns: short ones can make long programs.
    var patternSize = 0
    /// What compiling them may cost.
    var patternWork = Work(100_000_000)

    static let firestore = "cloud.firestore"
    private static let otherServices: Set<String> = ["firebase.storage"]
    static let pathLengthMax = 100
    static let capturesMax = 20
    static let patternSizeMax = 250_000

    init(_ syntax: RulesetSyntax, _ diagnostics: DiagnosticList) {
        self.syntax = syntax
        self.diagnostics = diagnostics
    }

    mutating func compile() {
        if self.syntax.version == 1 {
            self.diagnostics.warn(
                "Ruleset uses old version (version [1]). Please update to the latest version (version [2]).",
                at: self.syntax.versionRange
            )
        }
        self.scopes.append(Scope())
        self.declare(self.syntax.functions, in: 0)
        var names: Set<String> = []
        var pending: [PendingStatements] = []
        for service in self.syntax.services {
            if !names.insert(service.name.text).inserted {
                self.diagnostics.error("Duplicate service name declaration.", at: service.name.range)
            } else if service.name.text == Self.firestore {
                self.collect(service, &pending)
            } else if !Self.otherServices.contains(service.name.text) {
                self.diagnostics.warn("Invalid service name: \(service.name.text).", at: service.name.range)
            }
        }
        self.draft.functions = Array(repeating: nil, count: self.functions.count)
        for index in self.functions.indices { self.compileFunction(index) }
        for block in pending { self.compile(block) }
        self.checkCalls()
        for function in self.functions where !function.isUsed {
            let name = function.syntax.name
            self.diagnostics.warn("Unused function: \(name.text).", at: name.range)
        }
    }

    private struct PendingStatements {
        var statements: [AllowSyntax]
        var scope: Int
        var pattern: [MatchBlock.Segment]
    }

    // MARK: Declarations

    private mutating func declare(_ functions: [FunctionSyntax], in scope: Int) {
        for function in functions {
            let name = function.name.text
            guard self.scopes[scope].functions[name] == nil else {
                self.diagnostics.error("Function \(name) is already defined.", at: function.name.range)
                continue
            }
            self.scopes[scope].functions[name] = self.functions.count
            self.functions.append(FunctionDeclaration(syntax: function, scope: scope))
        }
    }

    private mutating func collect(_ service: ServiceSyntax, _ pending: inout [PendingStatements]) {
        self.scopes.append(Scope(parent: 0))
        let scope = self.scopes.count - 1
        self.declare(service.functions, in: scope)
        for match in service.matches { self.collect(match, in: scope, [], &pending) }
    }

    /// As deep as match blocks nest, which the parser bounds.
    private mutating func collect(
        _ match: MatchSyntax,
        in parent: Int,
        _ outer: [MatchBlock.Segment],
        _ pending: inout [PendingStatements]
    ) {
        var scope = Scope(parent: parent)
        scope.captureCount = self.scopes[parent].captureCount
        scope.hasGlob = self.scopes[parent].hasGlob
        let pattern = outer + self.pattern(match, outer.count, &scope)
        scope.patternCount = pattern.count
        if pattern.count > Self.pathLengthMax {
            let message = "Maximum allowed path length of \(Self.pathLengthMax) is reached."
            self.diagnostics.error(message, at: match.patternRange)
        }
        if scope.captureCount > Self.capturesMax {
            self.diagnostics.error(
                "Maximum allowed amount of \(Self.capturesMax) match field variables is reached.",
                at: match.patternRange
            )
        }
        self.scopes.append(scope)
        let index = self.scopes.count - 1
        self.declare(match.functions, in: index)
        pending.append(PendingStatements(statements: match.statements, scope: index, pattern: pattern))
        for inner in match.matches { self.collect(inner, in: index, pattern, &pending) }
    }

    private mutating func pattern(_ match: MatchSyntax, _ start: Int, _ scope: inout Scope) -> [MatchBlock.Segment] {
        var pattern: [MatchBlock.Segment] = []
        for (index, segment) in match.pattern.enumerated() {
            switch segment {
            case .literal(let text): pattern.append(.literal(text))
            case .capture(let name, let isGlob):
                if scope.captures.contains(where: { $0.name == name.text }) {
                    let message = "Variable \(name.text) already exists in the PathTemplate."
                    self.diagnostics.error(message, at: name.range)
                }
                scope.captures.append(Scope.Capture(name: name.text, segment: start + index))
                scope.captureCount += 1
                pattern.append(isGlob ? .glob : .capture)
                if isGlob { self.checkGlob(name, isLast: index == match.pattern.count - 1, &scope) }
            }
        }
        return pattern
    }

    private mutating func checkGlob(_ name: NameSyntax, isLast: Bool, _ scope: inout Scope) {
        if self.syntax.version == 1, !isLast {
            self.diagnostics.error(
                "Invalid glob match expression. Glob matches are permitted as the last segment in a match "
                    + "declaration path.",
                at: name.range
            )
        } else if scope.hasGlob, self.syntax.version == 2 {
            self.diagnostics.error(
                "Invalid glob match expression. Only one glob match is permitted in a match declaration path.",
                at: name.range
            )
        }
        scope.hasGlob = true
    }

    // MARK: Bodies

    private mutating func compileFunction(_ index: Int) {
        let declaration = self.functions[index]
        self.locals = Locals()
        self.currentFunction = index
        for parameter in declaration.syntax.parameters { self.bind(parameter, .any) }
        var lets: [NodeID] = []
        for binding in declaration.syntax.lets {
            let (value, types) = self.compile(binding.value, in: declaration.scope)
            lets.append(value)
            self.bind(binding.name, types)
        }
        let (result, _) = self.compile(declaration.syntax.result, in: declaration.scope)
        for local in self.locals?.all ?? [] where !local.isUsed {
            self.diagnostics.warn("Unused variable: \(local.name.text).", at: local.name.range)
        }
        self.locals = nil
        self.currentFunction = nil
        self.draft.functions[index] = Program.Function(
            name: declaration.syntax.name.text,
            parameters: declaration.syntax.parameters.map(\.text),
            lets: lets,
            result: result
        )
    }

    private mutating func bind(_ name: NameSyntax, _ types: TypeSet) {
        if self.locals?.index(of: name.text) != nil {
            self.diagnostics.error(
                "The identifier [\(name.text)] is already bound in the current scope.",
                at: name.range
            )
        } else if RulePackage(rawValue: name.text) != nil {
            self.diagnostics.error("\(name.text) is a package and cannot be used as variable name.", at: name.range)
        }
        self.locals?.all.append(Locals.Local(name: name, types: types))
    }

    private mutating func compile(_ block: PendingStatements) {
        var statements: [Program.Statement] = []
        for statement in block.statements {
            var condition: NodeID?
            if let expression = statement.condition {
                let (node, types) = self.compile(expression, in: block.scope)
                condition = node
                if types.isDisjoint(with: .bool) {
                    let names = types.names.joined(separator: ",")
                    self.diagnostics.warn(
                        "Invalid type. Permission statements expect a boolean value. Received one of [\(names)].",
                        at: self.syntax.expressions[expression].range
                    )
                }
            }
            statements.append(
                Program.Statement(methods: statement.methods, condition: condition, range: statement.range)
            )
        }
        self.draft.blocks.append(MatchBlock(pattern: block.pattern, statements: statements))
    }
}
