import BrasaTree
import Foundation
import Testing

@testable import BrasaDatabase

@Suite("Values")
struct ValueTests {
    private func text(_ value: Any?) throws -> String {
        String(decoding: try ValueReader.json(value).text, as: UTF8.self)
    }

    @Test("What JSON has is read, by Swift's types and by Foundation's")
    func reading() throws {
        #expect(try self.text(nil) == "null")
        #expect(try self.text(NSNull()) == "null")
        #expect(try self.text(true) == "true")
        #expect(try self.text(NSNumber(value: false)) == "false")
        #expect(try self.text(NSNumber(value: 1)) == "1")
        #expect(try self.text(Int8(3)) == "3")
        #expect(try Double(self.text(UInt64.max)) == Double(UInt64.max))
        #expect(try self.text(1.5) == "1.5")
        #expect(try self.text("é") == #""é""#)
        #expect(try self.text([1, "a", NSNull()] as [Any]) == #"[1,"a",null]"#)
        #expect(try self.text(["a": ["b": true]]) == #"{"a":{"b":true}}"#)
        #expect(try self.text(ServerValue.increment(2)) == #"{".sv":{"increment":2}}"#)
        #expect(try self.text(["a": Optional(1) as Any]) == #"{"a":1}"#)
        #expect(try self.text(["a": Int?.none as Any]) == #"{"a":null}"#)
    }

    @Test("A number of many digits, as `JSONSerialization` has it, keeps all of them")
    func manyDigits() throws {
        for number in [0.1 + 0.2, 123_456.789_012_345_67, -2.000_000_000_000_000_4] {
            let json = try JSONSerialization.jsonObject(with: Data("[\(number)]".utf8))
            #expect(try self.text(json) == "[\(number)]")
            #expect(try self.text(NSDecimalNumber(string: "\(number)")) == "\(number)")
        }
        #expect(throws: DatabaseFault.self) { try ValueReader.json(NSDecimalNumber.notANumber) }
    }

    @Test("What cannot be stored is told, and nothing stops")
    func refused() {
        let values: [Any] = [
            Date(), Data(), Double.nan, Double.infinity, [1: 2] as [AnyHashable: Any], ["a": Date()] as [String: Any],
        ]
        for value in values {
            #expect(throws: DatabaseFault.self) { try ValueReader.template(value, at: .root) }
        }
    }

    @Test(
        "Keys, server values and priorities are checked",
        arguments: [
            #"{"a.b":1}"#, #"{"a/b":1}"#, #"{".sv":"timestamp","a":1}"#, #"{".value":1,"a":1}"#,
            #"{".priority":true,"a":1}"#,
        ]
    )
    func invalid(_ text: String) throws {
        let value = ValueWriter.value(try JSONValue(parsing: Array(text.utf8)))
        #expect(throws: DatabaseFault.self) { try ValueReader.template(value, at: .root) }
    }

    @Test("A value without end does not end the program")
    func deep() {
        var value: Any = 1
        for _ in 0..<1_000 { value = ["a": value] }
        #expect(throws: DatabaseFault.self) { try ValueReader.template(value, at: .root) }
    }

    @Test("Numbers and booleans come back as such, and as what they are cast to")
    func writing() throws {
        let node = try TreeTemplate(parsing: Array(#"{"n":1,"d":1.5,"b":true,"l":[1,2],"s":"x"}"#.utf8)).node
        let value = try #require(ValueWriter.value(node) as? [String: Any])
        #expect(value["n"] as? Int == 1)
        #expect(value["d"] as? Double == 1.5)
        #expect(value["b"] as? Bool == true)
        #expect(value["l"] as? [Int] == [1, 2])
        #expect(value["s"] as? String == "x")
        #expect(ValueWriter.value(.absent) is NSNull)
    }

    @Test("A transaction's data changes by its parts")
    func mutableData() throws {
        let data = MutableData(try TreeTemplate(parsing: Array(#"{"a":{"b":1}}"#.utf8)).node)
        #expect(data.key == nil && data.childrenCount == 1 && data.hasChild(atPath: "a/b"))
        let child = data.childData(byAppendingPath: "a/c")
        child.value = [1, 2]
        child.priority = "p"
        data.childData(byAppendingPath: "a/b").value = nil
        data.childData(byAppendingPath: "t").value = ServerValue.increment(1)
        #expect(child.key == "c" && child.priority as? String == "p")
        let template = try data.result()
        let text = String(decoding: template.json.text, as: UTF8.self)
        #expect(text == #"{"a":{"c":{"0":1,"1":2,".priority":"p"}},"t":{".sv":{"increment":1}}}"#)
        child.priority = nil
        #expect(child.priority is NSNull)
        data.childData(byAppendingPath: "a.b").value = 1
        #expect(throws: DatabaseFault.self) { try data.result() }
    }

    /// What a block makes of data, in export form.
    private func made(of text: String = "null", _ body: (MutableData) -> MutableData?) throws -> String {
        let data = MutableData(try TreeTemplate(parsing: Array(text.utf8)).node)
        let result = body(data) ?? data
        return String(decoding: try result.result().json.text, as: UTF8.self)
    }

    @Test("A priority is set beside what the server works out")
    func prioritiesOfServerValues() throws {
        let alone = try self.made { data in
            data.value = ServerValue.increment(1)
            data.priority = 2
            #expect(data.priority as? Int == 2 && data.value is [String: Any])
            return nil
        }
        #expect(alone == #"{".value":{".sv":{"increment":1}},".priority":2}"#)
        let beneath = try self.made { data in
            data.value = ["at": ServerValue.timestamp(), "n": 1] as [String: Any]
            data.priority = "p"
            data.priority = "q"
            return nil
        }
        #expect(beneath == #"{"n":1,"at":{".sv":"timestamp"},".priority":"q"}"#)
        let none = try self.made(of: #"{".value":1,".priority":2}"#) { data in
            data.priority = ServerValue.timestamp()
            data.priority = nil
            return nil
        }
        #expect(none == "1")
    }

    @Test("What the server works out is there, and goes with its part")
    func partsOfServerValues() throws {
        let child = try self.made(of: #"{"a":{"n":1}}"#) { data in
            data.childData(byAppendingPath: "a/at").value = ServerValue.timestamp()
            #expect(data.hasChild(atPath: "a/at") && data.childData(byAppendingPath: "a").childrenCount == 2)
            // Back and forth, nothing is lost.
            data.value = data.value
            return data.childData(byAppendingPath: "a")
        }
        #expect(child == #"{"n":1,"at":{".sv":"timestamp"}}"#)
        let below = try self.made { data in
            data.value = ServerValue.timestamp()
            data.childData(byAppendingPath: "x/y").value = 1
            return nil
        }
        #expect(below == #"{"x":{"y":1}}"#)
    }

    @Test(
        "A part that the server works out takes nothing else away",
        arguments: [
            ("5", #"{"x":{".sv":"timestamp"}}"#),
            (#"{".value":5,".priority":2}"#, #"{"x":{".sv":"timestamp"},".priority":2}"#),
            (#"{".priority":2,"x":1}"#, #"{"x":{".sv":"timestamp"},".priority":2}"#),
            (#"{".priority":2,"x":1,"y":1}"#, #"{"y":1,"x":{".sv":"timestamp"},".priority":2}"#),
            (#"{".priority":2,"x":{".priority":1,"y":1}}"#, #"{"x":{".sv":"timestamp"},".priority":2}"#),
        ]
    )
    func partOfLeaf(_ text: String, _ expected: String) throws {
        let made = try self.made(of: text) { data in
            data.childData(byAppendingPath: "x").value = ServerValue.timestamp()
            return nil
        }
        #expect(made == expected)
    }

    @Test(
        "A part that the server works out leaves what there was beside it when it goes",
        arguments: [
            ("5", "null"), ("null", "null"), (#"{"x":1}"#, "null"), (#"{".value":5,".priority":2}"#, "null"),
            (#"{".priority":2,"x":1}"#, "null"),
            (#"{".priority":2,"y":1}"#, #"{"y":1,".priority":2}"#),
        ]
    )
    func partThatGoes(_ text: String, _ expected: String) throws {
        let made = try self.made(of: text) { data in
            data.childData(byAppendingPath: "x").value = ServerValue.timestamp()
            data.childData(byAppendingPath: "x").value = nil
            let isNull = data.value is NSNull
            #expect(isNull == (expected == "null"))
            return nil
        }
        #expect(made == expected)
    }

    @Test("A text that is no path is no child, and fails what is changed there alone", arguments: ["a.b", "", "/"])
    func noPath(_ path: String) throws {
        let text = try self.made(of: #"{"a":1}"#) { data in
            let lost = data.childData(byAppendingPath: path)
            #expect(!data.hasChild(atPath: path) && lost.value is NSNull && lost.key == nil)
            #expect(!lost.hasChild(atPath: "c") && lost.childrenCount == 0 && lost.children.nextObject() == nil)
            return nil
        }
        #expect(text == #"{"a":1}"#)
        #expect(throws: DatabaseFault.self) {
            try self.made { data in
                data.childData(byAppendingPath: path).priority = 1
                return nil
            }
        }
    }

    @Test("Children come by their priorities")
    func orderOfChildren() throws {
        let text = #"{"a":{".value":1,".priority":2},"b":{".value":1,".priority":1},"c":1}"#
        let data = MutableData(try TreeTemplate(parsing: Array(text.utf8)).node)
        #expect(data.children.compactMap { ($0 as? MutableData)?.key } == ["c", "b", "a"])
    }
}
