import BrasaDocuments
import BrasaRules

/// A rules file up to the first byte 0xFF, which no UTF-8 has, and behind it a document's fields. The same text is taken
/// for the condition of a rule, so that evaluation is reached without a whole file around it. Every kind of request is
/// judged, watched and unwatched, which must agree and keep to their limits.
package func fuzzRules(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0xFF, maxSplits: 1, omittingEmptySubsequences: false)
    let text = Array(parts[0])
    let stored = parts.count > 1 ? RulesInput.fields(parts[1]) : RulesInput.standard
    for source in [text, RulesInput.opening + text + RulesInput.closing] {
        guard let rules = Ruleset.compile(source).ruleset else { continue }
        for method in RuleMethod.allCases { RulesInput.judge(rules, method, stored) }
    }
}

private enum RulesInput {
    static let opening = Array(
        """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents {
            function f(a) { let b = a; return b == a || a; }
            match /t/{id} { allow read, write: if
        """.utf8
    )
    static let closing = Array("; } } }".utf8)

    static let standard = EncodedFields(encoding: [
        .init(key: "a", value: .integer(1)), .init(key: "f", value: .double(.nan)),
        .init(key: "l", value: .array([.integer(1), .string("é😀"), .null])),
        .init(key: "m", value: .map([.init(key: "k", value: .string("v"))])),
        .init(key: "s", value: .string("hello")), .init(key: "t", value: .timestamp(.latest)),
    ])

    /// The bytes of fields on the wire; other bytes stand for no fields.
    static func fields(_ bytes: some Collection<UInt8>) -> EncodedFields {
        (try? EncodedFields(validating: Array(bytes))) ?? .empty
    }

    struct Documents: RuleDocuments {
        var fields: EncodedFields
        func document(_ path: ResourcePath, after: Bool) -> RuleLookup {
            path.bytes.count % 2 == 0 ? .missing : .fields(self.fields)
        }
    }

    static func judge(_ rules: Ruleset, _ method: RuleMethod, _ stored: EncodedFields) {
        guard let document = try? ResourcePath(parsing: "t/x".utf8), let collection = document.parent else { return }
        var request = RuleRequest(
            method,
            method == .list ? .collection(collection) : .document(document),
            database: "(default)",
            time: Timestamp(microseconds: 1_700_000_000_000_000),
            auth: RuleAuth(uid: "alice", token: .empty),
            stored: method == .create ? .missing : .fields(stored)
        )
        if method == .create || method == .update { request.future = .fields(self.standard) }
        if method == .delete { request.future = .missing }
        if method == .list { request.query = RuleQuery(limit: 10) }
        let documents = Documents(fields: stored)
        let limits = EvaluationLimits()
        var (ledger, quiet) = (AccessLedger(.several), AccessLedger(.several))
        let explanation = rules.explain(request, documents, &ledger, limits: limits)
        let isAllowed = rules.allows(request, documents, &quiet, limits: limits)
        precondition(isAllowed == explanation.isAllowed && ledger.count == quiet.count)
        precondition(explanation.work <= limits.work && ledger.count <= 10)
        _ = explanation.denialMessage
        for statement in explanation.statements {
            for evaluation in statement.evaluations { _ = evaluation.value?.debugText }
        }
    }
}
