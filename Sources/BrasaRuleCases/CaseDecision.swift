internal import BrasaDocuments
internal import BrasaQueries
package import BrasaRules

/// What rules say to a case, and how they come to it.
package struct CaseDecision: Sendable {
    /// One document that is judged, or a query.
    package struct Step: Sendable {
        package let subject: String
        package let explanation: Explanation
    }

    package let isAllowed: Bool
    /// Up to the first that is denied.
    package let steps: [Step]
}

extension RuleCase {
    package func decision(under rules: Ruleset) -> CaseDecision {
        let demand: RuleDemand
        var subjects: [String]
        var changes: [ResourcePath: EncodedFields?] = [:]
        switch self.call {
        case .get(let paths):
            demand = .documents(paths)
            subjects = paths.map(\.string)
        case .list(let asked, let query):
            demand = .query(asked, query)
            subjects = [asked.from.first?.collectionID.string ?? ""]
        case .commit(let writes, let left):
            demand = .commit(writes)
            changes = left
            subjects = []
            for write in writes where !subjects.contains(write.path.string) { subjects.append(write.path.string) }
        }
        let caller = RuleCaller(database: "(default)", auth: self.auth, time: self.time)
        let world = CaseDocuments(before: self.documents, changes: changes)
        var review = RuleReview(demand, by: caller, under: rules, world)
        var steps: [CaseDecision.Step] = []
        while let explanation = review.explainStep() {
            let subject = steps.count < subjects.count ? subjects[steps.count] : ""
            steps.append(CaseDecision.Step(subject: subject, explanation: explanation))
        }
        return CaseDecision(isAllowed: review.progress == .allowed, steps: steps)
    }
}

/// The documents of a case before and after its writes.
private struct CaseDocuments: RuleDocuments {
    let before: [ResourcePath: EncodedFields]
    let changes: [ResourcePath: EncodedFields?]

    func document(_ path: ResourcePath, after: Bool) -> RuleLookup {
        if after, let change = self.changes[path] { return change.map { .fields($0) } ?? .missing }
        return self.before[path].map { .fields($0) } ?? .missing
    }
}
