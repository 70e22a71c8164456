import BrasaTree
import Testing

struct QueryTests {
    private typealias Parameter = TreeQuery.Parameter

    /// `name=value` pairs of a URL, decoded.
    private func query(_ texts: [String]) throws -> TreeQuery? {
        try TreeQuery(
            parameters: texts.map { text in
                let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return Parameter(String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
            }
        )
    }

    private static let scores =
        #"{"a":{"s":3},"b":{"s":1,".priority":5},"c":{"s":"x"},"d":{"n":1},"e":{"s":3},"10":{"s":null,"k":1},"9":{"s":true},"f":{"s":{"z":1}}}"#

    @Test(arguments: [
        ([#"orderBy="s""#, "limitToFirst=3"], ["9", "10", "d"]),
        ([#"orderBy="s""#, "limitToLast=2"], ["c", "f"]),
        ([#"orderBy="s""#, "equalTo=3"], ["a", "e"]),
        ([#"orderBy="s""#, #"equalTo=3,"e""#], ["e"]),
        ([#"orderBy="s""#, "equalTo=null"], ["10", "d"]),
        ([#"orderBy="s""#, "startAt=1", "endAt=3"], ["a", "b", "e"]),
        ([#"orderBy="s""#, "startAfter=1", "endBefore=3"], []),
        ([#"orderBy="s""#, "startAfter=1"], ["a", "c", "e", "f"]),
        ([#"orderBy="s""#, #"startAt=3,"b""#], ["c", "e", "f"]),
        ([#"orderBy="s""#, #"startAfter=3,"a""#, "limitToFirst=1"], ["e"]),
        ([#"orderBy="s""#, #"endBefore=3,"e""#, "limitToLast=1"], ["a"]),
        ([#"orderBy="s""#, #"endAt=3,"a""#], ["9", "10", "a", "b", "d"]),
        ([#"orderBy="$key""#, #"startAt="9""#, #"endAt="a""#], ["9", "10", "a"]),
        ([#"orderBy="$key""#, #"startAfter="9""#, "limitToFirst=2"], ["10", "a"]),
        ([#"orderBy="$key""#, #"equalTo="10""#], ["10"]),
        ([#"orderBy="$priority""#, "limitToLast=1"], ["b"]),
        ([#"orderBy="$priority""#, "startAt=5"], ["b"]),
        ([#"orderBy="$value""#, "limitToFirst=2"], ["9", "10"]),
    ])
    func `A query cuts a node to its window`(_ parameters: [String], _ keys: [String]) throws {
        let query = try #require(try self.query(parameters))
        let tree = try node(Self.scores).withPriority(.number(1))
        let cut = query.filter(tree)
        #expect(cut.children.map(\.key.description) == keys)
        #expect(cut.priority == .none)
        for child in cut.children { #expect(child.node == tree.child(child.key)) }
        #expect(query.filter(try node("5")).isAbsent)
        #expect(query.filter(.absent).isAbsent)
    }

    @Test(arguments: [
        (["limitToFirst=1"], TreeError.Reason.orderMissing), (["startAt=1"], .orderMissing),
        (["orderBy=s"], .invalidOrder),
        ([#"orderBy="a.b""#], .invalidOrder), ([#"orderBy="""#], .invalidOrder), (["orderBy=1"], .invalidOrder),
        ([#"orderBy="s""#, "startAt=x"], .constraintNotPrimitive),
        ([#"orderBy="s""#, "startAt=[1]"], .constraintNotPrimitive),
        ([#"orderBy="s""#, "startAt={}"], .constraintNotPrimitive),
        ([#"orderBy="s""#, "startAt=1],[2"], .constraintNotPrimitive),
        ([#"orderBy="s""#, "startAt="], .constraintNotPrimitive),
        ([#"orderBy="s""#, "startAt=1,2"], .constraintNotPrimitive),
        ([#"orderBy="s""#, #"startAt=1,"a","b""#], .constraintNotPrimitive),
        ([#"orderBy="s""#, "limitToFirst=0"], .invalidLimit), ([#"orderBy="s""#, "limitToLast=-1"], .invalidLimit),
        ([#"orderBy="s""#, "limitToFirst=1.5"], .invalidLimit),
        ([#"orderBy="s""#, "limitToFirst=2147483648"], .invalidLimit),
        ([#"orderBy="s""#, "limitToFirst=99999999999999999999"], .invalidLimit),
        ([#"orderBy="s""#, "limitToFirst=1", "limitToLast=1"], .severalLimits),
        ([#"orderBy="s""#, "startAt=1", "equalTo=1"], .severalStarts),
        ([#"orderBy="s""#, "endAt=1", "endBefore=1"], .severalEnds),
        ([#"orderBy="s""#, #"orderBy="t""#], .duplicateParameter("orderBy")),
        ([#"orderBy="$key""#, "startAt=1"], .keyBoundNotString),
        ([#"orderBy="$key""#, #"endAt="a","b""#], .keyBoundWithKey),
        ([#"orderBy="$priority""#, "startAt=true"], .priorityBoundInvalid),
    ])
    func `What the parameters of a query may not be`(_ parameters: [String], _ reason: TreeError.Reason) {
        #expect(refusal { _ = try self.query(parameters) }?.reason == reason)
    }

    @Test func `Of a leaf a read with an order gives nothing, and of a node its children alone`() throws {
        let ordered = try #require(try self.query([#"orderBy="$key""#]))
        #expect(ordered.answer(of: try node("5")).isAbsent)
        #expect(ordered.answer(of: try node(#"{".value":5,".priority":1}"#)).isAbsent)
        #expect(exported(ordered.answer(of: try node(#"{"a":1,".priority":1}"#))) == #"{"a":1}"#)
        // A listen in an order alone is one of everything.
        #expect(ordered.filter(try node("5")) == (try node("5")))
    }

    @Test func `The ends of all keys read back as themselves`() throws {
        for (order, value) in [(TreeQuery.Order.key, IndexValue.absent), (.value, .scalar(.integer(1)))] {
            for (start, end) in [(QueryBound.Key.minimum, QueryBound.Key.maximum), (.maximum, .minimum)] {
                let query = try TreeQuery(
                    order: order,
                    start: QueryBound(value: value, key: start),
                    end: QueryBound(value: value, key: end)
                )
                #expect(try TreeQuery(parameters: query.parameters) == query)
                #expect(try TreeQuery(wire: query.wire) == query)
            }
        }
    }

    @Test func `Parameters about other things are no query`() throws {
        #expect(try self.query(["print=pretty", "auth=x"]) == nil)
        #expect(try self.query([#"orderBy="$key""#])?.isComplete == true)
    }

    /// The query object, and the parameters of a URL that mean the same.
    @Test(arguments: [
        (#"{"i":"foo","sp":"bar"}"#, [#"orderBy="foo""#, #"startAt="bar""#]),
        (#"{"sp":1,"sn":"k"}"#, [#"orderBy="$priority""#, #"startAt=1,"k""#]),
        (#"{"i":".key","l":2,"vf":"r"}"#, [#"orderBy="$key""#, "limitToLast=2"]),
        (#"{"i":".key","sp":"a","sin":false,"ep":"z"}"#, [#"orderBy="$key""#, #"startAfter="a""#, #"endAt="z""#]),
        (#"{"i":".value","sp":5,"ep":5,"l":1,"vf":"l"}"#, [#"orderBy="$value""#, "equalTo=5", "limitToFirst=1"]),
        (#"{"i":"a/b","sp":5,"ep":5,"sn":"k","en":"k"}"#, [#"orderBy="a/b""#, #"equalTo=5,"k""#]),
        (#"{"i":"s","sp":2,"sn":"[MAX_NAME]","sin":false}"#, [#"orderBy="s""#, "startAfter=2"]),
        // Clients for Apple platforms leave out the flag.
        (#"{"i":"s","sp":2,"sn":"[MAX_NAME]"}"#, [#"orderBy="s""#, "startAfter=2"]),
        (#"{"i":"s","ep":2,"en":"[MIN_NAME]","ein":false}"#, [#"orderBy="s""#, "endBefore=2"]),
        (#"{"i":"s","ep":2,"en":"[MIN_NAME]"}"#, [#"orderBy="s""#, "endBefore=2"]),
        (#"{"i":"s","sp":null,"ep":null}"#, [#"orderBy="s""#, "equalTo=null"]),
        (#"{"l":3}"#, [#"orderBy="$priority""#, "limitToLast=3"]),
        (#"{"sp":1,"l":3}"#, [#"orderBy="$priority""#, "startAt=1", "limitToFirst=3"]),
    ])
    func `A query has one meaning in both forms`(_ wire: String, _ parameters: [String]) throws {
        let query = try TreeQuery(wire: JSONValue(parsing: Array(wire.utf8)))
        #expect(try self.query(parameters) == query)
        #expect(try TreeQuery(wire: query.wire) == query)
        #expect(try TreeQuery(parameters: query.parameters) == query)
    }

    @Test func `The query object is written as JavaScript clients identify it`() throws {
        let query = try TreeQuery(wire: ["sp": "bar", "i": "foo"])
        #expect(String(decoding: query.wire.text, as: UTF8.self) == #"{"i":"foo","sin":true,"sp":"bar"}"#)
        #expect(TreeQuery.all.wire == [:])
    }

    @Test(arguments: [
        #"[]"#, #"5"#, #"{"l":0}"#, #"{"l":"1"}"#, #"{"l":1,"vf":"x"}"#, #"{"l":4294967296}"#, #"{"i":5}"#,
        #"{"i":""}"#,
        #"{"i":"a.b"}"#, #"{"sp":{}}"#, #"{"sp":1,"sn":2}"#, #"{"sp":1,"sin":"x"}"#, #"{"i":".key","sp":1}"#,
        #"{"i":".key","sn":"a"}"#, #"{"sp":true}"#,
    ])
    func `Malformed query objects are refused`(_ text: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(refusal { _ = try TreeQuery(wire: value) } != nil)
    }
}
