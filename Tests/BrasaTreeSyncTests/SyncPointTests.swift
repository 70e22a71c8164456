import BrasaTreeSync
import Foundation
import Testing

struct SyncPointTests {
    @Test(.enabled(if: SyncPointFolder.given != nil, "BRASA_SYNC_POINT_SPEC names no folder that has them"))
    func `The portable cases pass`() throws {
        let cases = try #require(SyncPointFolder.given).cases()
        var passed = 0
        for scripted in cases {
            let failures = scripted.failures
            #expect(failures == [], "\(scripted.name)")
            if failures.isEmpty { passed += 1 }
            print("sync point \(failures.isEmpty ? "passed" : "FAILED"): \(scripted.name)")
        }
        print("sync points: \(passed) of \(cases.count) passed")
    }

    private func failures(_ steps: String) throws -> [String] {
        let text = #"[{"name":"own","steps":[\#(steps)]}]"#
        return try SyncPointCase.all(in: Array(text.utf8), of: "own.json").flatMap(\.failures)
    }

    /// A listen by a query, and what of `{"a":2,"b":1,"c":3}` it shows.
    private func failures(params: String, showing keys: [String]) throws -> [String] {
        let data = ["a": 2, "b": 1, "c": 3]
        var previous: String?
        var events: [String] = []
        for key in keys {
            let before = previous.map { "\"\($0)\"" } ?? "null"
            let value = data[key] ?? 0
            events.append(
                #"{"path":"","type":"child_added","name":"\#(key)","prevName":\#(before),"data":\#(value)}"#
            )
            previous = key
        }
        let shown = keys.sorted().map { "\"\($0)\":\(data[$0] ?? 0)" }.joined(separator: ",")
        events.append(#"{"path":"","type":"value","data":{\#(shown)}}"#)
        return try self.failures(
            #"""
            {"type":"set","path":"","data":{"a":2,"b":1,"c":3},"events":[]},
            {"type":"listen","path":"","params":\#(params),"events":[\#(events.joined(separator: ","))]}
            """#
        )
    }

    @Test(
        arguments: [
            (#"{"orderByKey":true,"startAt":{"index":"b"},"tag":1}"#, ["b", "c"]),
            (#"{"orderByKey":true,"startAfter":{"index":"a"},"endBefore":{"index":"c"},"tag":1}"#, ["b"]),
            (#"{"limitToFirst":2,"orderByValue":true,"tag":1}"#, ["b", "a"]),
            (#"{"orderBy":".value","startAfter":{"index":1},"tag":1}"#, ["a", "c"]),
            (#"{"orderByValue":true,"endBefore":{"index":2,"name":"a"},"tag":1}"#, ["b"]),
            (#"{"orderByValue":true,"equalTo":{"index":2},"tag":1}"#, ["a"]),
            (#"{"orderByPriority":true,"startAfter":{"index":null,"name":"b"},"tag":1}"#, ["c"]),
            (#"{"orderByPriority":true,"limitToLast":1,"tag":1}"#, ["c"]), ("{}", ["a", "b", "c"]),
        ]
    )
    func `Cases know all orders and bounds`(_ params: String, _ keys: [String]) throws {
        #expect(try self.failures(params: params, showing: keys) == [])
        #expect(try self.failures(params: params, showing: keys.dropLast()) != [])
    }

    @Test(
        arguments: [
            #"{"type":"liste","path":"","events":[]}"#, #"{"type":"listen","path":""}"#,
            #"{"type":"listen","events":[]}"#, #"{"type":"listen","path":"","params":{"limit":1},"events":[]}"#,
            #"{"type":"listen","path":"","params":{"limitToFirst":"1"},"events":[]}"#,
            #"{"type":"listen","path":"","params":{"orderByKey":true,"orderBy":"a"},"events":[]}"#,
            #"{"type":"listen","path":"","params":{"startAt":{},"equalTo":{}},"events":[]}"#,
            #"{"type":"listen","path":"","events":[{"path":"","type":"values","data":1}]}"#,
            #"{"type":"set","path":"","events":[]}"#, #"{"type":"set","path":"a.b","data":1,"events":[]}"#,
            #"{"type":"ackUserWrite","writeId":0,"events":[]}"#,
            #"{"type":"unlisten","path":"","callbackId":1,"events":[]}"#,
            #"{"type":"serverUpdate","path":"","data":1,"tag":9,"events":[]}"#, "1",
        ]
    )
    func `What a case cannot mean fails it`(_ step: String) throws {
        #expect(try self.failures(step).count == 1)
    }

    @Test func `A folder without cases, and a file that has none, are no folder of cases`() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "sync-points-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        let folder = SyncPointFolder(url: url, count: nil)
        #expect(throws: SyncPointCase.Malformed.self) { try folder.cases() }
        let file = url.appending(path: "a.json")
        for text in ["", "{", "{}", "[]", "[1]", #"[{"name":"a"}]"#, #"[{"steps":[]}]"#] {
            try Data(text.utf8).write(to: file)
            #expect(throws: SyncPointCase.Malformed.self, "\(text)") { try folder.cases() }
        }
        let steps = #"[{"type":"set","path":"","data":1,"events":[]}]"#
        for name in ["a", "b"] {
            let text = #"[{"name":"\#(name)","steps":\#(steps)}]"#
            try Data(text.utf8).write(to: url.appending(path: "\(name).json"))
        }
        #expect(try folder.cases().map(\.name) == ["a", "b"])
        #expect(throws: (any Error).self) { try SyncPointFolder(url: file, count: nil).cases() }
    }
}
