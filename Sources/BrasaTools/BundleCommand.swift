import ArgumentParser
import BrasaFirestore
import Foundation

struct BundleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bundle",
        abstract:
            "Write documents and named queries of a running server to a bundle, which clients load into their caches.",
        discussion: """
            Everything is read at one time. A query is a StructuredQuery message in JSON, such as \
            {"from":[{"collectionId":"cities"}],"limit":10}; around it there may be an object with "parent" (the path of \
            a document), "structuredQuery" and "limitType" (FIRST or LAST).
            """
    )

    @Option(help: "The server.")
    var target = "127.0.0.1:8080"

    @Flag(help: "Talk to the server by TLS.")
    var tls = false

    @Option(
        help: """
            The bearer token for the server; better given by the environment variable BRASA_TOKEN, which no list of \
            processes shows. Without one a server by TLS gets none, and others get what emulators take for their owner.
            """
    )
    var token: String?

    @Option(help: "The project.")
    var project: String

    @Option(help: "The database.")
    var database = "(default)"

    @Option(help: "The bundle's name: clients load a bundle once, and again when there is a newer one of that name.")
    var id: String

    @Option(name: .customLong("document"), help: "The path of a document that the bundle shall have; can be repeated.")
    var documents: [String] = []

    @Option(
        name: .customLong("query"),
        help: "NAME=JSON, a query that clients find by its name, with its results; can be repeated."
    )
    var queries: [String] = []

    @Option(help: "The file to write; standard output when there is none.")
    var output: String?

    func run() async throws {
        do {
            let builder = try BundleBuilder(
                server: self.target,
                isEncrypted: self.tls,
                token: self.bearerToken,
                project: self.project,
                database: self.database
            )
            let queries = try self.queries.map(Self.namedQuery)
            let bytes = try await builder.build(id: self.id, documents: self.documents, queries: queries)
            if let output = self.output {
                try Data(bytes).write(to: URL(filePath: output), options: .atomic)
            } else {
                try FileHandle.standardOutput.write(contentsOf: Data(bytes))
            }
        } catch let error where !(error is ValidationError) {
            FileHandle.standardError.write(Data("brasa-tools: \(error)\n".utf8))
            throw ExitCode(1)
        }
    }

    /// Without the line end that a file's text has.
    private var bearerToken: String? {
        let variable = ProcessInfo.processInfo.environment["BRASA_TOKEN"]
        let text = self.token ?? (variable?.isEmpty == true ? nil : variable)
        return text?.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func namedQuery(_ text: String) throws -> BundleBuilder.NamedQuery {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw ValidationError("--query takes NAME=JSON, not \"\(text)\"")
        }
        return BundleBuilder.NamedQuery(
            name: String(text[..<equals]),
            json: String(text[text.index(after: equals)...])
        )
    }
}
