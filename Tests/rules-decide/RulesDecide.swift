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
        var changes: [String: EncodedFields?] = [:]
        for write in self.writes ?? [] { changes.updateValue(write.fields?.fields, forKey: write.path) }
        let world = World(before: documents, changes: changes)
        let accesses: AccessLedger.Limits = changes.count > 1 ? .several : .single
        var ledger = AccessLedger(accesses, written: Set(try changes.keys.map(Self.path)))
        var messages: [String] = []
        let requests: [RuleRequest]
        do { requests = try self.ruleRequests(world, time) } catch let error as QueryError {
            return Verdict.Decision(allowed: nil, message: "\(error)")
        }
        for request in requests {
            let explanation = ruleset.explain(request, world, &ledger)
            messages.append(explanation.denialMessage)
            if !explanation.isAllowed {
                return Verdict.Decision(allowed: false, message: explanation.denialMessage)
            }
        }
        return Verdict.Decision(allowed: true, message: messages.joined())
    }

    private static func path(_ text: String) throws -> ResourcePath { try ResourcePath(parsing: text.utf8) }

    private func ruleRequests(_ world: World, _ time: Timestamp) throws -> [RuleRequest] {
        let auth = self.uid.map { uid in
            RuleAuth(
                uid: UTF8Text(uid),
                token: RuleMap(
                    (self.claims ?? [:]).map { (key: UTF8Text($0), value: RuleValue($1.value)) }
                )
            )
        }
        func request(_ method: RuleMethod, _ target: RuleTarget) -> RuleRequest {
            RuleRequest(method, target, database: Scenario.database, time: time, auth: auth)
        }
        if let query = self.query {
            let parent = ParentName(database: try .tested(), path: try Self.path(query.parent))
            let asked = try query.structured()
            guard let parent else { throw JSONValue.Unknown() }
            let checked = try Query(asked, parent: parent)
            var list = request(.list, RuleTarget(checked.names))
            list.query = RuleQuery(asked, checked)
            return [list]
        }
        if let name = self.get {
            var get = request(.get, .document(try Self.path(name)))
            get.stored = world.stored(name)
            return [get]
        }
        return try (self.writes ?? []).map { write in
            var change = request(write.method, .document(try Self.path(write.path)))
            change.stored = world.stored(write.path)
            change.future = write.fields.map { .fields($0.fields) } ?? .missing
            return change
        }
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
