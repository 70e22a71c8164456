import BrasaDocuments
import BrasaRules
import Testing

/// Calls that read documents: what counts, and what they see.
struct AccessTests {
    private let documents = "/databases/$(database)/documents"

    private func request(_ method: RuleMethod, _ name: String, in world: World) throws -> RuleRequest {
        RuleRequest(
            method,
            .document(try path(name)),
            database: database,
            time: now,
            auth: user("alice"),
            stored: world.stored(name),
            future: method == .get ? nil : world.future(name)
        )
    }

    /// How many calls counted for a condition on `t/x`.
    private func count(_ condition: String, _ method: RuleMethod = .get, in world: World = .table) throws -> Int {
        let rules = try ruleset(
            wrapped(
                """
                function at(i) { return \(self.documents)/z/$(i); }
                match /t/{id} { allow get, write: if \(condition); }
                """
            )
        )
        var ledger = try world.ledger(.several)
        _ = rules.allows(try self.request(method, "t/x", in: world), world, &ledger)
        return ledger.count
    }

    @Test func `Calls count once each, by kind, and only when they are made`() throws {
        #expect(try self.count("true || exists(at(1))") == 0)
        #expect(try self.count("exists(at(1)) || exists(at(2))") == 2)
        #expect(try self.count("exists(at(1)) || exists(at(1))") == 1)
        #expect(try self.count("exists(at(1)) || get(at(1)) == 1") == 2)
        #expect(try self.count("existsAfter(at(1)) || exists(at(1))") == 1)
        #expect(try self.count("(1 / 0 == 1) || exists(at(1))") == 1)
        #expect(try self.count("exists(\(self.documents)/t/x) && get(\(self.documents)/t/x).id == 'x'") == 0)
        #expect(try self.count("exists('t') || exists(/t/x)") == 0)
    }

    /// Without them the path would be another document's, of the choice of whoever sends them.
    @Test(arguments: [
        "$('')/$('')/z/1", "$('')/$('')/$('')/$('')/z/1", "z/$('')", "z/1/$('')/$('')", "z/$('')/$('')/1",
    ])
    func `A path with empty segments names no document`(path: String) throws {
        #expect(try self.count("exists(\(self.documents)/\(path))") == 0)
        #expect(try self.count("exists(\(self.documents)/z/1)") == 1)
    }

    @Test func `The future of what is written is free, its past is not`() throws {
        var world = World.table
        world.changes = ["t/x": fields(["a": .integer(2)]), "o/k": fields(["v": .integer(2)])]
        let other = "\(self.documents)/o/k"
        #expect(try self.count("getAfter(\(other)).data.v == 2", .update, in: world) == 0)
        #expect(try self.count("get(\(other)).data.v == 1", .update, in: world) == 1)
    }

    @Test func `Calls in an unused let count`() throws {
        let rules = try ruleset(
            wrapped(
                """
                function f() { let x = exists(\(self.documents)/z/1); return true; }
                match /t/{id} { allow get: if f(); }
                """
            )
        )
        var ledger = AccessLedger(.single)
        let isAllowed = rules.allows(try self.request(.get, "t/x", in: .table), World.table, &ledger)
        #expect(isAllowed)
        #expect(ledger.count == 1)
    }

    @Test func `A request of several documents has a bound of its own, and one for each`() throws {
        let rules = try ruleset(
            wrapped(
                """
                function none(i) { return !exists(\(self.documents)/z/$(i)); }
                match /t/{id} {
                  allow get: if none(id + 'a') && none(id + 'b') && none(id + 'c') && none(id + 'd') && none(id + 'e')
                    && none(id + 'f') && none(id + 'g');
                }
                """
            )
        )
        let world = World.table
        var ledger = try world.ledger(.several)
        for name in ["t/1", "t/2", "t/2"] {
            let isAllowed = rules.allows(try self.request(.get, name, in: world), world, &ledger)
            #expect(isAllowed)
        }
        #expect(ledger.count == 14)
        let third = rules.explain(try self.request(.get, "t/3", in: world), world, &ledger)
        #expect(ledger.count == 20)
        let failure = EvaluationError.serviceCall(function: "exists", argument: "z/3g", .limitOfRequest)
        #expect(third.statements[0].outcome == .failed(failure))
    }

    /// A reader that has a bound of its own, and one that does not know.
    private struct Unwilling: RuleDocuments {
        var answer: RuleLookup
        func document(_ path: ResourcePath, after: Bool) -> RuleLookup { self.answer }
    }

    @Test func `A reader may refuse, and a disjunction absorbs it`() throws {
        for answer in [RuleLookup.refused, .unknown] {
            for (condition, isAllowed) in [
                ("exists(\(self.documents)/z/1)", false), ("exists(\(self.documents)/z/1) || true", true),
            ] {
                let rules = try ruleset(wrapped("match /t/{id} { allow get: if \(condition); }"))
                var ledger = AccessLedger(.single)
                let request = try self.request(.get, "t/x", in: .table)
                let result = rules.allows(request, Unwilling(answer: answer), &ledger)
                #expect(result == isAllowed)
            }
        }
    }

    @Test func `A missing document is null, and has no fields`() throws {
        let missing = "get(\(self.documents)/z/1)"
        #expect(try outcome(of: "\(missing) == null") == "true")
        #expect(try outcome(of: "\(missing).data.a == 1") == "Null value error.")
        #expect(try outcome(of: "get(\(self.documents)/t/y).data.owner == 'bob'") == "true")
        #expect(try outcome(of: "get(\(self.documents)/t/y).id == 'y'") == "true")
        #expect(try outcome(of: "get(\(self.documents)/t/y).__name__ == \(self.documents)/t/y") == "true")
    }
}
