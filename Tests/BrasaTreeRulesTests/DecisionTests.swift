import BrasaTree
import BrasaTreeRules
import Testing

struct DecisionTests {
    @Test func `A read is granted on the way down, and cannot be taken back`() throws {
        let rules = try rules(#"{"rules":{"a":{".read":true,"b":{".read":false}},"c":{"d":{".read":true}}}}"#)
        #expect(try rules.reads("a"))
        #expect(try rules.reads("a/b"))
        #expect(try rules.reads("a/b/x/y"))
        #expect(try rules.reads("c/d"))
        // Rules are no filters.
        #expect(try !rules.reads("c"))
        #expect(try !rules.reads("/"))
        #expect(try !rules.reads("z"))
        #expect(try !rules.writes("a", "1"))
    }

    @Test func `Without rules nobody gets in, with open ones everybody does`() throws {
        #expect(try !TreeRules.locked.reads("a"))
        #expect(try !rules(#"{"rules":{}}"#).writes("a", "1"))
        #expect(try TreeRules.open.reads("a", as: .null))
        #expect(try TreeRules.open.writes("/", "null", as: .null))
        #expect(try TreeRules(parsing: TreeRules.open.text).reads("x"))
        #expect(try !TreeRules(parsing: TreeRules.locked.text).reads("x"))
    }

    @Test func `A literal key hides the wildcard beside it`() throws {
        let rules = try rules(
            #"{"rules":{"$a":{".read":true,"$b":{".write":"$a == 'x' && $b == 'y'"}},"private":{".read":false}}}"#
        )
        #expect(try rules.reads("anything"))
        #expect(try !rules.reads("private"))
        #expect(try !rules.reads("private/child"))
        #expect(try rules.writes("x/y", "1"))
        #expect(try !rules.writes("y/x", "1"))
        #expect(try !rules.writes("private/y", "1"))
    }

    @Test func `An error in one rule leaves the next deeper one its say`() throws {
        let rules = try rules(#"{"rules":{".read":"auth.uid.x.y","a":{".read":"auth == null"}}}"#)
        #expect(try rules.reads("a", as: .null))
        #expect(try !rules.reads("/", as: .null))
    }

    private static let validated = #"""
        {"rules":{
          ".write": true,
          "widget": {
            ".validate": "newData.hasChildren(['color', 'size'])",
            "size": {".validate": "newData.isNumber() && newData.val() >= 0 && newData.val() <= 99"},
            "color": {".validate": "root.child('colors').hasChild(newData.val())"},
            "$other": {".validate": false}
          },
          "log": {"$id": {".validate": "newData.child('t').val() == now", "n": {".validate": "newData.val() > (data.exists() ? data.val() : 0)"}}}
        }}
        """#

    @Test(arguments: [
        ("widget", #"{"size":99,"color":"red"}"#, true), ("widget", #"{"size":99}"#, false),
        ("widget", #"{"size":100,"color":"red"}"#, false), ("widget", #"{"size":1,"color":"puce"}"#, false),
        ("widget", #"{"size":1,"color":"red","x":1}"#, false), ("widget/size", "5", true), ("widget/size", "-1", false),
        ("widget/size", #"{"deep":1}"#, false), ("widget/x", "1", false), ("widget", "null", true),
        ("widget/x", "null", true), ("widget/size", "null", true), ("/", "null", true),
        ("widget/.priority", "5", true), ("other/thing", #"{"a":1}"#, true),
        // The whole tree is validated beneath what is written.
        ("/", #"{"colors":{"red":1},"widget":{"size":1,"color":"red"}}"#, true),
        ("/", #"{"colors":{"red":1},"widget":{"size":1}}"#, false),
        ("log", #"{"a":{"t":{".sv":"timestamp"},"n":1},"b":{"t":{".sv":"timestamp"}}}"#, true),
        ("log", #"{"a":{"t":{".sv":"timestamp"},"n":0}}"#, false), ("log/a", #"{"t":4999}"#, false),
        ("log/z/n", "8", true), ("log/z/n", "7", false), ("log/z/n", #"{".sv":{"increment":1}}"#, true),
    ])
    func `What is written is validated as far as it exists`(_ path: String, _ value: String, _ isAllowed: Bool) throws {
        let root = #"{"colors":{"red":1},"widget":{"size":3,"color":"red"},"log":{"z":{"t":5000,"n":7}}}"#
        #expect(try rules(Self.validated).writes(path, value, in: root) == isAllowed)
    }

    @Test func `Write rules beneath what is written do not matter, validation needs a grant`() throws {
        let rules = try rules(
            #"{"rules":{"a":{"b":{".write":true}},"c":{".validate":true},"d":{".write":true,"e":{".write":false}}}}"#
        )
        #expect(try !rules.writes("a", #"{"b":1}"#))
        #expect(try rules.writes("a/b", "1"))
        #expect(try !rules.writes("c", "1"))
        #expect(try rules.writes("d", #"{"e":1}"#))
    }

    @Test func `Each path of an update is judged on the whole of it, and one refusal refuses all`() throws {
        let rules = try rules(
            #"{"rules":{"posts":{"$p":{".write":"root.child('users/alice').exists()",".validate":"newData.parent().parent().child('count').val() == data.parent().parent().child('count').val() + 1"}},"count":{".write":true}}}"#
        )
        let root = #"{"users":{"alice":1},"count":3}"#
        #expect(try rules.updates("/", #"{"posts/x":1,"count":4}"#, in: root))
        #expect(try !rules.updates("/", #"{"posts/x":1}"#, in: root))
        #expect(try !rules.updates("/", #"{"posts/x":1,"count":5}"#, in: root))
        #expect(try !rules.updates("/", #"{"posts/x":1,"count":4,"other":1}"#, in: root))
        #expect(try rules.updates("/", #"{"count":4}"#, in: root))
    }

    @Test func `An update of nothing is one of its node`() throws {
        let rules = try rules(#"{"rules":{"open":{".write":true}}}"#)
        #expect(try rules.updates("/open", "{}", in: "null") && rules.updates("/open/below", "{}", in: "null"))
        #expect(try !rules.updates("/", "{}", in: "null") && !rules.updates("/other", "{}", in: "null"))
    }

    @Test func `A query is seen by its members`() throws {
        func query(_ text: String) throws -> TreeQuery { try TreeQuery(wire: JSONValue(parsing: Array(text.utf8))) }
        let cases: [(String, String?, Bool)] = [
            ("query.limitToFirst <= 1000", nil, false),
            ("query.limitToFirst <= 1000", #"{"i":".key","l":1000,"vf":"l"}"#, true),
            ("query.limitToFirst <= 1000", #"{"i":".key","l":1001,"vf":"l"}"#, false),
            ("query.limitToFirst <= 1000", #"{"i":".key","l":5,"vf":"r"}"#, false),
            ("query.limitToLast == 5", #"{"i":".key","l":5,"vf":"r"}"#, true), ("query.orderByKey", nil, true),
            ("query.orderByKey", #"{"i":".key","l":5}"#, true), ("query.orderByValue", #"{"i":".value","l":5}"#, true),
            ("query.orderByPriority", #"{"l":5}"#, true), ("query.orderByKey", #"{"i":"x","l":5}"#, false),
            (
                "query.orderByChild == 'owner' && query.equalTo == auth.uid",
                #"{"i":"owner","sp":"alice","ep":"alice"}"#, true
            ),
            (
                "query.orderByChild == 'owner' && query.equalTo == auth.uid", #"{"i":"owner","sp":"alice","ep":"bob"}"#,
                false
            ),
            ("query.startAt == 3 && query.endAt == null && query.equalTo == null", #"{"i":"a/b","sp":3}"#, true),
            ("query.startAt == 'k'", #"{"i":".key","sp":"k"}"#, true), ("query.orderByChild == null", nil, true),
        ]
        for (expression, text, isAllowed) in cases {
            let rules = try rules(#"{"rules":{".read":\#(quoted(expression))}}"#)
            #expect(try rules.reads("x", text.map(query)) == isAllowed, "\(expression) \(text ?? "-")")
        }
    }

    @Test func `Indexes are those of the place, wildcards included`() throws {
        let rules = try rules(
            #"{"rules":{"scores":{".indexOn":".value"},"rooms":{"$r":{"posts":{".indexOn":["at","by/name"]}}}}}"#
        )
        func isIndexed(_ order: TreeQuery.Order, _ place: String) throws -> Bool {
            rules.isIndexed(order, at: try path(place))
        }
        #expect(try isIndexed(.value, "scores"))
        #expect(try !isIndexed(.value, "rooms"))
        #expect(try isIndexed(.child(path("at")), "rooms/x/posts"))
        #expect(try isIndexed(.child(path("by/name")), "rooms/y/posts"))
        #expect(try !isIndexed(.child(path("by")), "rooms/y/posts"))
        #expect(try !isIndexed(.child(path("at")), "nowhere/at/all"))
        #expect(try isIndexed(.key, "nowhere") && isIndexed(.priority, "nowhere"))
    }

    @Test func `A large write has the work that its nodes need, up to a bound`() throws {
        let rules = try rules(
            #"{"rules":{".write":true,"$k":{".validate":"newData.isNumber() && newData.val() >= 0 && newData.val() < 1000000"}}}"#
        )
        let many = "{" + (0..<2_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
        #expect(try rules.writes("/", many))
        #expect(try !rules.writes("/", many, limits: TreeRuleLimits(workMax: 400_000)))
        #expect(try rules.writes("/", #"{"k":1}"#, limits: TreeRuleLimits(workMax: 400_000)))
    }
}
