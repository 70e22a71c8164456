import BrasaDocuments
import BrasaRuleCases
import BrasaRules
import Testing

let now = Timestamp(microseconds: 1_700_000_000_000_000)

/// What stands in a file of cases.
struct ReaderTests {
    /// What the rules say to each case.
    private func decisions(_ body: String, _ yaml: String) throws -> [Bool] {
        let rules = try ruleset(body)
        return try RuleCaseReader(now: now).cases(yaml).map { $0.decision(under: rules).isAllowed }
    }

    @Test func `Cases have documents of their own beside those of all`() throws {
        let decisions = try self.decisions(
            "match /notes/{id} { allow get: if resource.data.owner == request.auth.uid; }",
            """
            documents:
              notes/a: {owner: alice}
              notes/b: {owner: bob}
            cases:
              - {auth: alice, method: get, path: notes/a, expect: allow}
              - {auth: alice, method: get, path: notes/b, expect: deny}
              - {auth: alice, method: get, path: notes/b, documents: {notes/b: {owner: alice}}, expect: allow}
              - {auth: alice, method: get, path: notes/a, documents: {notes/a: null}, expect: deny}
              - {method: get, path: notes/a, expect: deny}
              - {auth: null, method: get, path: notes/a, expect: deny}
              - {auth: alice, method: get, path: [notes/a, notes/b], expect: deny}
            """
        )
        #expect(decisions == [true, false, true, false, false, false, false])
    }

    /// A value as it is written, and a condition that it meets as `resource.data.v`.
    static let values = [
        ("1", "v is int && v == 1"), ("-9223372036854775808", "v < 0 && v is int"), ("1.0", "v is float && v == 1"),
        (".nan", "v != v"), (".inf", "v > 1"), ("true", "v"), ("'true'", "v == 'true'"), ("no", "v == 'no'"),
        ("on", "v == 'on'"), ("null", "v == null"), ("~", "v == null"), ("text with blanks", "v == 'text with blanks'"),
        ("'1'", "v == '1'"), ("[1, two, {k: [3]}]", "v[1] == 'two' && v[2].k == [3]"), ("[]", "v == []"),
        ("{}", "v == {} && v is map"), ("{k: {j: 1}}", "v.k.j == 1"), ("!!binary /w==", "v == b'\\xff'"),
        ("2030-01-31T12:00:00Z", "v == timestamp.date(2030, 1, 31) + duration.value(12, 'h')"),
        ("2030-01-31", "v == timestamp.date(2030, 1, 31)"), ("!now", "v == request.time"),
        ("!geopoint [48.1, -11.5]", "v == latlng.value(48.1, -11.5)"), ("!vector [1, 2.5]", "v is vector"),
        ("!reference users/bob", "v == /databases/$(database)/documents/users/bob"),
        ("2030-01-31T12:00:00.000001Z", "v.nanos() == 1000"),
    ]

    @Test(arguments: values) func `Values are those of YAML, and tagged ones`(value: String, condition: String) throws {
        let decisions = try self.decisions(
            "function f(v) { return \(condition); } match /t/{id} { allow get: if f(resource.data.v); }",
            "cases: [{method: get, path: t/x, documents: {t/x: {v: \(value) }}, expect: allow}]"
        )
        #expect(decisions == [true])
    }

    @Test func `Writes say what they leave, or what they change`() throws {
        let owned = "request.resource.data.owner == 'alice'"
        let decisions = try self.decisions(
            """
            match /t/{id} {
              allow create: if request.resource.data == {'a': 1};
              allow update: if request.resource.data.diff(resource.data).affectedKeys() == ['a', 'm'].toSet()
                && request.resource.data.m == {'j': 2, 'k': request.time} && \(owned);
              allow delete: if resource.data.owner == 'alice' && request.resource == null;
            }
            """,
            """
            documents: {t/x: {owner: alice, a: 0, m: {j: 1, k: 2}, z: 1}}
            cases:
              - {method: create, path: t/n, data: {a: 1}, expect: allow}
              - {method: set, path: t/n, data: {a: 1}, expect: allow}
              - {method: set, path: t/x, data: {a: 1}, expect: deny}
              - {method: update, path: t/n, data: {a: 1}, expect: deny}
              - {method: update, path: t/x, merge: {a: !delete , m.j: 2, m.k: !now }, expect: allow}
              - {method: update, path: t/x, merge: {a: 1, m.j: 2, z: !delete }, expect: deny}
              - {method: delete, path: t/x, expect: allow}
              - {method: delete, path: t/none, expect: deny}
            """
        )
        #expect(decisions == [true, true, false, false, true, false, true, false])
    }

    @Test func `Several writes are one commit`() throws {
        let decisions = try self.decisions(
            """
            match /lists/{l} { allow update: if request.resource.data.count == resource.data.count + 1; }
            match /items/{i} {
              allow create: if getAfter(/databases/$(database)/documents/lists/l).data.count
                == get(/databases/$(database)/documents/lists/l).data.count + 1;
            }
            """,
            """
            documents: {lists/l: {count: 3}}
            cases:
              - writes:
                  - {method: create, path: items/i, data: {}}
                  - {method: update, path: lists/l, merge: {count: 4}}
                expect: allow
              - {writes: [{method: create, path: items/i, data: {}}], expect: deny}
            """
        )
        #expect(decisions == [true, false])
    }

    @Test func `Queries have filters, orders and bounds`() throws {
        let decisions = try self.decisions(
            """
            match /t/{id} {
              allow list: if resource.data.owner == request.auth.uid && request.query.limit <= 10
                && request.query.orderBy == {'at': 'DESC'} && request.query.offset == 0;
            }
            match /{p=**}/g/{id} { allow list: if resource.data.a > 1; }
            """,
            """
            cases:
              - &own
                {auth: ann, method: list, path: t, query: {where: [[owner, ==, ann]], orderBy: [at desc], limit: 10}, expect: allow}
              - {auth: ann, method: list, path: t, query: {where: [[owner, ==, bob]], orderBy: [at desc], limit: 10}, expect: deny}
              - {auth: ann, method: list, path: t, query: {orderBy: [at desc], limit: 10}, expect: deny}
              - {auth: ann, method: list, path: t, query: {where: [owner, ==, ann], orderBy: [at desc], offset: 1, limit: 1}, expect: deny}
              - {auth: ann, method: list, path: t, expect: deny}
              - {method: list, path: g, query: {where: [a, '>', 1], group: true}, expect: allow}
              - {method: list, path: g, query: {where: {or: [[a, '>', 1], [a, ==, 7]]}, group: true}, expect: allow}
              - {method: list, path: g, query: {where: {or: [[a, '>', 1], [b, ==, 7]]}, group: true}, expect: deny}
            """
        )
        #expect(decisions == [true, false, false, false, false, true, true, false])
    }

    @Test func `Who asks has claims, and asks at a time`() throws {
        let decisions = try self.decisions(
            """
            match /t/{id} {
              allow get: if request.auth.token.admin == true && request.auth.token.sub == request.auth.uid
                && request.time == timestamp.date(2030, 1, 31);
            }
            """,
            """
            cases:
              - {auth: {uid: ann, token: {admin: true}}, time: 2030-01-31T00:00:00Z, method: get, path: t/x, expect: allow}
              - {auth: {uid: ann, token: {admin: true}}, method: get, path: t/x, expect: deny}
              - {auth: ann, time: 2030-01-31T00:00:00Z, method: get, path: t/x, expect: deny}
            """
        )
        #expect(decisions == [true, false, false])
    }

    /// A file of one case, and what is said of it.
    static let mistakes = [
        ("", "no cases"), ("cases: []", "no cases"), ("cases: 1", "line 1: cases is a list"),
        ("case: []", "line 1: the file has no case, only cases, documents"),
        ("cases:\n- {method: get, path: t/x}", "line 2: expect is allow or deny"),
        ("cases: [{method: get, path: t/x, expect: maybe}]", "line 1: expect is allow or deny"),
        ("cases: [{method: get, path: t, expect: deny}]", "t is no document: its path has an even number of names"),
        ("cases: [{method: list, path: t/x, expect: deny}]", "t/x is no collection"),
        ("cases: [{method: read, path: t/x, data: {}, expect: deny}]", "read is no method"),
        ("cases: [{method: get, path: t/x, data: {}, expect: deny}]", "data is not for this method"),
        ("cases: [{method: create, path: t/x, expect: deny}]", "a write has data, or merge"),
        ("cases: [{method: create, path: t/x, data: {}, merge: {}, expect: deny}]", "a write has data, or merge"),
        ("cases: [{method: delete, path: t/x, data: {}, expect: deny}]", "a delete has no data"),
        ("cases: [{method: get, method: get, path: t/x, expect: deny}]", "the same key twice: method"),
        ("cases: [{writes: [], path: t/x, expect: deny}]", "writes stand alone, without path"),
        ("documents: {t: {}}\ncases: []", "line 1: t is no document"),
        (
            "cases: [{method: get, path: t/x, documents: {t/x: {v: [[1]]}}, expect: deny}]",
            "a list in a list is no value"
        ),
        (
            "cases: [{method: get, path: t/x, documents: {t/x: {v: !date 1}}, expect: deny}]",
            "!date is no kind of value"
        ),
        ("cases: [{method: get, path: t/x, documents: {t/x: {v: !geopoint [91, 0]}}, expect: deny}]", "!geopoint is"),
        ("cases: [{method: get, path: t/x, documents: {t/x: {v: 9223372036854775808}}, expect: deny}]", "is too large"),
        (
            "cases: [{method: list, path: t, query: {limit: -1}, expect: deny}]",
            "limit is a number from 0 to 2147483647"
        ),
        ("cases: [{method: list, path: t, query: {where: [[a, =, 1]]}, expect: deny}]", "a condition is"),
        ("cases: [{method: list, path: t, query: {orderBy: [a up]}, expect: deny}]", "an order is a field"),
        ("cases:\n  - {method: get", "line 3: "),
    ]

    @Test(arguments: mistakes) func `Mistakes are told with their line`(yaml: String, message: String) {
        #expect {
            _ = try RuleCaseReader(now: now).cases(yaml)
        } throws: {
            "\($0)".contains(message)
        }
    }

    @Test func `Values nest as deep as documents may`() {
        let deep = String(repeating: "{a: ", count: 200) + "1" + String(repeating: "}", count: 200)
        #expect(throws: RuleCaseError.self) {
            try RuleCaseReader(now: now).cases(
                "cases: [{method: get, path: t/x, documents: {t/x: \(deep)}, expect: deny}]"
            )
        }
    }
}

func ruleset(_ body: String) throws -> Ruleset {
    let source = "rules_version = '2'; service cloud.firestore { match /databases/{database}/documents {\n\(body)\n} }"
    let compilation = Ruleset.compile(source)
    return try #require(compilation.ruleset, "\(compilation.diagnostics)")
}
