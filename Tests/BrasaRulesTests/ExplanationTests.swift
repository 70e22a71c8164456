import BrasaDocuments
import BrasaQueries
import BrasaRules
import Testing

struct ExplanationTests {
    private let source = """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents/t/{id} {
            allow get: if resource.data.zz == 1;
            allow get: if id == 'y' || resource.data.a > 3;
            allow get: if id == 'x';
          }
        }
        """

    @Test func `It says which statement decided, which expression failed, and what the values were`() throws {
        let explanation = try ruleset(self.source).get("t/x")
        #expect(explanation.isAllowed)
        #expect(explanation.statements.map(\.position.line) == [4, 5, 6])
        #expect(explanation.statements.map(\.outcome) == [.failed(.undefinedProperty("zz")), .refused, .allowed])

        let failure = try #require(explanation.statements[0].failure)
        #expect(failure.error == .undefinedProperty("zz"))
        #expect([failure.position.line, failure.position.column] == [4, 19])

        let rules = try ruleset(self.source)
        let values = explanation.statements[1].evaluations.map {
            (rules.source.text($0.range), $0.value?.debugText ?? "")
        }
        #expect(
            values.map(\.0) == [
                "id", "'y'", "id == 'y'", "resource.data.a", "3", "resource.data.a > 3",
                "id == 'y' || resource.data.a > 3",
            ]
        )
        #expect(values.map(\.1) == ["\"x\"", "\"y\"", "false", "1", "3", "false", "false"])
    }

    @Test func `A denial has an item for each statement that was tried`() throws {
        let rules = try ruleset(self.source)
        #expect(
            try rules.get("t/n").denialMessage
                == "\nNull value error. for 'get' @ L4, Null value error. for 'get' @ L5, false for 'get' @ L6"
        )
        #expect(try rules.get("u/n").denialMessage == "No matching allow statements")
    }

    @Test func `The statement that decided is named, if one did`() throws {
        let rules = try ruleset(self.source)
        #expect(try rules.get("t/x").deciding?.position.line == 6)
        #expect(try rules.get("t/n").deciding == nil)
        let spent = try rules.get("t/x", limits: EvaluationLimits(expressions: 4))
        #expect(spent.deciding?.outcome == .failed(.expressionsExceeded(4)))
    }

    @Test func `A query is explained way by way, up to the first that is refused`() throws {
        let rules = try ruleset(
            wrapped("match /t/{id} { allow list: if resource.data.a == 'x' || resource.data.b > 3; }")
        )
        let either = Filter.composite(
            .or,
            [
                try field("a", .in, .array([.string("x"), .string("y")])),
                try field("b", .greaterThan, .integer(4)),
            ]
        )
        let explanation = try rules.list(StructuredQuery(from: [.init(collectionID: "t")], filter: either))
        #expect(explanation.statements.map(\.decision) == [1, 2])
        #expect(explanation.statements.map(\.outcome) == [.allowed, .failed(.undetermined)])
        #expect(explanation.deciding == nil)
        let place = "for 'list' @ L4"
        #expect(explanation.denialMessage == "\nThe value is not known before the query has run. \(place)")

        let above = StructuredQuery(
            from: [.init(collectionID: "t")],
            filter: try field("b", .greaterThan, .integer(4))
        )
        let proven = try rules.list(above).statements[0].evaluations.compactMap { $0.value?.debugText }
        #expect(proven == ["constraint(> 4)", "3", "true", "true"])
    }

    @Test func `Values are shown short`() throws {
        let rules = try ruleset(wrapped("match /t/{id} { allow get: if resource.data == {}; }"))
        let world = World(before: ["t/x": fields(["a": .string(UTF8Text(String(repeating: "x", count: 10_000)))])])
        let shown = try #require(try rules.get("t/x", in: world).statements[0].evaluations.first?.value?.debugText)
        #expect(shown.count < 400)
        #expect(shown.hasPrefix("{\"a\": \"xxx"))
    }
}
