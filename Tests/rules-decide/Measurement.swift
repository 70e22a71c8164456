import BrasaDocuments
import BrasaQueries
import BrasaRules
import Foundation

/// What decisions cost in processor time, beside what the worst of them may cost. Build with `-c release`.
struct Measurement {
    private let limits: EvaluationLimits

    init(work: Int?) {
        self.limits = work.map { EvaluationLimits(work: $0) } ?? EvaluationLimits()
    }

    private static let typical = """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents {
            function isSignedIn() { return request.auth != null; }
            function member() { return get(/databases/$(database)/documents/members/$(request.auth.uid)).data; }
            match /notes/{id} {
              allow read, write: if isSignedIn() && resource.data.owner == request.auth.uid && member().active == true;
            }
            match /plain/{id} { allow read: if isSignedIn() && resource.data.owner == request.auth.uid; }
            match /diffs/{id} {
              allow update: if request.resource.data.diff(resource.data).affectedKeys().hasOnly(['f1']);
            }
            match /listed/{id} { allow list: if isSignedIn() && resource.data.owner == request.auth.uid; }
            match /worst/{id} { allow get: if !(CONDITION); }
          }
        }
        """

    func run() throws {
        let fields = EncodedFields(
            encoding: (0..<10).map { index in
                Value.MapEntry(key: UTF8Text("f\(index)"), value: .string("some text of a document"))
            } + [Value.MapEntry(key: "owner", value: .string("alice"))]
        )
        let world = World(before: [
            "members/alice": EncodedFields(encoding: [Value.MapEntry(key: "active", value: .boolean(true))])
        ])
        var query = StructuredQuery(from: [.init(collectionID: "listed")])
        query.filter = .field(try FieldPath(names: ["owner"]), .equal, .string("alice"))
        guard let parent = ParentName(database: try .tested(), path: .root) else { throw JSONValue.Unknown() }
        let checked = try Query(query, parent: parent)

        let rules = try self.ruleset("false")
        for name in ["plain", "notes"] {
            try self.report(name, rules, world, self.request(.get, name, stored: .fields(fields)))
        }
        var update = try self.request(.update, "diffs", stored: .fields(fields))
        update.future = .fields(fields)
        try self.report("diffs", rules, world, update)
        var list = try self.request(.list, "listed", stored: .missing)
        list.target = RuleTarget(checked.names)
        list.query = RuleQuery(query, checked)
        try self.report("listed", rules, world, list)
        try self.reportWorst(world)
    }

    /// One condition each that costs as much as its kind of expression can.
    private func reportWorst(_ world: World) throws {
        let many = Value.MapEntry(key: "l", value: .array((0..<100_000).map { .integer($0) }))
        let long = Value.MapEntry(key: "s", value: .string(UTF8Text(String(repeating: "a", count: 1_000_000))))
        let keys = (0..<60_000).map { Value.MapEntry(key: UTF8Text("k\($0)"), value: .integer($0)) }
        func repeated(_ condition: String, _ count: Int) -> String {
            Array(repeating: "(\(condition))", count: count).joined(separator: " || ")
        }
        let worst: [(String, [Value.MapEntry], String)] = [
            ("hundreds of expressions", [], repeated("1 == 2", 90)),
            ("a long list searched", [many], repeated("-1 in resource.data.l", 90)),
            ("a long list as a set", [many], repeated("resource.data.l.toSet().size() == 0", 90)),
            ("a long string matched", [long], repeated("resource.data.s.matches('(a|b)*c')", 90)),
            ("a long string added", [long], repeated("resource.data.s + resource.data.s == ''", 90)),
            ("a large document compared", keys, repeated("resource.data.diff({}).affectedKeys().size() == 0", 90)),
            ("a large document looked into", keys, repeated("resource.data.k9999 == 0", 90)),
            ("keys of a large document", keys, repeated("resource.data.keys().size() == 0", 90)),
            ("a hash of a long string", [long], repeated("hashing.sha256(resource.data.s) == b''", 90)),
        ]
        for (name, entries, condition) in worst {
            let request = try self.request(.get, "worst", stored: .fields(EncodedFields(encoding: entries)))
            try self.report(name, try self.ruleset(condition), world, request, count: 20)
        }
    }

    private func ruleset(_ condition: String) throws -> Ruleset {
        let source = Self.typical.replacing("CONDITION", with: condition)
        guard let ruleset = Ruleset.compile(source).ruleset else { throw JSONValue.Unknown() }
        return ruleset
    }

    private func request(_ method: RuleMethod, _ collection: String, stored: RuleDocument) throws -> RuleRequest {
        RuleRequest(
            method,
            .document(try ResourcePath(parsing: "\(collection)/x".utf8)),
            database: Scenario.database,
            time: Timestamp(microseconds: 1_700_000_000_000_000),
            auth: RuleAuth(uid: "alice", token: RuleMap([(key: "sub", value: .string("alice"))])),
            stored: stored
        )
    }

    private func report(
        _ name: String,
        _ rules: Ruleset,
        _ world: World,
        _ request: RuleRequest,
        count: Int = 100_000
    ) throws {
        var allowed = 0
        var longest = Duration.zero
        func decide() {
            var ledger = AccessLedger(.single)
            if rules.allows(request, world, &ledger, limits: self.limits) { allowed += 1 }
        }
        decide()
        let start = Self.processorTime
        for _ in 0..<count {
            guard count <= 100 else {
                decide()
                continue
            }
            let start = Self.processorTime
            decide()
            longest = max(longest, Self.processorTime - start)
        }
        let total = Self.processorTime - start
        let most = count > 100 ? "" : ", at most \(longest)"
        print("\(name): \(total / count) each\(most), \(allowed > 0 ? "allowed" : "denied")")
    }

    /// Of this thread: what else the machine does makes no difference but for its caches.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
