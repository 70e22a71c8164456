import BrasaDocuments
import BrasaRules
import Testing

/// The rules of the published pages on atomic operations, conditions, structure and queries.
struct PublishedRulesTests {
    private let atomic = """
        function stampedNow(country) {
          let after = getAfter(/databases/$(database)/documents/countries/$(country));
          return after.data.last_updated == request.time;
        }
        match /cities/{id} {
          allow write: if request.auth != null && stampedNow(request.resource.data.country);
        }
        match /countries/{id} { allow write: if request.auth != null; }
        """

    @Test func `A city is written with its country's stamp`() throws {
        let rules = try ruleset(wrapped(self.atomic))
        let city = fields(["country": .string("fr")])
        let stamp = fields(["last_updated": .timestamp(now)])
        let stale = fields(["last_updated": .timestamp(Timestamp(microseconds: 1))])
        func isAllowed(_ changes: [String: EncodedFields?], as auth: RuleAuth? = user("alice")) throws -> Bool {
            let world = World(before: ["countries/fr": stale, "cities/old": city], changes: changes)
            return try changes.keys.allSatisfy { name in
                let method: RuleMethod =
                    world.changes[name] == .some(nil) ? .delete : world.before[name] == nil ? .create : .update
                return try rules.write(method, name, as: auth, in: world, .several).isAllowed
            }
        }
        #expect(try isAllowed(["cities/paris": city, "countries/fr": stamp]))
        #expect(!(try isAllowed(["cities/paris": city])))
        #expect(!(try isAllowed(["cities/paris": fields(["country": .string("zz")])])))
        #expect(!(try isAllowed(["cities/paris": city, "countries/fr": stale])))
        #expect(try isAllowed(["countries/fr": stale]))
        #expect(!(try isAllowed(["cities/old": nil, "countries/fr": stamp])))
        #expect(!(try isAllowed(["cities/paris": city, "countries/fr": stamp], as: nil)))
    }

    /// As it is printed: the helper writes the database in braces, which names the capture around it.
    private let chat = """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{db}/documents {
            function prefix() {
              return /databases/{db}/documents;
            }
            match /chatroom/{roomId} {
              allow read, write: if request.auth != null
                && roomId in get(/$(prefix())/users/$(request.auth.uid)).data.chats
                || exists(/$(prefix())/admins/$(request.auth.uid));
            }
            match /users/{userId} {
              allow read, write: if request.auth != null && request.auth.uid == userId
                || exists(/$(prefix())/admins/$(request.auth.uid));
            }
            match /admins/{userId} {
              allow read, write: if request.auth != null && exists(/$(prefix())/admins/$(request.auth.uid));
            }
          }
        }
        """

    @Test func `The chat example works as printed, and its calls stay within the documented ones`() throws {
        let rules = try ruleset(self.chat)
        let world = World(
            before: [
                "users/ann": fields(["chats": .array([.string("room1")])]), "users/boss": fields(["chats": .array([])]),
                "admins/boss": .empty, "admins/other": .empty, "users/newuser": .empty, "chatroom/room1": .empty,
            ],
            changes: ["chatroom/group1": .empty, "users/newuser": .empty, "admins/other": nil]
        )
        func calls(_ method: RuleMethod, _ name: String, _ uid: String, _ ledger: inout AccessLedger) throws -> Int? {
            let before = ledger.count
            let request = RuleRequest(
                method,
                .document(try path(name)),
                database: database,
                time: now,
                auth: user(uid),
                stored: world.stored(name),
                future: method == .get ? nil : world.future(name)
            )
            return rules.allows(request, world, &ledger) ? ledger.count - before : nil
        }
        func single(_ name: String, _ uid: String) throws -> Int? {
            var ledger = try world.ledger(.single)
            return try calls(.get, name, uid, &ledger)
        }
        #expect(try single("users/ann", "ann") == 0)
        #expect(try single("chatroom/room1", "ann") == 1)
        #expect(try single("chatroom/room2", "ann") == nil)
        #expect(try single("users/ann", "boss") == 1)
        var batch = try world.ledger(.several)
        let create = try calls(.create, "chatroom/group1", "boss", &batch)
        let update = try calls(.update, "users/newuser", "boss", &batch)
        let delete = try calls(.delete, "admins/other", "boss", &batch)
        #expect([create, update, delete] == [2, 0, 0])
        #expect(batch.count == 2)
    }

    @Test func `Conditions on who asks, what is stored and what is written`() throws {
        let rules = try ruleset(
            wrapped(
                """
                function signedInOrPublic() { return request.auth.uid != null || resource.data.visibility == 'public'; }
                match /stories/{id} { allow read: if signedInOrPublic(); }
                match /profiles/{uid} {
                  allow read, update, delete: if request.auth != null && request.auth.uid == uid;
                  allow create: if request.auth != null;
                }
                match /cities/{city} {
                  allow update: if request.resource.data.population > 0
                    && request.resource.data.name == resource.data.name;
                }
                match /members/{id} {
                  allow create: if exists(/databases/$(database)/documents/profiles/$(request.auth.uid));
                  allow delete: if get(/databases/$(database)/documents/profiles/$(request.auth.uid)).data.admin == true;
                }
                """
            )
        )
        var world = World(
            before: [
                "stories/a": fields(["visibility": .string("public")]),
                "stories/b": fields(["visibility": .string("x")]),
                "profiles/ann": fields(["admin": .boolean(true)]), "profiles/bob": .empty,
                "cities/c": fields(["name": .string("C"), "population": .integer(1)]),
            ]
        )
        #expect(try rules.get("stories/a", in: world).isAllowed)
        #expect(!(try rules.get("stories/b", in: world).isAllowed))
        #expect(try rules.get("stories/b", as: user("ann"), in: world).isAllowed)
        #expect(try rules.get("profiles/ann", as: user("ann"), in: world).isAllowed)
        #expect(!(try rules.get("profiles/ann", as: user("bob"), in: world).isAllowed))
        #expect(!(try rules.get("profiles/ann", in: world).isAllowed))

        world.changes = ["cities/c": fields(["name": .string("C"), "population": .integer(2)])]
        #expect(try rules.write(.update, "cities/c", in: world).isAllowed)
        world.changes = ["cities/c": fields(["name": .string("D"), "population": .integer(2)])]
        #expect(!(try rules.write(.update, "cities/c", in: world).isAllowed))
        world.changes = ["cities/c": fields(["name": .string("C"), "population": .integer(0)])]
        #expect(!(try rules.write(.update, "cities/c", in: world).isAllowed))

        world.changes = ["members/m": .empty]
        #expect(try rules.write(.create, "members/m", as: user("bob"), in: world).isAllowed)
        #expect(!(try rules.write(.create, "members/m", as: user("eve"), in: world).isAllowed))
        #expect(try rules.write(.delete, "members/m", as: user("ann"), in: world).isAllowed)
        #expect(!(try rules.write(.delete, "members/m", as: user("bob"), in: world).isAllowed))
    }

    @Test func `Structure: blocks below blocks, and wildcards for all of them`() throws {
        let rules = try ruleset(
            wrapped(
                """
                match /cities/{city} {
                  allow read: if true;
                  match /landmarks/{landmark} { allow read: if landmark == 'tower'; }
                }
                match /songs/{document=**} { allow read; }
                match /{path=**}/reviews/{review} { allow read: if path[0] == 'cities'; }
                """
            )
        )
        let world = World(before: [:])
        let expected = [
            "cities/p": true, "cities/p/landmarks/tower": true, "cities/p/landmarks/x": false, "cities/p/x/y": false,
            "songs/a": true, "songs/a/b/c": true, "cities/p/reviews/r": true, "songs2/a/reviews/r": false,
        ]
        for (name, isAllowed) in expected {
            #expect(try rules.get(name, in: world).isAllowed == isAllowed, "\(name)")
        }
    }

    @Test func `Queries: a limit, and a rule for everybody`() throws {
        let rules = try ruleset(
            wrapped(
                """
                match /posts/{id} {
                  allow list: if request.auth != null && request.query.limit <= 10 && request.query.orderBy.at == 'DESC';
                }
                """
            )
        )
        func isAllowed(_ limit: Int64?, _ auth: RuleAuth?) throws -> Bool {
            var ledger = AccessLedger(.single)
            let request = RuleRequest(
                .list,
                .collection(try path("posts")),
                database: database,
                time: now,
                auth: auth,
                query: RuleQuery(limit: limit, order: [("at", false)])
            )
            return rules.allows(request, World.table, &ledger)
        }
        #expect(try isAllowed(10, user("ann")))
        #expect(!(try isAllowed(11, user("ann"))))
        #expect(!(try isAllowed(nil, user("ann"))))
        #expect(!(try isAllowed(10, nil)))
    }
}
