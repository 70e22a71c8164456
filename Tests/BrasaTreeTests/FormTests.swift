import BrasaTree
import Testing

struct FormTests {
    @Test(arguments: [
        (#"{"0":"a","1":"b","2":"c"}"#, #"["a","b","c"]"#), (#"{"1":1,"2":2}"#, "[null,1,2]"),
        (#"{"2":1,"3":2}"#, "[null,null,1,2]"), (#"{"5":1}"#, #"{"5":1}"#), (#"{"1":1}"#, "[null,1]"),
        (#"{"100003354884401":1}"#, #"{"100003354884401":1}"#), (#"{"0":1,"a":2}"#, #"{"0":1,"a":2}"#),
        (#"{"01":1}"#, #"{"01":1}"#), (#"{"-1":1,"0":2,"1":3}"#, #"{"-1":1,"0":2,"1":3}"#),
        (#"{"-0":1,"1":2}"#, #"{"-0":1,"1":2}"#), (#"{"a":{"0":1},"b":{"2":1}}"#, #"{"a":[1],"b":{"2":1}}"#),
        (#"{"0":{"0":1,"3":2},"2":5}"#, #"[[1,null,null,2],null,5]"#), ("[1,[null,2]]", "[1,[null,2]]"),
        (#"{"0":1,"4294967296":1}"#, #"{"0":1,"4294967296":1}"#), ("[]", "null"), ("{}", "null"),
        (#"{"0":1,"4":2}"#, #"{"0":1,"4":2}"#), (#"{"0":1,"1":1,"5":2}"#, #"[1,1,null,null,null,2]"#),
    ])
    func `Maps whose keys are dense indices read back as arrays`(_ written: String, _ read: String) throws {
        #expect(plain(try node(written)) == read)
    }

    @Test func `Export form has priorities and no arrays`() throws {
        let value = try node(#"{"0":{".value":1,".priority":"p"},"1":{"x":true,".priority":2},".priority":-1.5}"#)
        #expect(
            exported(value) == #"{"0":{".value":1,".priority":"p"},"1":{"x":true,".priority":2},".priority":-1.5}"#
        )
        #expect(plain(value) == #"[1,{"x":true}]"#)
    }

    @Test(arguments: [
        "{}", "[]", #"{"a":{}}"#, #"{"a":null}"#, #"{".priority":1}"#, #"{"a":{"b":[null,{}]}}"#, #"{".value":null}"#,
        #"{".value":null,".priority":"x"}"#, "null",
    ])
    func `What is empty does not exist`(_ text: String) throws {
        #expect(try node(text).isAbsent)
        #expect(plain(try node(text)) == "null")
    }

    @Test(arguments: [
        (#"{".value":1,"a":2}"#, TreeError.Reason.valueWithChildren), (#"{".value":{"a":1}}"#, .valueNotPrimitive),
        (#"{".value":[1]}"#, .valueNotPrimitive), (#"{".value":{".value":1,".priority":2}}"#, .valueNotPrimitive),
        (#"{"a":1,".priority":true}"#, .invalidPriority), (#"{"a":1,".priority":{"b":1}}"#, .invalidPriority),
        (#"{"a":1,".priority":[1]}"#, .invalidPriority), (#"{".foo":1}"#, .invalidKey(".foo")),
        (#"{"a/b":1}"#, .invalidKey("a/b")), (#"{"":1}"#, .invalidKey("")),
        (#"{".sv":"now"}"#, .unrecognizedServerValue),
        (#"{".sv":"timestamp","a":1}"#, .serverValueWithSiblings),
        (#"{".sv":{"increment":"1"}}"#, .unrecognizedServerValue),
        (#"{".sv":{"increment":1,"x":1}}"#, .unrecognizedServerValue), (#"{".sv":5}"#, .unrecognizedServerValue),
        (#"{".sv":"timestamp",".priority":1}"#, .serverValueWithSiblings), (#"{".sv":null}"#, .unrecognizedServerValue),
        // What special slots hold is no place for children, whatever comes of them.
        (#"{".value":{"a":{".sv":"timestamp"}}}"#, .valueNotPrimitive), (#"{".value":{}}"#, .valueNotPrimitive),
        (#"{".value":[{".sv":"timestamp"}]}"#, .valueNotPrimitive), (#"{".value":{".value":1}}"#, .valueNotPrimitive),
        (#"{"a":1,".priority":{"b":{".sv":"timestamp"}}}"#, .invalidPriority),
        (#"{"a":1,".priority":[{".sv":"timestamp"}]}"#, .invalidPriority),
        (#"{"a":1,".priority":{".value":1}}"#, .invalidPriority), (#"{"a":1,".priority":{}}"#, .invalidPriority),
        (#"{".sv":{"increment":{".sv":"timestamp"}}}"#, .unrecognizedServerValue),
        (#"{".sv":{"increment":1,"x":{".sv":"timestamp"}}}"#, .unrecognizedServerValue),
        (#"{".sv":{".sv":"timestamp"}}"#, .unrecognizedServerValue),
        (#"{".sv":{".value":"timestamp"}}"#, .unrecognizedServerValue),
        (#"{".value":{".sv":"timestamp","a":1}}"#, .valueNotPrimitive), (#"{".sv":{}}"#, .unrecognizedServerValue),
        ("{\".\(String(repeating: "k", count: 800))\":1}", .keyTooLong(bytes: 801)),
    ])
    func `Values that are refused name their node`(_ text: String, _ reason: TreeError.Reason) {
        #expect(refusal { _ = try template(text) }?.reason == reason)
        let inner = refusal { _ = try template(#"{"x":[0,"# + text + "]}", at: "/base") }
        #expect(inner?.reason == reason)
        #expect(inner?.path?.description.hasPrefix("/base/x/1") == true)
    }

    @Test func `Server values that are refused write nothing`() throws {
        for text in [
            #"{".value":{".sv":{"increment":2}},".priority":{".sv":"timestamp"}}"#,
            #"{".priority":{".sv":"timestamp"},"a":1}"#,
        ] {
            #expect(try template(text).serverValues != nil)
        }
        // A priority for what is not there is nothing.
        #expect(try template(#"{".priority":{".sv":"timestamp"}}"#).serverValues == nil)
    }

    @Test func `Values go 32 levels deep, counted from the root`() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: #"{"k":"#, count: levels) + "1" + String(repeating: "}", count: levels)
        }
        #expect(try node(nested(32)).height == 32)
        #expect(refusal { _ = try template(nested(33)) }?.reason == .tooDeep(levels: 33))
        _ = try template(nested(30), at: "a/b")
        let error = refusal { _ = try template(nested(31), at: "a/b") }
        #expect(error?.reason == .tooDeep(levels: 33))
        #expect(error?.path?.keys.count == 33)
        // What stands for a value or a priority is no level.
        let atTheEdge = nested(32).replacing("1", with: #"{".sv":{"increment":1}}"#)
        #expect(try template(atTheEdge).serverValues?.count == 1)
        let wrapped = nested(32).replacing("1", with: #"{".value":1,".priority":{".sv":{"increment":1}}}"#)
        #expect(try template(wrapped).node.height == 32)
    }

    @Test func `Pretty text is indented`() throws {
        let text = try node(#"{"a":[1,2],"b":{"c":"x"}}"#).text(.plain, isPretty: true)
        #expect(
            String(decoding: text, as: UTF8.self) == """
                {
                  "a" : [
                    1,
                    2
                  ],
                  "b" : {
                    "c" : "x"
                  }
                }
                """
        )
    }

    @Test func `A step writes no more than it was asked to, holes of arrays included`() throws {
        let many = try (5_000..<10_000).map { (key: try key("\($0)"), node: TreeNode.leaf(.integer(1))) }
        var emitter = TreeEmitter(TreeNode(children: many), .plain)
        var text = JSONText()
        var steps = 0
        var isMore = true
        while isMore {
            isMore = emitter.emit(into: &text, nodesMax: 10)
            #expect(text.take().count <= 10 * 5 + 1)
            steps += 1
        }
        #expect(steps >= 1_000)
    }

    @Test func `A node that grows and shrinks is an array when its keys say so`() throws {
        var tree = TreeNode.absent
        for index in 0..<200 { tree = tree.setting(.leaf(.integer(1)), for: try key("\(index)")) }
        #expect(tree.arrayCount == 200)
        for name in ["a", "00", "-1", "4294967296"] {
            let other = tree.setting(.leaf(.integer(1)), for: try key(name))
            #expect(other.arrayCount == nil)
            #expect(other.setting(.absent, for: try key(name)).arrayCount == 200)
        }
        for index in stride(from: 0, to: 200, by: 2) { tree = tree.setting(.absent, for: try key("\(index)")) }
        #expect(tree.arrayCount == 200)
        #expect(tree.setting(.absent, for: try key("1")).arrayCount == nil)
    }

    @Test func `A large node is written in steps`() throws {
        let value = try node(#"{"a":[1,[2,null,3],{"x":{".value":1,".priority":1}}],"b":{"c":{"d":true}}}"#)
        for form in [TreeEmitter.Form.plain, .export] {
            for step in 1...5 {
                var text = JSONText()
                var emitter = TreeEmitter(value, form)
                var pieces: [UInt8] = []
                while emitter.emit(into: &text, nodesMax: step) { pieces += text.take() }
                #expect(pieces + text.take() == value.text(form))
            }
        }
    }
}
