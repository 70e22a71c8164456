import BrasaDocuments
import BrasaQueries
import BrasaRules
import Foundation

/// Decides cases that another program made: each line of the input is a rules file with documents and requests, each
/// line of the output says what became of them. `rules-decide measure [WORK]` says what decisions cost, under another
/// bound of work if one is given.
@main
enum RulesDecide {
    static func main() throws {
        if CommandLine.arguments.dropFirst().first == "measure" {
            return try Measurement(work: CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) }).run()
        }
        let decoder = JSONDecoder()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        while let line = readLine() {
            let scenario = try decoder.decode(Scenario.self, from: Data(line.utf8))
            let verdict = try encoder.encode(scenario.verdict())
            FileHandle.standardOutput.write(verdict + Data("\n".utf8))
        }
    }
}

/// What is answered to one line.
struct Verdict: Encodable {
    struct Decision: Encodable {
        /// Nil for a query that is none, whatever rules say.
        var allowed: Bool?
        var message: String
    }

    /// Empty when the file compiled.
    var errors: [String]
    var decisions: [Decision]
}

extension Scenario {
    static let database: UTF8Text = "(default)"

    func verdict() throws -> Verdict {
        let compilation = Ruleset.compile(self.rules)
        guard let ruleset = compilation.ruleset else {
            let errors = compilation.diagnostics.filter { $0.severity == .error }
            return Verdict(errors: errors.map(\.description), decisions: [])
        }
        let documents = self.documents.mapValues(\.fields)
        let time = Timestamp(microseconds: self.now * 1_000_000)
        return Verdict(errors: [], decisions: try self.requests.map { try $0.decide(ruleset, documents, time) })
    }
}

extension Scenario.Request {
    fileprivate func decide(
        _ ruleset: Ruleset,
        _ documents: [String: EncodedFields],
        _ time: Timestamp
    ) throws -> Verdict.Decision {
        var world = World(before: documents)
        let demand: RuleDemand
        do { demand = try self.demand(&world, time) } catch {
            guard error is QueryError || error is DocumentError else { throw error }
            return Verdict.Decision(allowed: nil, message: "\(error)")
        }
        let caller = RuleCaller(database: Scenario.database, auth: self.auth, time: time)
        var review = RuleReview(demand, by: caller, under: ruleset, world)
        var quiet = review
        var messages = ""
        while let explanation = review.explainStep() { messages = explanation.denialMessage }
        let isAllowed = review.progress == .allowed
        guard quiet.finish() == isAllowed, quiet.reads == review.reads else { throw Disagreement() }
        return Verdict.Decision(allowed: isAllowed, message: messages)
    }

    /// Watched and unwatched, a review came to different ends.
    private struct Disagreement: Error {}

    private static func path(_ text: String) throws -> ResourcePath { try ResourcePath(parsing: text.utf8) }

    private var auth: RuleAuth? {
        self.uid.map { uid in
            RuleAuth(
                uid: UTF8Text(uid),
                token: RuleMap(
                    (self.claims ?? [:]).map { (key: UTF8Text($0), value: RuleValue($1.value)) }
                        + [(key: "sub", value: .string(RuleText(UTF8Text(uid))))]
                )
            )
        }
    }

    private func demand(_ world: inout World, _ time: Timestamp) throws -> RuleDemand {
        if let query = self.query {
            let asked = try query.structured()
            guard let parent = ParentName(database: try .tested(), path: try Self.path(query.parent)) else {
                throw JSONValue.Unknown()
            }
            return .query(asked, try Query(asked, parent: parent))
        }
        if let listing = self.listing {
            return .list(
                try Self.path(listing.collection),
                pageSize: listing.pageSize,
                order: listing.orderBy.map { (UTF8Text($0.field), !$0.descends) }
            )
        }
        if let names = self.get { return .documents(try names.map(Self.path)) }
        let writes = self.writes ?? []
        try world.apply(try writes.map { try $0.write() }, at: time)
        return .commit(try writes.map { try $0.ruleWrite() })
    }
}

extension DatabaseName {
    static func tested() throws -> DatabaseName { try DatabaseName(project: "p", database: "(default)") }
}

/// Documents before and after a request.
struct World: RuleDocuments {
    var before: [String: EncodedFields]
    /// Nil: deleted.
    var changes: [String: EncodedFields?] = [:]

    func document(_ path: ResourcePath, after: Bool) -> RuleLookup {
        if after, let change = self.changes[path.string] { return change.map { .fields($0) } ?? .missing }
        return self.before[path.string].map { .fields($0) } ?? .missing
    }

    func stored(_ path: String) -> RuleDocument { self.before[path].map { .fields($0) } ?? .missing }
}
