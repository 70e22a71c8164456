import BrasaDocuments
import BrasaQueries
import BrasaQueryModel
import BrasaRules
import Testing

/// Documents before and after a request, by path.
struct World: RuleDocuments {
    var before: [String: EncodedFields]
    /// Nil: deleted. Paths that are not here stay as they are.
    var changes: [String: EncodedFields?] = [:]

    func document(_ path: ResourcePath, after: Bool) -> RuleLookup {
        if after, let change = self.changes[path.string] { return change.map { .fields($0) } ?? .missing }
        return self.before[path.string].map { .fields($0) } ?? .missing
    }

    func stored(_ path: String) -> RuleDocument { self.before[path].map { .fields($0) } ?? .missing }
    func future(_ path: String) -> RuleDocument {
        guard let change = self.changes[path] else { return self.stored(path) }
        return change.map { .fields($0) } ?? .missing
    }

    func ledger(_ limits: AccessLedger.Limits) throws -> AccessLedger {
        AccessLedger(limits, written: try self.changes.keys.map { try path($0) })
    }

    /// The documents of the table that the reference was verified with.
    static let table = World(
        before: [
            "t/x": fields([
                "a": .integer(1), "f": .double(1.5), "s": .string("hello"),
                "l": .array([.integer(1), .integer(2), .integer(3)]), "m": map(["k": .string("v"), "j": .integer(2)]),
                "n": .null, "owner": .string("alice"), "pub": .boolean(true),
            ]),
            "t/y": fields([
                "a": .integer(5), "owner": .string("bob"), "pub": .boolean(false), "l": .array([.integer(3)]),
            ]),
            "c/1/t/z": fields(["owner": .string("alice")]),
            "o/k": fields(["v": .integer(1)]),
        ]
    )
}

func path(_ text: String) throws -> ResourcePath { try ResourcePath(parsing: text.utf8) }

func map(_ entries: [String: Value]) -> Value {
    .map(entries.map { Value.MapEntry(key: UTF8Text($0), value: $1) }.sorted { $0.key < $1.key })
}

func fields(_ entries: [String: Value]) -> EncodedFields {
    EncodedFields(encoding: entries.map { Value.MapEntry(key: UTF8Text($0), value: $1) })
}

let now = Timestamp(microseconds: 1_700_000_000_000_000)
let database: UTF8Text = "(default)"

func user(_ uid: String, _ claims: [String: RuleValue] = [:]) -> RuleAuth {
    RuleAuth(
        uid: UTF8Text(uid),
        token: RuleMap(
            claims.map { (key: UTF8Text($0), value: $1) } + [
                (key: "sub", value: .string(RuleText(UTF8Text(uid))))
            ]
        )
    )
}

/// A rules file around what stands in the documents block.
func wrapped(_ body: String, version: Int = 2) -> String {
    """
    rules_version = '\(version)';
    service cloud.firestore {
      match /databases/{database}/documents {
        \(body)
      }
    }
    """
}

func ruleset(_ source: String, _ location: SourceLocation = #_sourceLocation) throws -> Ruleset {
    let compilation = Ruleset.compile(source)
    return try #require(compilation.ruleset, "\(compilation.diagnostics)", sourceLocation: location)
}

extension Ruleset {
    /// A get of a document of the world.
    func get(
        _ name: String,
        as auth: RuleAuth? = nil,
        in world: World = .table,
        limits: EvaluationLimits = EvaluationLimits()
    ) throws -> Explanation {
        let request = RuleRequest(
            .get,
            .document(try path(name)),
            database: database,
            time: now,
            auth: auth,
            stored: world.stored(name)
        )
        return try self.judge(request, world, .single, limits)
    }

    /// A write of one document, of which the world says how it will be.
    func write(
        _ method: RuleMethod,
        _ name: String,
        as auth: RuleAuth? = nil,
        in world: World,
        _ accesses: AccessLedger.Limits = .single
    ) throws -> Explanation {
        let request = RuleRequest(
            method,
            .document(try path(name)),
            database: database,
            time: now,
            auth: auth,
            stored: world.stored(name),
            future: world.future(name)
        )
        return try self.judge(request, world, accesses)
    }

    /// A query below the root.
    func list(
        _ asked: StructuredQuery,
        as auth: RuleAuth? = nil,
        in world: World = .table,
        limits: EvaluationLimits = EvaluationLimits()
    ) throws -> Explanation {
        let project = try DatabaseName(project: "p", database: database)
        let parent = try #require(ParentName(database: project, path: .root))
        let query = try Query(asked, parent: parent)
        let request = RuleRequest(
            .list,
            RuleTarget(query.names),
            database: database,
            time: now,
            auth: auth,
            query: RuleQuery(asked, query)
        )
        return try self.judge(request, world, .single, limits)
    }

    func list(_ target: RuleTarget, _ query: RuleQuery = RuleQuery(limit: nil)) throws -> Explanation {
        let request = RuleRequest(.list, target, database: database, time: now, query: query)
        return try self.judge(request, .table, .single)
    }

    /// Explained and unexplained, which must agree.
    func judge(
        _ request: RuleRequest,
        _ world: World,
        _ accesses: AccessLedger.Limits,
        _ limits: EvaluationLimits = EvaluationLimits()
    ) throws -> Explanation {
        var ledger = try world.ledger(accesses)
        var quiet = ledger
        let explanation = self.explain(request, world, &ledger, limits: limits)
        let isAllowed = self.allows(request, world, &quiet, limits: limits)
        #expect(isAllowed == explanation.isAllowed)
        #expect(quiet.count == ledger.count)
        return explanation
    }
}

/// What an expression is worth as the condition of a get of `t/x` by alice: `true`, `false`, or the error's text.
func outcome(of expression: String, as auth: RuleAuth? = user("alice")) throws -> String {
    let rules = try ruleset(wrapped("match /t/{id} { allow get: if \(expression); }"))
    return switch try rules.get("t/x", as: auth).statements[0].outcome {
    case .allowed: "true"
    case .refused: "false"
    case .failed(let error): error.message
    }
}
