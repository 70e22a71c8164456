import ArgumentParser
import BrasaPlatform
import BrasaRules
import BrasaServer

struct RulesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Check, deploy and show security rules.",
        discussion: """
            The rules that are deployed are kept in the data folder, whether a server runs on it or not: it judges by them \
            within seconds. The commands are run as the server's user. What is deployed for a database counts before what \
            is deployed for all, and that before the file of --rules. \
            brasa-tools rules tries rules on cases; docs/rules.md says what they are.
            """,
        subcommands: [Check.self, Deploy.self, Show.self, History.self, Rollback.self, Remove.self]
    )

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compile a rules file and say what is wrong with it.",
            discussion: "Ends with status 1 when the file has an error; warnings do not count."
        )

        @Argument(help: "The rules file.")
        var file: String

        func run() throws { _ = try RulesCommand.compile(self.file) }
    }

    /// Prints what is wrong with the file, and ends with status 1 when that is too much.
    private static func compile(_ path: String) throws -> Ruleset {
        let text: [UInt8]
        do throws(RuleFileText.Failure) {
            text = try RuleFileText.read(path)
        } catch {
            ProcessSurroundings.complain("\(error)")
            throw ExitCode(1)
        }
        let compilation = Ruleset.compile(text)
        for diagnostic in compilation.diagnostics { print(diagnostic.located(in: path)) }
        guard let ruleset = compilation.ruleset else { throw ExitCode(1) }
        return ruleset
    }

    struct Folder: ParsableArguments {
        @Option(
            help: "The folder that holds the data (BRASA_DATA_DIR; default: \(ServerConfiguration().dataDirectory))."
        )
        var dataDir: String?

        @Option(help: "The database, as projects/P/databases/D (default: all that have no rules of their own).")
        var database: String?

        var store: RuleDeploymentStore {
            let folder =
                self.dataDir ?? ProcessSurroundings.variable("BRASA_DATA_DIR") ?? ServerConfiguration().dataDirectory
            return RuleDeploymentStore(disk: RealDisk(), dataDirectory: folder)
        }
    }

    struct Author: ParsableArguments {
        @Option(help: "Who, for the history (default: SUDO_USER, else USER).")
        var by: String?

        var name: String {
            self.by ?? ["SUDO_USER", "USER"].compactMap { ProcessSurroundings.variable($0) }.first ?? ""
        }
    }

    struct Deploy: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let calls be judged by the rules of a file from now on.",
            discussion: "A file with an error is not deployed, and ends the command with status 1."
        )

        @Argument(help: "The rules file.")
        var file: String
        @OptionGroup var folder: Folder
        @OptionGroup var author: Author

        func run() throws {
            let ruleset = try RulesCommand.compile(self.file)
            try self.attempt { () throws(RuleDeploymentError) in
                let database = try RuleDeploymentStore.database(self.folder.database)
                let deployment = try self.folder.store.deploy(
                    ruleset,
                    for: database,
                    by: self.author.name,
                    clock: .system
                )
                print(RuleDeploymentTable.line(deployment))
            }
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print the rules that were deployed.")

        @Argument(help: "The number of a deployment (default: the present one).")
        var number: Int?
        @OptionGroup var folder: Folder

        func run() throws {
            try self.attempt { () throws(RuleDeploymentError) in
                let database = try RuleDeploymentStore.database(self.folder.database)
                let text = try self.folder.store.text(of: database, self.number)
                print(String(decoding: text, as: UTF8.self), terminator: "")
            }
        }
    }

    struct History: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List what was deployed when and by whom, the latest last.",
            discussion: "Without --database for all databases."
        )

        @OptionGroup var folder: Folder

        func run() throws {
            try self.attempt { () throws(RuleDeploymentError) in
                let database = try RuleDeploymentStore.database(self.folder.database)
                let deployments = try self.folder.store.read()
                let listed = database == nil ? deployments.all : deployments.history(of: database)
                RuleDeploymentTable.lines(listed).forEach { print($0) }
            }
        }
    }

    struct Rollback: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deploy rules of before again.",
            discussion: "Without a number those before the present ones."
        )

        @Argument(help: "The number of a deployment.")
        var number: Int?
        @OptionGroup var folder: Folder
        @OptionGroup var author: Author

        func run() throws {
            try self.attempt { () throws(RuleDeploymentError) in
                let database = try RuleDeploymentStore.database(self.folder.database)
                let deployment = try self.folder.store.rollBack(
                    database,
                    to: self.number,
                    by: self.author.name,
                    clock: .system
                )
                print(RuleDeploymentTable.line(deployment))
            }
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take deployed rules away.",
            discussion: """
                A database then has the rules that are deployed for all, or else those of --rules; where there are none, \
                users may do nothing.
                """
        )

        @OptionGroup var folder: Folder
        @OptionGroup var author: Author

        func run() throws {
            try self.attempt { () throws(RuleDeploymentError) in
                let database = try RuleDeploymentStore.database(self.folder.database)
                let store = self.folder.store
                print(RuleDeploymentTable.line(try store.remove(database, by: self.author.name, clock: .system)))
            }
        }
    }
}
