import ArgumentParser
import BrasaDocuments
import BrasaRuleCases
import BrasaRules
import Foundation

struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Try security rules on cases, without a server.",
        discussion: "docs/rules.md says what stands in a file of cases.",
        subcommands: [Test.self, Explain.self]
    )

    struct Test: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Decide the cases of a YAML file, and say which came out otherwise than expected.",
            discussion: "Ends with status 1 when there is one, and tells how its decision came about."
        )

        @OptionGroup var files: RulesFiles

        @Flag(help: "Say as well which expressions no case has tried, and which conditions were never true, or always.")
        var coverage = false

        func run() throws { try self.files.report(explains: false, covers: self.coverage) }
    }

    struct Explain: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The same, with how each decision came about.",
            discussion: "Tells which statements were tried, which of them decided, and what every expression was worth."
        )

        @OptionGroup var files: RulesFiles

        func run() throws { try self.files.report(explains: true) }
    }
}

struct RulesFiles: ParsableArguments {
    @Argument(help: "The rules file.")
    var file: String

    @Argument(help: "The YAML file with cases.")
    var cases: String

    func report(explains: Bool, covers: Bool = false) throws {
        do {
            let compilation = Ruleset.compile(Array(try Data(contentsOf: URL(filePath: self.file))))
            for diagnostic in compilation.diagnostics { print(diagnostic.located(in: self.file)) }
            guard let rules = compilation.ruleset else { throw ExitCode(1) }
            let text = String(decoding: try Data(contentsOf: URL(filePath: self.cases)), as: UTF8.self)
            let cases: [RuleCase]
            do { cases = try RuleCaseReader(now: Self.now).cases(text) } catch {
                print("\(self.cases):\(error.line ?? 1): error: \(error.message)")
                throw ExitCode(1)
            }
            let report = CaseReport(cases, under: rules, explains: explains, covers: covers)
            report.lines.forEach { print($0) }
            if report.failureCount > 0 { throw ExitCode(1) }
        } catch let error where !(error is ExitCode) {
            FileHandle.standardError.write(Data("brasa-tools: \(error.localizedDescription)\n".utf8))
            throw ExitCode(1)
        }
    }

    private static var now: Timestamp {
        Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
    }
}
