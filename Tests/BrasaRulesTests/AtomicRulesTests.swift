import BrasaDocuments
import BrasaRules
import Testing

/// Rules that make documents change together: what one write may do hangs on what the rest of its commit does.
struct AtomicRulesTests {
    /// Whether a commit that leaves these documents (nil: deleted) is allowed, in whatever order it writes them.
    private func isAllowed(
        _ body: String,
        _ changes: [String: EncodedFields?],
        in before: [String: EncodedFields],
        as auth: RuleAuth? = user("ann")
    ) throws -> Bool {
        let rules = try ruleset(wrapped(body.replacing("~/", with: "/databases/$(database)/documents/")))
        let caller = RuleCaller(database: database, auth: auth, time: now)
        let writes = try changes.sorted { $0.key < $1.key }
            .map { RuleWrite($1 == nil ? .delete : .set, try path($0)) }
        var forward = RuleReview(.commit(writes), by: caller, under: rules, World(before: before, changes: changes))
        var backward = RuleReview(
            .commit(writes.reversed()),
            by: caller,
            under: rules,
            World(before: before, changes: changes)
        )
        let isAllowed = forward.finish()
        #expect(backward.finish() == isAllowed)
        return isAllowed
    }

    /// A name belongs to one user: whoever takes it writes both documents, whoever gives it up deletes both.
    private let names = """
        match /users/{uid} {
          allow create, update: if request.auth.uid == uid
            && getAfter(~/names/$(request.resource.data.name)).data.uid == uid
            && (resource == null || resource.data.name == request.resource.data.name
              || !existsAfter(~/names/$(resource.data.name)));
          allow delete: if request.auth.uid == uid && !existsAfter(~/names/$(resource.data.name));
        }
        match /names/{name} {
          allow create: if getAfter(~/users/$(request.auth.uid)).data.name == name
            && request.resource.data.uid == request.auth.uid;
          allow delete: if resource.data.uid == request.auth.uid
            && (!existsAfter(~/users/$(request.auth.uid))
              || getAfter(~/users/$(request.auth.uid)).data.name != name);
        }
        """

    @Test func `A name and its user are written together, and no name twice`() throws {
        func user(_ name: String) -> EncodedFields {
            fields(["name": .string(UTF8Text(validating: Array(name.utf8)) ?? "")])
        }
        let (ann, bob) = (fields(["uid": .string("ann")]), fields(["uid": .string("bob")]))
        let settled = ["users/ann": user("anna"), "names/anna": ann, "names/bobby": bob]
        let cases: [(changes: [String: EncodedFields?], before: [String: EncodedFields], isAllowed: Bool)] = [
            (["users/ann": user("anna"), "names/anna": ann], [:], true),
            (["users/ann": user("anna")], [:], false), (["names/anna": ann], [:], false),
            (["users/ann": user("anna"), "names/anna": bob], [:], false),
            (["users/ann": user("bobby")], ["names/bobby": bob], false),
            (["users/ann": user("bobby"), "names/bobby": ann], ["names/bobby": bob], false),
            (["users/ann": user("anka"), "names/anka": ann, "names/anna": nil], settled, true),
            (["users/ann": user("anka"), "names/anka": ann], settled, false),
            (["users/ann": nil, "names/anna": nil], settled, true), (["users/ann": nil], settled, false),
            (["names/anna": nil], settled, false), (["names/bobby": nil], settled, false),
        ]
        for (changes, before, isAllowed) in cases {
            #expect(try self.isAllowed(self.names, changes, in: before) == isAllowed, "\(changes.keys.sorted())")
        }
    }

    /// Items of a list are counted in the list's document: adding and deleting move the count by one.
    private let counters = """
        match /lists/{list} {
          function count() { return get(~/lists/$(list)).data.count; }
          function countAfter() { return getAfter(~/lists/$(list)).data.count; }
          allow update: if request.resource.data.diff(resource.data).affectedKeys().hasOnly(['count', 'last'])
            && (request.resource.data.count == resource.data.count + 1
                && existsAfter(~/lists/$(list)/items/$(request.resource.data.last))
                && !exists(~/lists/$(list)/items/$(request.resource.data.last))
              || request.resource.data.count == resource.data.count - 1
                && !existsAfter(~/lists/$(list)/items/$(request.resource.data.last))
                && exists(~/lists/$(list)/items/$(request.resource.data.last)));
          match /items/{item} {
            allow create: if countAfter() == count() + 1 && getAfter(~/lists/$(list)).data.last == item;
            allow delete: if countAfter() == count() - 1 && getAfter(~/lists/$(list)).data.last == item;
          }
        }
        """

    @Test func `A counter is moved with what it counts, and by one`() throws {
        func list(_ count: Int64, _ last: UTF8Text) -> EncodedFields {
            fields(["count": .integer(count), "last": .string(last), "title": .string("T")])
        }
        let before = ["lists/l": list(1, "a"), "lists/l/items/a": EncodedFields.empty]
        let cases: [(changes: [String: EncodedFields?], isAllowed: Bool)] = [
            (["lists/l": list(2, "b"), "lists/l/items/b": .empty], true),
            (["lists/l": list(0, "a"), "lists/l/items/a": nil], true),
            (["lists/l/items/b": .empty], false), (["lists/l/items/a": nil], false),
            (["lists/l": list(2, "b")], false), (["lists/l": list(0, "a")], false),
            (["lists/l": list(3, "b"), "lists/l/items/b": .empty], false),
            (["lists/l": list(2, "c"), "lists/l/items/b": .empty], false),
            // Two for the price of one, and one for another.
            (["lists/l": list(2, "b"), "lists/l/items/b": .empty, "lists/l/items/c": .empty], false),
            (["lists/l": list(0, "a"), "lists/l/items/a": nil, "lists/l/items/b": .empty], false),
            (["lists/l": list(0, "z"), "lists/l/items/z": nil], false),
            (["lists/l": nil, "lists/l/items/a": nil], false),
        ]
        for (changes, isAllowed) in cases {
            #expect(try self.isAllowed(self.counters, changes, in: before) == isAllowed, "\(changes)")
        }
    }
}
