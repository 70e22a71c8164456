import BrasaDocuments
import BrasaQueries
import BrasaRules
import Testing

/// What calls demand, and how they are judged document by document.
struct ReviewTests {
    private let documents = "/databases/$(database)/documents"

    private func review(
        _ demand: RuleDemand,
        _ body: String,
        in world: World = .table,
        as auth: RuleAuth? = nil
    ) throws -> RuleReview {
        let caller = RuleCaller(database: database, auth: auth, time: now)
        return RuleReview(demand, by: caller, under: try ruleset(wrapped(body)), world)
    }

    /// Which methods must be allowed for these writes; the rules allow one method only.
    private func methods(_ writes: [RuleWrite], changes: [String: EncodedFields?]) throws -> [RuleMethod] {
        var world = World.table
        world.changes = changes
        return try RuleMethod.allCases.filter { method in
            let review = try self.review(.commit(writes), "match /t/{id} { allow \(method.rawValue); }", in: world)
            return review.isAllowed
        }
    }

    @Test func `A write is judged by what it demands, or by what is there`() throws {
        let new = fields(["a": .integer(2)])
        let (there, none) = (try path("t/x"), try path("t/none"))
        let cases: [(writes: [RuleWrite], change: EncodedFields?, method: RuleMethod)] = [
            ([RuleWrite(.set, there)], new, .update), ([RuleWrite(.set, none)], new, .create),
            ([RuleWrite(.set, there, .isMissing)], new, .create), ([RuleWrite(.set, none, .exists)], new, .update),
            ([RuleWrite(.delete, there)], nil, .delete), ([RuleWrite(.delete, none)], nil, .delete),
            ([RuleWrite(.verify, there)], new, .get),
            ([RuleWrite(.set, none, .isMissing), RuleWrite(.set, none, .exists)], new, .create),
            ([RuleWrite(.delete, there), RuleWrite(.set, there)], new, .update),
            ([RuleWrite(.set, there), RuleWrite(.delete, there)], nil, .delete),
            ([RuleWrite(.delete, none), RuleWrite(.set, none)], new, .create),
        ]
        for (writes, change, method) in cases {
            let methods = try self.methods(writes, changes: [writes[0].path.string: change])
            #expect(methods == [method], "\(writes)")
        }
    }

    @Test func `Writes to one document are one, from before the commit to after it`() throws {
        var world = World.table
        world.changes = ["t/x": fields(["a": .integer(9)])]
        let writes = [RuleWrite(.set, try path("t/x")), RuleWrite(.set, try path("t/x"))]
        var review = try self.review(
            .commit(writes),
            "match /t/{id} { allow update: if resource.data.a == 1 && request.resource.data.a == 9; }",
            in: world
        )
        let step = review.step()
        #expect(step == .allowed)
    }

    @Test func `One denied write denies the commit, and ends the review`() throws {
        var world = World.table
        world.changes = ["t/x": fields([:]), "o/k": fields([:]), "t/y": fields([:])]
        let writes = try ["t/x", "o/k", "t/y"].map { RuleWrite(.set, try path($0)) }
        var review = try self.review(.commit(writes), "match /t/{id} { allow write; }", in: world)
        let steps = [review.step(), review.step(), review.step()]
        #expect(steps == [.unfinished, .denied, .denied])
        #expect(review.denialMessage == "Missing or insufficient permissions.")
        #expect(review.reads.map(\.string) == ["t/x", "o/k"])
    }

    @Test func `A commit sees before and after the whole, in whatever order it writes`() throws {
        let rules = """
            match /t/{id} {
              allow write: if getAfter(\(self.documents)/o/k).data.v == 2 && get(\(self.documents)/o/k).data.v == 1;
            }
            match /o/{id} { allow write: if existsAfter(\(self.documents)/t/n) && !exists(\(self.documents)/t/n); }
            """
        var world = World.table
        world.changes = ["t/n": fields([:]), "o/k": fields(["v": .integer(2)])]
        let writes = [RuleWrite(.set, try path("t/n")), RuleWrite(.set, try path("o/k"))]
        for writes in [writes, writes.reversed()] {
            var review = try self.review(.commit(writes), rules, in: world)
            let isAllowed = review.finish()
            #expect(isAllowed)
            #expect(Set(review.reads.map(\.string)) == ["t/n", "o/k"])
            #expect(review.accessCount == 2)
        }
        world.changes["o/k"] = .some(nil)
        let review = try self.review(.commit(writes), rules, in: world)
        #expect(!review.isAllowed)
    }

    @Test func `A commit has twenty calls in all, one document ten`() throws {
        func commit(_ count: Int, calls: Int) throws -> Bool {
            let names = (0..<count).map { "t/n\($0)" }
            var world = World.table
            for name in names { world.changes[name] = fields([:]) }
            let condition = (0..<calls).map { "!exists(\(self.documents)/z/$(id + '\($0)'))" }
            let review = try self.review(
                .commit(try names.map { RuleWrite(.set, try path($0)) }),
                "match /t/{id} { allow create: if \(condition.joined(separator: " && ")); }",
                in: world
            )
            return review.isAllowed
        }
        #expect(try commit(1, calls: 10))
        #expect(!(try commit(1, calls: 11)))
        #expect(try commit(2, calls: 10))
        #expect(!(try commit(3, calls: 7)))
        #expect(try commit(4, calls: 5))
    }

    @Test func `Every document of a read must be allowed`() throws {
        let paths = try ["t/x", "t/y", "t/none"].map { try path($0) }
        let open = "match /t/{id} { allow get: if resource == null || resource.data.a < 9; }"
        let narrow = "match /t/{id} { allow get: if resource.data.owner == request.auth.uid; }"
        let all = try self.review(.documents(paths), open)
        #expect(all.isAllowed)
        let own = try self.review(.documents(paths), narrow, as: user("alice"))
        #expect(!own.isAllowed)
        let none = try self.review(.documents([]), narrow)
        #expect(none.isAllowed)
    }

    @Test func `Listings are judged by their page, and queries by what they prove`() throws {
        let collection = try path("t")
        let page =
            "match /t/{id} { allow list: if request.query.limit == 30 && request.query.orderBy == {'a': 'DESC'}; }"
        for (size, isAllowed) in [(Int32(0), true), (30, true), (10, false)] {
            let review = try self.review(.list(collection, pageSize: size, order: [("a", false)]), page)
            #expect(review.isAllowed == isAllowed)
        }
        let asked = StructuredQuery(
            from: [.init(collectionID: "t")],
            filter: .field(try FieldPath(names: ["owner"]), .equal, .string("alice"))
        )
        let parent = try #require(ParentName(database: try DatabaseName(project: "p", database: database), path: .root))
        let demand = RuleDemand.query(asked, try Query(asked, parent: parent))
        for (owner, isAllowed) in [("alice", true), ("bob", false)] {
            let review = try self.review(demand, "match /t/{id} { allow list: if resource.data.owner == '\(owner)'; }")
            #expect(review.isAllowed == isAllowed)
        }
    }

    @Test func `What no rule can allow is told`() throws {
        let cases: [(RuleDemand, String)] = [
            (.metadata, "Metadata operations require admin authentication."),
            (
                .list(try path("t"), pageSize: 1, showsMissing: true),
                "Metadata operations require admin authentication."
            ),
            (.batchWrite, "Batch writes require admin authentication."),
        ]
        for (demand, message) in cases {
            var review = try self.review(demand, "match /{p=**} { allow read, write; }")
            let step = review.step()
            #expect(step == .denied)
            #expect(review.denialMessage == message)
        }
    }

    /// Counts what it is asked for.
    private final class Counting: RuleDocuments {
        var asked: [String] = []
        var answer = RuleLookup.missing

        func document(_ path: ResourcePath, after: Bool) -> RuleLookup {
            self.asked.append("\(path) \(after)")
            return self.answer
        }
    }

    @Test func `A document is fetched once for a call, and one that cannot be read denies`() throws {
        let rules = try ruleset(
            wrapped(
                "match /t/{id} { allow get: if resource == null && !exists(\(self.documents)/t/a)"
                    + " && get(\(self.documents)/t/b) == null && !existsAfter(\(self.documents)/t/b); }"
            )
        )
        let demand = RuleDemand.documents([try path("t/a"), try path("t/b")])
        let caller = RuleCaller(database: database, auth: nil, time: now)
        let documents = Counting()
        let review = RuleReview(demand, by: caller, under: rules, documents)
        #expect(review.isAllowed)
        #expect(documents.asked == ["t/a false", "t/b false"])
        documents.answer = .refused
        let refused = RuleReview(demand, by: caller, under: rules, documents)
        #expect(!refused.isAllowed)
    }
}

extension RuleReview {
    /// What all steps come to.
    fileprivate var isAllowed: Bool {
        var review = self
        return review.finish()
    }
}
