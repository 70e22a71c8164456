internal import BrasaDocuments
internal import BrasaQueries
internal import BrasaRules

/// What somebody asks of documents, and what rules should say to that.
package struct RuleCase: Sendable {
    enum Call: Sendable {
        case get([ResourcePath])
        case list(StructuredQuery, Query)
        /// What rules are asked, and the documents as the writes leave them; nil: deleted.
        case commit([RuleWrite], [ResourcePath: EncodedFields?])
    }

    package let name: String
    /// Where it begins in its file, from 1.
    package let line: Int
    package let expectsAllowed: Bool
    let auth: RuleAuth?
    let time: Timestamp
    /// Those that are there.
    let documents: [ResourcePath: EncodedFields]
    let call: Call
}

/// What was wrong with a file of cases, and in which line if that is known.
package struct RuleCaseError: Error, Hashable, CustomStringConvertible {
    package let line: Int?
    package let message: String

    init(_ message: String, line: Int?) {
        self.line = line
        self.message = message
    }

    package var description: String { self.line.map { "line \($0): \(self.message)" } ?? self.message }
}

extension DatabaseName {
    /// The database that cases are about. Rules do not see its project.
    static func ofCases() throws(DocumentError) -> DatabaseName {
        try DatabaseName(project: "cases", database: "(default)")
    }
}
