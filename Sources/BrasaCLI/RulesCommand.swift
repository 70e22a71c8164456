import ArgumentParser
import BrasaPlatform
import BrasaRules

struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Check security rules.",
        discussion: "brasa-tools rules tries them on cases; docs/rules.md says what they are.",
        subcommands: [Check.self]
    )

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compile a rules file and say what is wrong with it.",
            discussion: "Ends with status 1 when the file has an error; warnings do not count."
        )

        @Argument(help: "The rules file.")
        var file: String

        func run() throws {
            let compilation: Ruleset.Compilation
            do {
                compilation = Ruleset.compile(try Self.read(self.file))
            } catch {
                ProcessSurroundings.complain("\(error)")
                throw ExitCode(1)
            }
            for diagnostic in compilation.diagnostics { print(diagnostic.located(in: self.file)) }
            if compilation.ruleset == nil { throw ExitCode(1) }
        }

        private static func read(_ path: String) throws -> [UInt8] {
            let file = try RealDisk().open(path, .readOnly)
            defer { file.close() }
            var bytes = [UInt8](repeating: 0, count: try file.size())
            let count = try bytes.withUnsafeMutableBytes { try file.readFully(into: $0, at: 0) }
            return Array(bytes.prefix(count))
        }
    }
}
