import BrasaDocuments
import BrasaPlatform

/// Deployments as a list to read, in columns.
package enum RuleDeploymentTable {
    package static func lines(_ deployments: [RuleDeployment]) -> [String] {
        let rows =
            [["NUMBER", "TIME", "BY", "RULES", "DATABASE"]]
            + deployments.map { deployment in
                [
                    String(deployment.number),
                    Timestamp(microseconds: deployment.time.microseconds).rfc3339(.asNeeded),
                    deployment.author,
                    Self.rules(deployment),
                    Self.database(deployment),
                ]
            }
        let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, cell in
                column == 4 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }.joined(separator: "  ")
        }
    }

    package static func line(_ deployment: RuleDeployment) -> String {
        "deployment \(deployment.number) for \(Self.database(deployment)): \(Self.rules(deployment))"
    }

    private static func database(_ deployment: RuleDeployment) -> String {
        deployment.database?.string ?? "all others"
    }

    private static func rules(_ deployment: RuleDeployment) -> String {
        guard let digest = deployment.digest else { return "none" }
        let rules = String(digest.prefix(8))
        return deployment.restored.map { "\(rules), as in \($0)" } ?? rules
    }
}
