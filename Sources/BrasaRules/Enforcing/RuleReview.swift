package import BrasaDocuments

/// Judges what one call asks for. A step judges one document, or a query, and takes no longer than its limits allow, so
/// that whoever steps may let others have their turn in between; the first denial ends the review.
///
/// The documents before the call must be of one state until the review ends, and those that it has read (`reads`) must
/// still be as they were when a commit is applied: else a write could pass that the rules refuse at its commit time.
package struct RuleReview {
    package enum Progress: Hashable, Sendable {
        case unfinished
        case allowed
        case denied
    }

    /// What is judged, one after the other.
    private enum Steps {
        case gets([ResourcePath])
        case listing(RuleTarget, RuleQuery)
        case commit(verified: [ResourcePath], [FoldedWrite])

        var count: Int {
            switch self {
            case .gets(let paths): paths.count
            case .listing: 1
            case .commit(let verified, let writes): verified.count + writes.count
            }
        }
    }

    private let rules: Ruleset
    private let caller: RuleCaller
    private let documents: any RuleDocuments
    private let limits: EvaluationLimits
    private let steps: Steps
    private var next = 0
    private var ledger: AccessLedger
    package private(set) var progress: Progress
    /// The text for the caller when it is denied.
    package let denialMessage: String

    package init(
        _ demand: RuleDemand,
        by caller: RuleCaller,
        under rules: Ruleset,
        _ documents: any RuleDocuments,
        limits: EvaluationLimits = EvaluationLimits()
    ) {
        self.rules = rules
        self.caller = caller
        self.documents = documents
        self.limits = limits
        var written: [FoldedWrite] = []
        var message = "Missing or insufficient permissions."
        switch demand {
        case .documents(let paths): self.steps = .gets(paths)
        case .listing(let target, let query): self.steps = .listing(target, query)
        case .commit(let writes):
            written = FoldedWrite.fold(writes)
            self.steps = .commit(verified: writes.lazy.filter { $0.kind == .verify }.map(\.path), written)
        case .administrators(let text):
            self.steps = .gets([])
            message = text
        }
        self.denialMessage = message
        let count = self.steps.count
        self.ledger = AccessLedger(count > 1 ? .several : .single, written: written.lazy.map(\.path))
        self.progress = if case .administrators = demand { .denied } else { count == 0 ? .allowed : .unfinished }
    }

    /// Judges what comes next.
    package mutating func step() -> Progress {
        guard let request = self.begin() else { return self.progress }
        self.end(self.rules.allows(request, self.documents, &self.ledger, limits: self.limits))
        return self.progress
    }

    /// The same, and how it came to that; nil when the review has ended.
    package mutating func explainStep() -> Explanation? {
        guard let request = self.begin() else { return nil }
        let explanation = self.rules.explain(request, self.documents, &self.ledger, limits: self.limits)
        self.end(explanation.isAllowed)
        return explanation
    }

    /// All steps at once. A call with many documents takes many times what one may take.
    package mutating func finish() -> Bool {
        while self.step() == .unfinished {}
        return self.progress == .allowed
    }

    /// The documents of the state before the call that the decision rests on, each once.
    package var reads: [ResourcePath] { self.ledger.reads }
    /// Calls of `get` and its kin that counted.
    package var accessCount: Int { self.ledger.count }

    /// Nil when there is nothing to judge, or a document cannot be read, which denies.
    private mutating func begin() -> RuleRequest? {
        guard self.progress == .unfinished else { return nil }
        switch self.steps {
        case .listing(let target, let query): return self.request(.list, target, query: query)
        case .gets(let paths): return self.get(paths[self.next])
        case .commit(let verified, let writes):
            let place = self.next - verified.count
            return place < 0 ? self.get(verified[self.next]) : self.write(writes[place])
        }
    }

    private mutating func get(_ path: ResourcePath) -> RuleRequest? {
        guard let stored = self.document(path, after: false) else { return self.deny() }
        return self.request(.get, .document(path), stored)
    }

    private mutating func write(_ write: FoldedWrite) -> RuleRequest? {
        guard let stored = self.document(write.path, after: false),
            let future = self.document(write.path, after: true)
        else { return self.deny() }
        let exists = if case .missing = stored { false } else { true }
        return self.request(write.method(exists: exists), .document(write.path), stored, future)
    }

    private mutating func deny() -> RuleRequest? {
        self.progress = .denied
        return nil
    }

    private mutating func end(_ isAllowed: Bool) {
        self.next += 1
        self.progress = !isAllowed ? .denied : self.next == self.steps.count ? .allowed : .unfinished
    }

    private mutating func document(_ path: ResourcePath, after: Bool) -> RuleDocument? {
        RuleDocument(self.ledger.document(path, after: after, in: self.documents))
    }

    private func request(
        _ method: RuleMethod,
        _ target: RuleTarget,
        _ stored: RuleDocument = .missing,
        _ future: RuleDocument? = nil,
        query: RuleQuery? = nil
    ) -> RuleRequest {
        RuleRequest(
            method,
            target,
            database: self.caller.database,
            time: self.caller.time,
            auth: self.caller.auth,
            stored: stored,
            future: future,
            query: query
        )
    }
}
