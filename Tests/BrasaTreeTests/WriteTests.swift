import BrasaTree
import Testing

struct WriteTests {
    private func set(_ value: String, at location: String, in root: TreeNode, time: Int64 = 0) throws -> TreeNode {
        let location = try TreeLocation(location)
        let template = try TreeTemplate(parsing: Array(value.utf8), at: location.path)
        return try TreeWrite.set(template, at: location).resolved(in: root, milliseconds: time).applied(to: root)
    }

    private func entries(_ text: String, at base: String) throws -> [UpdateReader.Entry]? {
        var scanner = JSONScanner(UpdateReader(at: try path(base)))
        try scanner.read(Array(text.utf8))
        return try scanner.finish().entries
    }

    private func update(_ value: String, at base: String, in root: TreeNode, time: Int64 = 0) throws -> TreeNode {
        let write = try TreeWrite.update(try #require(try self.entries(value, at: base)), at: try path(base))
        return try write.resolved(in: root, milliseconds: time).applied(to: root)
    }

    @Test func `An update of too many paths is refused where one too many begins`() throws {
        var scanner = JSONScanner(UpdateReader(at: try path("a"), pathsMax: 2))
        try scanner.read(Array(#"{"x":1,"y/z":2"#.utf8))
        var refusal: TreeError?
        do throws(TreeError) {
            try scanner.read(Array(#","z""#.utf8))
        } catch {
            refusal = error
        }
        #expect(refusal == TreeError(.tooManyPaths(pathsMax: 2), at: try path("a")))
    }

    private static let before = #"{"a":{"x":1,"y":{".value":2,".priority":"q"},".priority":"p"},"b":5}"#

    @Test(arguments: [
        ("a", "7", #"{"a":7,"b":5}"#),
        ("a", #"{"x":1,".priority":3}"#, #"{"a":{"x":1,".priority":3},"b":5}"#),
        ("a/x", "null", #"{"a":{"y":{".value":2,".priority":"q"},".priority":"p"},"b":5}"#),
        ("a/y", "3", #"{"a":{"x":1,"y":3,".priority":"p"},"b":5}"#),
        ("a/y/.priority", "9", #"{"a":{"x":1,"y":{".value":2,".priority":9},".priority":"p"},"b":5}"#),
        ("a/y/.priority", "null", #"{"a":{"x":1,"y":2,".priority":"p"},"b":5}"#),
        ("a/y/z", "1", #"{"a":{"x":1,"y":{"z":1,".priority":"q"},".priority":"p"},"b":5}"#),
        ("a/y/z", "null", WriteTests.before), ("a/y/z/w", "null", WriteTests.before),
        ("c/d/e", "null", WriteTests.before), ("a", "null", #"{"b":5}"#), ("/", "null", "null"),
        (".priority", "1", String(WriteTests.before.dropLast()) + #","# + #"".priority":1}"#),
        ("a/nothing/.priority", "null", WriteTests.before),
    ])
    func `A set replaces the value and the priority of its node`(_ location: String, _ value: String, _ after: String)
        throws
    {
        #expect(exported(try self.set(value, at: location, in: node(Self.before))) == after)
    }

    @Test func `The last child's removal removes its ancestors`() throws {
        let root = try node(#"{"a":{"b":{"c":1,".priority":1},".priority":2},"d":1}"#)
        #expect(exported(try self.set("null", at: "a/b/c", in: root)) == #"{"d":1}"#)
        #expect(try self.set("{}", at: "a", in: node(#"{"a":1}"#)).isAbsent)
    }

    @Test func `A node that does not exist has no priority`() throws {
        #expect(
            refusal { _ = try self.set("1", at: "a/z/.priority", in: node(Self.before)) }?.reason
                == .priorityOfAbsentNode
        )
        #expect(refusal { _ = try self.update(#"{"z/.priority":1}"#, at: "a", in: .absent) }?.path == (try path("a/z")))
        // An update may make the node whose priority it sets.
        #expect(
            exported(try self.update(#"{"x":1,".priority":4}"#, at: "a", in: .absent))
                == #"{"a":{"x":1,".priority":4}}"#
        )
    }

    @Test func `An update replaces what it names and keeps the rest, priority included`() throws {
        let root = try node(Self.before)
        #expect(
            exported(try self.update(#"{"x":null,"y":{"n":1},"u/v/w":true,"/k/":[1]}"#, at: "a", in: root))
                == #"{"a":{"k":{"0":1},"u":{"v":{"w":true}},"y":{"n":1},".priority":"p"},"b":5}"#
        )
        #expect(exported(try self.update("{}", at: "a", in: root)) == Self.before)
        #expect(
            exported(try self.update(#"{"a/.priority":null,"b":null}"#, at: "/", in: root))
                == #"{"a":{"x":1,"y":{".value":2,".priority":"q"}}}"#
        )
    }

    @Test(arguments: [
        (#"{"/":1,"a":2}"#, "/", "/a"), (#"{"a":1,"a/b":2}"#, "/a", "/a/b"), (#"{"/a":1,"a/b":2}"#, "/a", "/a/b"),
        (#"{"a/b":1,"a/b/.priority":2}"#, "/a/b", "/a/b/.priority"), (#"{"a":1,"/a/":2}"#, "/a", "/a"),
        (#"{"a/b/c":1,"a/b.":1}"#.replacing(".", with: "2"), "", ""), (#"{"10":1,"9":2,"10/x":3}"#, "/10", "/10/x"),
        (#"{"a":1,"a!":2,"a/b":3}"#, "/a", "/a/b"),
    ])
    func `Paths of an update do not overlap`(_ text: String, _ upper: String, _ lower: String) throws {
        let error = refusal { _ = try self.update(text, at: "/", in: .absent) }
        guard !upper.isEmpty else { return #expect(error == nil) }
        #expect(error?.reason == .conflictingPaths(try TreeLocation(upper), try TreeLocation(lower)))
    }

    @Test func `Values of the server by the thousand are kept by their way and worked out in one walk`() throws {
        let names = (0..<3_000).map { "k\($0)" }
        let members = names.map { #""\#($0)":{"n":{".sv":{"increment":1}},"t":{".sv":"timestamp"}}"# }
        let deep = Array(repeating: "d", count: 29).joined(separator: "/")
        let text = "{\(members.joined(separator: ","))}"
        var root = TreeNode.absent
        for time in 1...2 as ClosedRange<Int64> { root = try self.set(text, at: deep, in: root, time: time) }
        let written = try root[deep]
        #expect(written.childCount == 3_000)
        #expect(written.children.allSatisfy { exported($0.node) == #"{"n":2,"t":2}"# })
        let few = try self.set(
            #"{"a":1,"b":{".sv":"timestamp"},"c":[1,{".sv":"timestamp"}]}"#,
            at: "/",
            in: .absent,
            time: 3
        )
        #expect(exported(few) == #"{"a":1,"b":3,"c":{"0":1,"1":3}}"#)
    }

    @Test(arguments: ["[1]", "1", #""x""#, "true", "[]"])
    func `An update is an object`(_ text: String) {
        #expect(refusal { _ = try self.entries(text, at: "/") }?.reason == .updateNotObject)
    }

    @Test func `An update of null is a removal, which the reader leaves to its caller`() throws {
        #expect(try self.entries("null", at: "/") == nil)
        #expect(try self.entries("{}", at: "/")?.isEmpty == true)
    }

    @Test(arguments: [
        #"{"a/.sv":1}"#, #"{"a/.value":1}"#, #"{".value":1}"#, #"{"a/.priority":{"b":1}}"#, #"{"a/.priority":true}"#,
        #"{"a.b":1}"#, #"{"":1}"#, #"{"a":{"b/c":1}}"#, #"{"a/.priority/b":1}"#,
        #"{"a/.priority":{".value":1,".priority":2}}"#,
    ])
    func `What an update may not set`(_ text: String) {
        #expect(refusal { _ = try self.update(text, at: "/", in: node(#"{"a":1}"#)) } != nil)
    }

    @Test func `An update's levels count from the root`() throws {
        let deep = Array(repeating: "k", count: 31).joined(separator: "/")
        _ = try self.update(#"{"\#(deep)":1}"#, at: "a", in: .absent)
        #expect(
            refusal { _ = try self.update(#"{"\#(deep)":{"x":1}}"#, at: "a", in: .absent) }?.reason
                == .tooDeep(levels: 33)
        )
        #expect(
            refusal { _ = try self.update(#"{"\#(deep)/x":1}"#, at: "a", in: .absent) }?.reason == .tooDeep(levels: 33)
        )
    }

    @Test(arguments: [
        ("null", "3", "3"), (#""x""#, "3", "3"), ("true", "2.5", "2.5"), (#"{"a":1}"#, "4", "4"), ("5", "3", "8"),
        ("5", "-7", "-2"), ("5", "0.5", "5.5"), ("5.5", "1", "6.5"), ("0.5", "0.5", "1"),
        ("9223372036854775807", "1", "9223372036854776000"), ("-9223372036854775808", "-1", "-9223372036854775808"),
        ("9223372036854775806", "1", "9223372036854775807"),
        ("1.7976931348623157e308", "1.7976931348623157e308", "1.7976931348623157e+308"),
    ])
    func `An increment adds to what is there`(_ present: String, _ delta: String, _ result: String) throws {
        let root = try node(#"{"n":\#(present)}"#)
        #expect(plain(try self.set(#"{".sv":{"increment":\#(delta)}}"#, at: "n", in: root)["n"]) == result)
    }

    @Test func `Server values stand anywhere in a write and see the tree before it`() throws {
        let root = try node(#"{"p":{"n":1,"m":{"k":10},".priority":4}}"#)
        let value = #"""
            {"n":{".sv":{"increment":2}},"m":{"k":{".sv":{"increment":5}},"t":{".sv":"timestamp"}},
             "l":{".value":{".sv":"timestamp"},".priority":{".sv":"timestamp"}},"e":{".value":{".sv":"timestamp"},".priority":"w"},
             "only":{"t":{".sv":"timestamp"},".priority":"k"},"arr":[{".sv":"timestamp"},1],
             ".priority":{".sv":{"increment":1}}}
            """#
        #expect(
            exported(try self.set(value, at: "p", in: root, time: 99)["p"])
                == #"{"arr":{"0":99,"1":1},"e":{".value":99,".priority":"w"},"l":{".value":99,".priority":99},"#
                + #""m":{"k":15,"t":99},"n":3,"only":{"t":99,".priority":"k"},".priority":5}"#
        )
        #expect(
            exported(
                try self.set(#"{".sv":"timestamp"}"#, at: "p/.priority", in: root, time: 7)["p"].withPriority(.none)
            )
                == #"{"m":{"k":10},"n":1}"#
        )
        #expect(try self.set(#"{".sv":{"increment":3}}"#, at: "p/.priority", in: root)["p"].priority == .number(7))
        #expect(
            exported(
                try self.update(
                    #"{"p/n":{".sv":{"increment":1}},"q/t":{".sv":"timestamp"}}"#,
                    at: "/",
                    in: root,
                    time: 5
                )
            )
                == #"{"p":{"m":{"k":10},"n":2,".priority":4},"q":{"t":5}}"#
        )
    }
}
