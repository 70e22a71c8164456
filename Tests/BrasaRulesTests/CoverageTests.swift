import BrasaDocuments
import BrasaQueries
import BrasaRules
import Foundation
import Testing

/// What decisions leave behind of a rules file's expressions.
struct CoverageTests {
    private let source = """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents {
            function isPublic() { let it = resource.data.pub; return it; }
            match /t/{id} {
              allow get: if id == 'none' || isPublic();
              allow get: if resource.data.a > 100 && resource.data.s == 'x';
              allow list: if resource.data.a > 1;
            }
          }
        }
        """

    private func coverage(of requests: (Ruleset) throws -> [Explanation]) throws -> RuleCoverage {
        let rules = try ruleset(self.source)
        var coverage = RuleCoverage(of: rules)
        for explanation in try requests(rules) { coverage.add(explanation) }
        return coverage
    }

    @Test func `Expressions that nothing has tried are told, the outermost of each`() throws {
        let none = try self.coverage { _ in [] }
        #expect(none.gaps.map(\.kind) == Array(repeating: .neverEvaluated, count: 5))
        #expect(none.gaps.map(\.position.line) == [4, 4, 6, 7, 8])
        #expect(none.extent.covered == 0)

        // t/y is not public, and its `a` is 5.
        let some = try self.coverage { [try $0.get("t/x"), try $0.get("t/y")] }
        let rules = try ruleset(self.source)
        let told = some.gaps.map { "\($0.kind) \(rules.source.text($0.range))" }
        #expect(
            told == [
                "neverTrue resource.data.a > 100 && resource.data.s == 'x'", "neverEvaluated resource.data.s == 'x'",
                "neverEvaluated resource.data.a > 1",
            ]
        )
        #expect(some.extent.covered == some.extent.all - 6)

        let always = try self.coverage { [try $0.get("t/x")] }
        #expect(always.gaps.contains { $0.kind == .alwaysTrue && $0.position.line == 6 })
    }

    private func report(_ coverage: RuleCoverage) throws -> [[String: Any]] {
        try #require(try JSONSerialization.jsonObject(with: Data(coverage.json)) as? [[String: Any]])
    }

    @Test func `The report has a tree for each condition, with each value and how often it came`() throws {
        let coverage = try self.coverage {
            [try $0.get("t/x"), try $0.get("t/x"), try $0.get("t/y"), try $0.get("t/n")]
        }
        let report = try self.report(coverage)
        #expect(report.count == 5)
        let condition = report[2]
        let place = try #require(condition["sourcePosition"] as? [String: Int])
        #expect([place["line"], place["column"]] == [6, 21])
        let values = try #require(condition["values"] as? [[String: Any]])
        #expect(values.map { $0["count"] as? Int } == [2, 1, 1])
        #expect(values[0]["value"] as? [String: Bool] == ["boolValue": true])
        let undefined = (values[2]["value"] as? [String: [String: Any]])?["undefined"]
        #expect(undefined?["causeMessage"] as? String == "Null value error.")
        let children = try #require(condition["children"] as? [[String: Any]])
        #expect(children.count == 2)
        #expect(try self.report(try self.coverage { _ in [] }).allSatisfy { $0["values"] == nil })
    }

    static let values: [(String, String)] = [
        ("null", #"{"nullValue":null}"#), ("7", #"{"intValue":"7"}"#), ("1.5", #"{"floatValue":1.5}"#),
        ("'a\"b'", #"{"stringValue":"a\"b"}"#), ("b'ab'", #"{"bytesValue":"YWI="}"#),
        ("timestamp.date(2030, 1, 2)", #"{"timestampValue":"2030-01-02T00:00:00Z"}"#),
        ("duration.value(-1500, 'ms')", #"{"durationValue":"-1.500000000s"}"#),
        ("latlng.value(1.5, 2)", #"{"latlngValue":{"latitude":1.5,"longitude":2.0}}"#),
        ("[1, 'a']", #"{"listValue":{"values":[{"intValue":"1"},{"stringValue":"a"}]}}"#),
        ("[1].toSet()", #"{"setValue":{"values":[{"intValue":"1"}]}}"#),
        ("{'a': true}", #"{"mapValue":{"fields":{"a":{"boolValue":true}}}}"#),
        ("/a/b", #"{"pathValue":{"segments":[{"simple":"a"},{"simple":"b"}]}}"#),
        (
            "{'a': 1, 'c': 3}.diff({'a': 2, 'b': 2})",
            #"{"mapDiffValue":{"keyStatuses":{"c":"ADDED","b":"REMOVED","a":"AFFECTED"}}}"#
        ),
    ]

    @Test(arguments: values)
    func `A value is shown with its type`(_ expression: String, _ json: String) throws {
        let rules = try ruleset(wrapped("match /t/{id} { allow get: if \(expression) == resource.data.a; }"))
        var coverage = RuleCoverage(of: rules)
        coverage.add(try rules.get("t/x"))
        #expect(String(decoding: coverage.json, as: UTF8.self).contains("\"value\":\(json),\"count\":1"))
    }

    @Test func `What a query knows is shown as constraints`() throws {
        let filter = try field("a", .greaterThan, .integer(4))
        let coverage = try self.coverage {
            [try $0.list(StructuredQuery(from: [.init(collectionID: "t")], filter: filter))]
        }
        let text = String(decoding: coverage.json, as: UTF8.self)
        #expect(
            text.contains(#"{"constraintValue":{"simpleConstraints":[{"comparator":"GT","value":{"intValue":"4"}}]}}"#)
        )
    }

    @Test func `However many values there are, and however long, a report is bounded`() throws {
        let rules = try ruleset(wrapped("match /t/{id} { allow get: if resource.data == {}; }"))
        var coverage = RuleCoverage(of: rules)
        for number in 0..<150 {
            let long = Value.array(
                Array(repeating: .string(UTF8Text(String(repeating: "x", count: 1_000))), count: 500)
            )
            let world = World(before: ["t/x": fields(["a": .integer(Int64(number)), "l": long])])
            coverage.add(try rules.get("t/x", in: world))
        }
        let json = coverage.json
        #expect(json.count < 100 * 100 * 400, "\(json.count)")
        let values = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [[String: Any]])
        #expect(values.count == 1)
    }
}
