package import BrasaDocuments

/// Rules that compiled, ready to judge requests.
package struct Ruleset: Sendable {
    let program: Program

    /// What the hosted service takes.
    package static let sourceBytesMax = 256 << 10

    /// What became of a rules file.
    package struct Compilation: Sendable {
        /// Nil when there is an error among the diagnostics.
        package let ruleset: Ruleset?
        /// In the order of the file.
        package let diagnostics: [Diagnostic]
    }

    package static func compile(_ source: [UInt8]) -> Compilation {
        let source = SourceText(source)
        var parser = Parser(source)
        let syntax = parser.ruleset()
        var compiler = Compiler(syntax, parser.diagnostics)
        if !parser.diagnostics.hasErrors { compiler.compile() }
        let ruleset =
            compiler.diagnostics.hasErrors
            ? nil : Ruleset(program: Program(compiler.draft, source: source, version: syntax.version))
        return Compilation(ruleset: ruleset, diagnostics: compiler.diagnostics.sorted)
    }

    package static func compile(_ source: String) -> Compilation { self.compile(Array(source.utf8)) }

    package var source: SourceText { self.program.source }

    /// Whether the request is allowed: whether any statement says so whose block covers the path.
    package func allows(
        _ request: RuleRequest,
        _ documents: any RuleDocuments,
        _ ledger: inout AccessLedger,
        limits: EvaluationLimits = EvaluationLimits()
    ) -> Bool {
        var observer = NobodyWatching()
        var budget = EvaluationBudget(limits)
        return self.judge(request, documents, &ledger, &budget, &observer)
    }

    /// The same, and how it came to that.
    package func explain(
        _ request: RuleRequest,
        _ documents: any RuleDocuments,
        _ ledger: inout AccessLedger,
        limits: EvaluationLimits = EvaluationLimits()
    ) -> Explanation {
        var recorder = EvaluationRecorder(self.program)
        var budget = EvaluationBudget(limits)
        let isAllowed = self.judge(request, documents, &ledger, &budget, &recorder)
        return Explanation(
            isAllowed: isAllowed,
            work: limits.work - budget.work.left,
            method: request.method,
            decisions: recorder.decisions,
            statements: recorder.statements
        )
    }

    /// Whether some statement is about such a write of the document: without one it is denied, whatever is stored.
    package func covers(
        _ write: RuleWrite,
        in database: UTF8Text,
        limits: EvaluationLimits = EvaluationLimits()
    ) -> Bool {
        let methods: MethodSet = write.kind == .verify ? .get : .write
        var budget = EvaluationBudget(limits)
        budget.begin()
        let path = TestedPath(.document(write.path), database: database)
        guard let matches = try? self.program.tree.matches(path, &budget.work) else { return false }
        return matches.contains { match in
            self.program.blocks[match.block].statements.contains { !$0.methods.isDisjoint(with: methods) }
        }
    }

    /// A query is judged once for each way in which its filter can be true; all of them must be allowed.
    private func judge<Observer: EvaluationObserver>(
        _ request: RuleRequest,
        _ documents: any RuleDocuments,
        _ ledger: inout AccessLedger,
        _ budget: inout EvaluationBudget,
        _ observer: inout Observer
    ) -> Bool {
        ledger.begin(request.document)
        guard request.method == .list else {
            return self.judgeOnce(request, documents, &ledger, &budget, &observer)
        }
        var request = request
        let query = request.query ?? RuleQuery(limit: nil)
        let target = request.target
        for way in query.ways {
            request.target = target
            ledger.subject = nil
            if let document = way.document, target.contains(document),
                let stored = RuleDocument(ledger.document(document, after: false, in: documents))
            {
                // Nothing but this document can be found: it is judged as it is.
                request.target = .document(document)
                request.stored = stored
                ledger.subject = document
                guard self.judgeOnce(request, documents, &ledger, &budget, &observer) else { return false }
                continue
            }
            for variant in way.variants {
                request.stored = .known(variant)
                guard self.judgeOnce(request, documents, &ledger, &budget, &observer) else { return false }
            }
        }
        return true
    }

    private func judgeOnce<Observer: EvaluationObserver>(
        _ request: RuleRequest,
        _ documents: any RuleDocuments,
        _ ledger: inout AccessLedger,
        _ budget: inout EvaluationBudget,
        _ observer: inout Observer
    ) -> Bool {
        observer.began()
        budget.begin()
        let path = TestedPath(request.target, database: request.database)
        guard let matches = try? self.program.tree.matches(path, &budget.work), !matches.isEmpty else { return false }
        var evaluator = Evaluator(self.program, request, path, documents, budget, observer)
        swap(&evaluator.ledger, &ledger)
        let isAllowed = evaluator.judge(matches)
        swap(&evaluator.ledger, &ledger)
        (budget, observer) = (evaluator.budget, evaluator.observer)
        return isAllowed
    }
}

extension Evaluator {
    /// Tries the statements for the request's method, until one is true or the budget is spent.
    fileprivate mutating func judge(_ matches: [BlockMatch]) -> Bool {
        let method = MethodSet(self.request.method)
        for match in matches {
            self.match = match
            guard (try? self.work.spend(Work.element)) != nil else { return false }
            for statement in self.program.blocks[match.block].statements where statement.methods.contains(method) {
                let outcome = self.judge(statement)
                self.observer.judged(statement, outcome)
                switch outcome {
                case .allowed: return true
                case .failed(let error) where error.endsDecision: return false
                case .failed, .refused: continue
                }
            }
        }
        return false
    }

    private mutating func judge(_ statement: Program.Statement) -> StatementOutcome {
        guard let condition = statement.condition else { return .allowed }
        do throws(EvaluationError) { return try self.condition(condition) ? .allowed : .refused } catch {
            return .failed(error)
        }
    }
}
