import BrasaRuleCases
import BrasaRules
import Testing

/// What is told of cases.
struct ReportTests {
    private let body = """
        match /notes/{id} {
          allow get: if resource.data.owner == request.auth.uid;
          allow get: if resource.data.readers.hasAny([request.auth.uid]);
        }
        """
    private let yaml = """
        documents: {notes/a: {owner: alice}}
        cases:
          - {name: her own, auth: alice, method: get, path: notes/a, expect: allow}
          - {auth: bob, method: get, path: notes/a, expect: allow}
        """

    private func report(explains: Bool) throws -> CaseReport {
        CaseReport(try RuleCaseReader(now: now).cases(self.yaml), under: try ruleset(self.body), explains: explains)
    }

    @Test func `A case that came out otherwise is explained, with what failed and the values`() throws {
        let report = try self.report(explains: false)
        #expect(report.failureCount == 1)
        #expect(
            report.lines == [
                "ok   line 3: her own: allowed",
                "FAIL line 4: get notes/a as bob: denied, expected allow",
                "     get notes/a",
                "       L3 allow: false",
                "         L3:17 resource.data.owner is \"alice\"",
                "         L3:40 request.auth is {\"token\": {\"firebase\": {\"identities\": {}, \"sign_in_provider\": \"custom\"}, "
                    + "\"sub\": \"bob\", \"user_id\": \"bob\"}, \"uid\": \"bob\"}",
                "         L3:40 request.auth.uid is \"bob\"",
                "         L3:17 resource.data.owner == request.auth.uid is false",
                "       L4 allow: Property readers is undefined on object.",
                "         failed: L4:17 resource.data.readers",
                "1 of 2 decided as expected",
            ]
        )
    }

    @Test func `Every case is explained when that is asked for`() throws {
        let report = try self.report(explains: true)
        #expect(report.lines.filter { $0.contains("allow: true") } == ["       L3 allow: true"])
        #expect(report.lines.last == "1 of 2 decided as expected")
    }

    @Test func `What no statement covers is told, and which way of a query was refused`() throws {
        let cases = """
            cases:
              - {method: get, path: other/a, expect: deny}
              - {auth: a, method: list, path: notes, query: {where: [[owner, in, [a, b]]]}, expect: deny}
            """
        let rules = try ruleset("match /notes/{id} { allow list: if resource.data.owner == request.auth.uid; }")
        let report = CaseReport(try RuleCaseReader(now: now).cases(cases), under: rules, explains: true)
        #expect(report.failureCount == 0)
        #expect(report.lines.contains("       no statement covers it"))
        #expect(report.lines.contains("       L2 allow (way 1 of the filter): true"))
        #expect(report.lines.contains("       L2 allow (way 2 of the filter): false"))
    }
}
