import BrasaBytes
import BrasaDocuments
import BrasaHTTP
import BrasaIdentity
import BrasaRules
import BrasaService
import BrasaTokens
import Logging
import NIOCore

/// The emulator's endpoints for test tools: what loads rules, and what clears a database. With `--emulator` alone.
struct EmulatorEndpoints: Sendable {
    private static let contentType = "application/json; charset=utf-8"
    private static let project = "/emulator/v1/projects/{project}"
    private static let database = "\(project)/databases/{database}"
    private static let documents = "\(database)/documents"
    private static let rulesSuffix = ":securityRules"
    private static let coverageSuffix = ":ruleCoverage"
    /// Every byte of a file may be escaped.
    private static let bodyBytesMax = 6 * RuleFileText.bytesMax + 4_096

    let service: FirestoreService
    let book: RuleBook
    let desk: TokenDesk
    let logger: Logger

    static func refuse(in router: inout HTTPRouter) {
        router.refuse(Self.documents) { _ in
            HTTPAnswer(403, "this server runs without --emulator, so databases cannot be cleared\n")
        }
    }

    func register(in router: inout HTTPRouter) {
        router.add(
            ["DELETE"],
            Self.documents,
            for: .everybody,
            otherwise: { _ in HTTPAnswer(404, "only DELETE is served here\n") },
            self.forTools { request, answer in self.clear(request, answer) }
        )
        for pattern in [Self.project, Self.database] {
            router.add(
                ["GET", "PUT"],
                pattern,
                for: .everybody,
                bodyBytesMax: Self.bodyBytesMax,
                otherwise: { _ in HTTPAnswer(404, "only GET and PUT are served here\n") },
                self.forTools { request, answer in self.rules(request, answer) }
            )
        }
    }

    /// Test tools show no token. They are answered where nobody needs one, but for the rules that they have loaded.
    private func forTools(_ answerer: @escaping HTTPRouter.Answerer) -> HTTPRouter.Answerer {
        let desk = self.desk
        return { request, answer in
            guard request.caller == .administrator || desk.isOpenToTools else {
                return answer(HTTPAnswer(403, "only administrators are answered here\n"))
            }
            answerer(request, answer)
        }
    }

    private func clear(_ request: HTTPRequest, _ answer: @escaping @Sendable (HTTPAnswer) -> Void) {
        guard let database = Self.name(request.parameters[0], request.parameters[1]) else {
            return answer(HTTPAnswer(404, "nothing is served at \(request.path)\n"))
        }
        let peer = PeerAddress(bytes: request.peer)
        let logger = self.logger
        self.service.clear(database) { error in
            let outcome = error.map { "\($0)" } ?? "ok"
            logger.notice(
                "the emulator's endpoint was asked to clear a database",
                metadata: ["database": "\(database)", "peer": "\(peer)", "outcome": "\(outcome)"]
            )
            answer(error.map { HTTPAnswer(503, "\($0)\n") } ?? Self.json { $0.object { _ in } })
        }
    }

    // MARK: Rules

    /// Of one database; without its name of the default one.
    private func rules(_ request: HTTPRequest, _ answer: @escaping @Sendable (HTTPAnswer) -> Void) {
        let last = request.parameters.last ?? ""
        guard let suffix = [Self.rulesSuffix, Self.coverageSuffix].first(where: last.hasSuffix),
            suffix == Self.rulesSuffix || request.method == "GET"
        else { return answer(HTTPAnswer(404, "nothing is served at \(request.path)\n")) }
        let id = String(last.dropLast(suffix.count))
        let isDefault = request.parameters.count == 1
        let database = Self.name(isDefault ? id : request.parameters[0], isDefault ? "(default)" : id)
        guard let database else { return answer(HTTPAnswer(404, "nothing is served at \(request.path)\n")) }
        // Both may take many milliseconds, in which the loop has other calls.
        if suffix == Self.coverageSuffix {
            self.aside(request, answer) { self.cover(database) }
        } else if request.method == "PUT" {
            let body = request.body
            self.aside(request, answer) { self.load(body, for: database) }
        } else {
            answer(self.show(database))
        }
    }

    /// In the order in which one address asks: what it has put last holds.
    private func aside(
        _ request: HTTPRequest,
        _ answer: @escaping @Sendable (HTTPAnswer) -> Void,
        _ work: @escaping @Sendable () -> HTTPAnswer
    ) {
        let eventLoop = self.service.eventLoop
        self.desk.aside(for: PeerAddress(bytes: request.peer)) {
            let made = work()
            eventLoop.execute { answer(made) }
        } otherwise: {
            eventLoop.execute { answer(HTTPAnswer(503, "too many such requests wait already\n")) }
        }
    }

    private func load(_ body: [UInt8], for database: DatabaseName) -> HTTPAnswer {
        guard let members = JSONText.object(body) else { return Self.refusal("Payload isn't valid for request.") }
        guard case .map(let rules) = members["rules"], case .list(let files) = rules["files"],
            case .map(let file)? = files.first, case .text(let content) = file["content"]
        else { return Self.refusal("There is no rules file in the request.") }
        guard content.utf8.count <= RuleFileText.bytesMax else {
            return Self.refusal("Rules are longer than \(RuleFileText.bytesMax) bytes.")
        }
        let compilation = Ruleset.compile(content)
        guard let ruleset = compilation.ruleset else {
            let lines = compilation.diagnostics.filter { $0.severity == .error }.map(\.description)
            return Self.refusal("Error compiling rules:\n" + lines.joined(separator: "\n"))
        }
        guard self.book.load(ruleset, for: database) else {
            return Self.refusal("There are rules for \(RuleBook.databasesMax) databases already.")
        }
        return Self.json { writer in
            writer.object { writer in
                guard !compilation.diagnostics.isEmpty else { return }
                writer.member("issues") { $0.array(compilation.diagnostics) { Self.write($0, to: &$1) } }
            }
        }
    }

    private static func write(_ diagnostic: Diagnostic, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("sourcePosition") { writer in
                writer.object { writer in
                    writer.member("fileName", "security.rules")
                    writer.member("line") { $0.number(diagnostic.position.line) }
                    writer.member("column") { $0.number(diagnostic.position.column) }
                    writer.member("currentOffset") { $0.number(diagnostic.position.startOffset) }
                    writer.member("endOffset") { $0.number(diagnostic.position.endOffset) }
                }
            }
            writer.member("description", diagnostic.message)
            writer.member("severity", diagnostic.severity == .error ? "ERROR" : "WARNING")
        }
    }

    private func show(_ database: DatabaseName) -> HTTPAnswer {
        guard let ruleset = self.book.edition.ruleset(for: database) else {
            return HTTPAnswer(404, "the database has no rules\n")
        }
        return Self.json { writer in
            writer.object { writer in
                writer.member("rules") { Self.write(ruleset, to: &$0) }
            }
        }
    }

    /// What the expressions of the rules were worth since these came into force, as the emulator reports it.
    private func cover(_ database: DatabaseName) -> HTTPAnswer {
        guard let rules = self.book.edition.rules(for: database), let tally = rules.tally else {
            return HTTPAnswer(404, "the database has no rules\n")
        }
        var writer = JSONWriter()
        Self.write(rules.ruleset, to: &writer)
        let text = Array("{\"rules\":".utf8) + writer.bytes + Array(",\"report\":".utf8) + tally.coverage.json
        return HTTPAnswer(200, contentType: Self.contentType, String(decoding: text, as: UTF8.self) + "}")
    }

    private static func write(_ ruleset: Ruleset, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("files") { writer in
                writer.array([ruleset.source]) { source, writer in
                    writer.object { writer in
                        writer.member("name", "security.rules")
                        writer.member("content", String(decoding: source.bytes, as: UTF8.self))
                    }
                }
            }
        }
    }

    // MARK: Answers

    private static func name(_ project: String, _ database: String) -> DatabaseName? {
        try? DatabaseName(parsing: "projects/\(project)/databases/\(database)".utf8)
    }

    private static func refusal(_ message: String) -> HTTPAnswer {
        Self.json(400) { writer in
            writer.object { writer in
                writer.member("error") { writer in
                    writer.object { writer in
                        writer.member("code") { $0.number(400) }
                        writer.member("message", message)
                        writer.member("status", "INVALID_ARGUMENT")
                    }
                }
            }
        }
    }

    private static func json(_ status: Int = 200, _ write: (inout JSONWriter) -> Void) -> HTTPAnswer {
        var writer = JSONWriter()
        write(&writer)
        return HTTPAnswer(
            status,
            contentType: Self.contentType,
            String(decoding: writer.bytes, as: UTF8.self)
        )
    }
}
